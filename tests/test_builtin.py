"""The models that come with the package: they load fast, say the same everywhere, and are explained the same way."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

import gmask
from gmask.model.zoo import BUILTIN, builtin_models

GUITAR = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")
SMOKING = ("How do I quit smoking?", "How can I quit smoking?")
SAID = {
    "nli": "contradiction",
    "nli-dattn": "contradiction",
    "paraphrase": "paraphrase",
    "paraphrase-dattn": "paraphrase",
    "paraphrase-mrpc-dattn": "paraphrase",
}


def pair_for(name):
    return GUITAR if name.startswith("nli") else SMOKING


@pytest.fixture(scope="module", params=sorted(SAID))
def model(request):
    return gmask.load(request.param)


def test_they_are_there_and_small():
    assert builtin_models() == sorted(SAID)
    assert sum(f.stat().st_size for f in BUILTIN.rglob("*") if f.is_file()) < 120e6


def test_they_load_in_under_two_seconds(model):
    times = []
    for _ in range(3):  # the first time pays for imports
        began = time.process_time()
        gmask.load(model.name)
        times.append(time.process_time() - began)
    assert min(times) < 2


def test_they_say_what_a_person_would(model):
    e = gmask.explain(model, *pair_for(model.name), method="leave-one-out")
    assert e.label == SAID[model.name]


def test_cards_name_data_terms_scores_and_that_no_test_pair_was_seen(model):
    card = (BUILTIN / model.name / "README.md").read_text(encoding="utf-8")
    for part in ("terms of use", "| test |", "gmask train", "order of the sentences aside): 0."):
        assert part in card


@pytest.mark.slow
def test_one_thread_or_two_alone_or_in_a_list_the_same_explanation(model):
    pairs = [
        pair_for(model.name),
        ("Two dogs run in a green field.", "Some animals are outside."),
        ("Is it so?", "It is."),
    ]
    before = torch.get_num_threads()
    found = []
    try:
        for threads, explain in (
            (1, lambda: [gmask.explain(model, a, b) for a, b in pairs]),
            (2, lambda: [gmask.explain(model, a, b) for a, b in pairs]),
            (2, lambda: gmask.explain(model, pairs=pairs)),
        ):
            torch.set_num_threads(threads)
            found.append(explain())
    finally:
        torch.set_num_threads(before)
    for one, *others in zip(*found, strict=True):
        for other in others:
            assert one.order() == other.order()
            assert np.array(one.attributions) == pytest.approx(np.array(other.attributions), abs=1e-4)
            assert [g.members for g in one.groups] == [g.members for g in other.groups]


@pytest.mark.slow
def test_the_same_call_gives_the_same_json_byte_for_byte(model):
    first, again = (
        gmask.Explanation.from_dict({**gmask.explain(model, *pair_for(model.name)).to_dict(), "seconds": 0.0}).to_json()
        for _ in range(2)
    )
    assert first == again


def test_selectors_come_with_them_and_are_small(model):
    e = gmask.explain(model, *pair_for(model.name), method="l2x")
    assert e.details["selector"] == "l2x.safetensors"
    assert len(set(e.attributions)) > 1
    assert (BUILTIN / model.name / "l2x.safetensors").stat().st_size < 2e6


def test_statistics_of_their_words_come_with_them(model):
    e = gmask.explain(model, *pair_for(model.name), method="iba", steps=3)
    assert len(e.attributions) == len(e.words)
    assert (BUILTIN / model.name / "iba.safetensors").exists()
