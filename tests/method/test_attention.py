"""Attention rollout, by hand on small matrices."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gmask
from gmask.method.attention import _read_from
from tests.model.families import tiny
from tests.toys import ScoreModel

PAIR = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")


class Attentive(ScoreModel):
    """Four tokens, of which the first is special; two layers with given attention."""

    def __init__(self, layers, owners=(-1, 0, 1, 1)):
        super().__init__(lambda weights, words: weights.sum(dim=1))
        self.layers, self.owners = layers, np.array(owners)

    def _attentions(self, bound):
        return torch.tensor(np.array(self.layers))[:, None]

    def _token_words(self, bound):
        return self.owners


def test_layers_are_mixed_with_what_stays_and_multiplied():
    a, b = np.full((4, 4), 0.25), np.eye(4)[[1, 0, 3, 2]]
    mixed = (b + np.eye(4)) / 2 @ ((a + np.eye(4)) / 2)
    e = gmask.explain(Attentive([a, b]), "x", "y", method="attention-rollout")
    assert e.attributions == pytest.approx([mixed[0, 1], mixed[0, 2] + mixed[0, 3]])
    assert e.details["read"] == "first"


def test_heads_are_averaged_and_the_readers_place_can_be_chosen():
    layers = [np.random.default_rng(0).dirichlet(np.ones(4), size=4)]
    last = gmask.explain(Attentive(layers), "x", "y", method="attention-rollout", read="last")
    mean = gmask.explain(Attentive(layers), "x", "y", method="attention-rollout", read="mean")
    mixed = (layers[0] + np.eye(4)) / 2
    assert last.attributions[0] == pytest.approx(mixed[3, 1])
    assert mean.attributions[0] == pytest.approx(mixed[:, 1].mean())


@pytest.mark.parametrize(
    ("owners", "causal", "read"),
    [
        ([-1, 0, 1, -1], False, "first"),
        ([0, 1, -1, -1], False, "last"),
        ([0, 1, 2], False, "mean"),
        ([-1, 0], True, "last"),
    ],
)
def test_the_reader_is_found_from_the_special_tokens_and_the_direction_of_attention(owners, causal, read):
    full = np.ones((1, len(owners), len(owners)))
    assert _read_from(np.array(owners), np.tril(full) if causal else full) == read


@pytest.mark.parametrize(("family", "read"), [("bert", "first"), ("xlnet", "last"), ("gpt2", "last")])
def test_families_are_read_where_they_read(family, read):
    e = gmask.explain(gmask.load(tiny(family)), *PAIR, method="attention-rollout")
    assert e.details["read"] == read
    assert all(a > 0 for a in e.attributions)
    assert sum(e.attributions) <= 1 + 1e-6


def test_an_encoder_decoder_refuses():
    with pytest.raises(gmask.GmaskError, match="encoder-decoder"):
        gmask.explain(gmask.load(tiny("t5")), *PAIR, method="attention-rollout")
