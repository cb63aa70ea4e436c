"""What all rows begin with goes through the model once, and the answers are as without."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from tests.model.template.judges import PAIRS, decoder_classifier, language_model


def put_through(model, work) -> int:
    """How many tokens a model's embeddings were looked up for."""
    tokens = []
    handle = model._classifier._modules[0].register_forward_hook(lambda m, i, o: tokens.append(o.shape[:-1].numel()))
    try:
        work()
    finally:
        handle.remove()
    return sum(tokens)


def parts(kind):
    return language_model("qwen3") if kind == "judge" else decoder_classifier("qwen2")


@pytest.mark.parametrize("removal", ["drop", "zero", "delete"])
@pytest.mark.parametrize("kind", ["judge", "classifier"])
def test_answers_are_as_without(kind, removal):
    model, plain = (gmask.load(parts(kind), template="qwen3-reranker") for _ in range(2))
    plain._classifier._prefix = None
    for pair in PAIRS:
        kept = np.random.default_rng(0).random((20, len(model.bind(*pair).words))) < 0.6
        outputs = model.bind(*pair, removal=removal)(kept)
        assert outputs.std(axis=0).max() > 1e-3
        np.testing.assert_allclose(outputs, plain.bind(*pair, removal=removal)(kept), atol=1e-5)


@pytest.mark.parametrize("kind", ["judge", "classifier"])
def test_the_prefix_is_put_through_once_and_with_no_row_of_any_pair(kind):
    model = gmask.load(parts(kind), template="qwen3-reranker")
    head = len(model._classifier._prefix.ids)
    assert head > 50
    bounds = [model.bind(*pair, removal="drop") for pair in PAIRS[:2]]
    rows = [np.random.default_rng(0).random((15, len(bound.words))) < 0.6 for bound in bounds]
    widths = sum(
        inputs["input_ids"].size - len(numbers) * head
        for bound, kept in zip(bounds, rows, strict=True)
        for numbers, inputs in model._rows([(bound, row) for row in np.unique(kept, axis=0)])
    )
    found = put_through(model, lambda: model.answer(list(zip(bounds, rows, strict=True))))
    assert widths <= found <= widths * 1.3  # and a little padding


def test_rows_that_begin_otherwise_are_read_whole():
    model = gmask.load(language_model("qwen3"), template="A: {first} B: {second} =>", answers=["no", "yes"])
    assert model._classifier._prefix is None  # too short to be worth it
