"""Rerankers as sentence-transformers stores them: a chat template for pairs, and a score from a language model."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from torch import nn

import gmask
from gmask.errors import GmaskError
from tests.model.families import tiny_model, tiny_tokenizer
from tests.model.template.judges import PAIRS, language_model, tokenizer

pytest.importorskip("sentence_transformers.cross_encoder.modules", reason="this release stores no chains")

FLAT = (
    "<|im_start|>system\n"
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] }}\n{% endif %}{% endfor %}"
    "Judge.<|im_end|>\n<|im_start|>user\n"
    "{% for m in messages %}{% if m['role'] == 'query' %}<Query>: {{ m['content'] }}\n{% endif %}{% endfor %}"
    "{% for m in messages %}{% if m['role'] == 'document' %}<Document>: {{ m['content'] }}{% endif %}{% endfor %}"
    "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
)
STRUCTURED = FLAT.replace("m['content']", "m['content'][0]['text']") + "{# .type #}"


def said(model, first, second):
    bound = model.bind(first, second)
    return bound(np.ones((1, len(bound.words)), dtype=bool))[0]


def encoder(folder, template=FLAT, *, false=True, limit=4096, classifier=False, **options):
    """A chain of a random model, saved and loaded as its users do."""
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.cross_encoder.modules import LogitScore

    words = copy.deepcopy(tokenizer())
    words.chat_template, words.model_max_length = template, limit
    if classifier:
        settings = {"vocab_size": 512, "max_position_embeddings": 4096, "pad_token_id": words.pad_token_id}
        network = tiny_model("qwen3", num_labels=1, **settings)
    else:
        network = language_model("qwen3")[0]
    network.save_pretrained(folder / "plain")
    words.save_pretrained(folder / "plain")
    if classifier:
        own = CrossEncoder(str(folder / "plain"), device="cpu", **options)
    else:
        yes, no = (words.convert_tokens_to_ids(answer) for answer in ("yes", "no"))
        reader = Transformer(str(folder / "plain"), transformer_task="text-generation")
        modules = [reader, LogitScore(yes, no if false else None)]
        own = CrossEncoder(modules=modules, device="cpu", **options)
    own.save_pretrained(str(folder / "saved"))
    return own


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "options"),
    [
        (FLAT, {}),
        (STRUCTURED, {}),
        (FLAT, {"false": False, "activation_fn": nn.Identity()}),
        (FLAT, {"prompts": {"judge": "Who plays what?"}, "default_prompt_name": "judge"}),
        (FLAT, {"classifier": True}),
    ],
    ids=["flat", "structured", "one token", "prompt", "classifier"],
)
def test_a_chain_is_explained_as_an_object_and_as_a_folder(tmp_path, template, options):
    own = encoder(tmp_path, template, **options)
    assert gmask.load(own).hash == gmask.load(tmp_path / "saved").hash
    for model in (gmask.load(own), gmask.load(tmp_path / "saved")):
        assert model.raw == ("activation_fn" in options)
        for pair in PAIRS:
            assert said(model, *pair)[-1] == pytest.approx(float(own.predict([pair])[0]), abs=1e-5)


@pytest.mark.slow
def test_a_pair_that_is_too_long_is_cut_as_the_chain_cuts_it(tmp_path):
    own = encoder(tmp_path, limit=70)
    first, second = "Who plays guitar?", "A man plays an electric guitar on stage. " * 9 + "Really?"
    for model in (gmask.load(own), gmask.load(tmp_path / "saved")):
        bound = model.bind(first, second)
        assert "cut off" in bound.warnings[0]
        answer = bound(np.ones((1, len(bound.words)), dtype=bool))[0, 1]
        assert answer == pytest.approx(float(own.predict([(first, second)])[0]), abs=1e-5)
        dropped = model.bind(first, second, removal="drop")
        ((_, inputs),) = model._rows([(dropped, np.zeros(len(bound.words), dtype=bool))])
        assert model.tokenizer.decode(inputs["input_ids"][0]).endswith("</think>\n")


@pytest.mark.slow
def test_an_encoder_with_a_chat_template_is_explained(tmp_path):
    from sentence_transformers import CrossEncoder

    words = copy.deepcopy(tiny_tokenizer("bert"))
    words.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }} {% endfor %}"
    tiny_model("bert", num_labels=1).save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    own = CrossEncoder(str(tmp_path), device="cpu")
    assert said(gmask.load(own), *PAIRS[0])[1] == pytest.approx(float(own.predict([PAIRS[0]])[0]), abs=1e-5)


def test_a_chat_template_without_the_roles_is_refused_in_one_line(tmp_path):
    own = encoder(
        tmp_path, "{% for m in messages %}{% if m['role'] == 'user' %}{{ m['content'] }}{% endif %}{% endfor %}"
    )
    with pytest.raises(GmaskError, match="leaves out the first text; it knows other roles than query, document"):
        gmask.load(own).bind(*PAIRS[0])
