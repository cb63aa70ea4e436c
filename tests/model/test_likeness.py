"""How alike encodings are, by hand."""

from __future__ import annotations

import pytest
import torch

from gmask.errors import GmaskError
from gmask.model.likeness import find_likeness

ONE, OTHER = torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])


@pytest.mark.parametrize(
    ("name", "expected"), [("cosine", 0.8), ("dot", 8.0), ("euclidean", -(13**0.5)), ("manhattan", -5.0)]
)
def test_of_two_vectors(name, expected):
    assert find_likeness(name)(ONE, OTHER).item() == pytest.approx(expected)


def test_of_texts_with_a_vector_a_token_those_of_zero_have_no_say():
    first = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]])
    second = torch.tensor([[[-0.5, -0.5], [-1.0, -0.2], [0.0, 0.0]]])
    assert find_likeness("maxsim")(first, second).item() == pytest.approx(-0.7)
    assert find_likeness("meanmaxsim")(first, second).item() == pytest.approx(-0.35)


def test_of_a_text_without_vectors_nothing():
    nothing, something = torch.zeros(1, 2, 2), torch.ones(1, 1, 2)
    assert find_likeness("maxsim")(nothing, something).item() == 0
    assert find_likeness("maxsim")(something, nothing).item() == 0


def test_an_unknown_one_is_refused():
    with pytest.raises(GmaskError, match="cosine"):
        find_likeness("jaccard")
