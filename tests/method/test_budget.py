"""A budget is never exceeded, whatever the method, the reference, the way of removing words, and whose budget it is."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gmask
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from tests.toys import VOCABULARY

GMASK = [
    {"preset": "paper"},
    {},
    {"preset": "fast"},
    {"adaptive": False},
    {"preset": "thorough"},
    {"k": 12},
    {"k": 3, "screening": 0},
    {"partners": 0},
]
OTHERS = (
    *("anchors", "archipelago", "best-order", "greedy-insertion", "greedy-removal", "kernelshap", "leave-one-out"),
    *("lime", "parallel-local-search", "shapley", "shapley-interactions", "shuffled", "sis"),
)
GIVEN = [("the price of tea", "a house on a hill"), ("what is this", "nobody knows"), ("some other", "and another")]
REFERENCES: list[Any] = ["auto", "empty", "unrelated", GIVEN[0], GIVEN]
REMOVALS = ("delete", "blank", "swap", "delete+blank", "delete+blank+swap")
BUDGETS = (16, 60, 100, 200, 300, 500, 1000, 2000)


@dataclass
class Case:
    """A random pair, a black box that counts what it is asked, and how it is to be explained."""

    pair: tuple[str, str]
    box: Any
    asked: list[tuple[str, str]]
    budget: int
    options: dict[str, Any]

    def explain(self, method: str, *, of_model: bool, **options: Any) -> gmask.Explanation | str:
        """The explanation, or why there is none."""
        model = CallableModel(self.box, labels=["no", "yes"], budget=self.budget if of_model else None)
        own = {} if of_model else {"budget": self.budget}
        try:
            return gmask.explain(model, *self.pair, method=method, **self.options, **own, **options)
        except GmaskError as error:
            return str(error)


def case(seed: int) -> Case:
    """One side is often short, so that rows without a word of it are many; what they share is often all."""
    random = np.random.default_rng(seed)
    lengths = [int(random.integers(1, 16)), int(random.integers(1, 4 if random.random() < 0.4 else 16))]
    texts = [list(map(str, random.choice(VOCABULARY, length))) for length in random.permutation(lengths)]
    if random.random() < 0.3:
        texts[1] = list(map(str, random.choice(texts[0], len(texts[1]))))
    weights = dict(zip(VOCABULARY, random.normal(size=len(VOCABULARY)), strict=True))
    kind, words = int(random.integers(4)), [str(random.choice(text)) for text in texts]

    def says(first: list[str], second: list[str]) -> float:
        if kind == 0:
            return 0.9 if words[0] in first and words[1] in second else 0.1
        if kind == 1:
            return len({*first} & {*second}) / max(1, len({*first} | {*second}))
        if kind == 2:
            score = sum(weights.get(w, 0) for w in first) - sum(weights.get(w, 0) for w in second)
            return float(1 / (1 + np.exp(-score)))
        return zlib.crc32(f"{first}|{second}".encode()) % 997 / 997

    asked: list[tuple[str, str]] = []

    def box(pairs):
        asked.extend(pairs)
        return [says(a.split(), b.split()) for a, b in pairs]

    options = {
        "reference": REFERENCES[int(random.integers(len(REFERENCES)))],
        "removal": str(random.choice(REMOVALS)),
        "seed": int(random.integers(5)),
    }
    return Case((" ".join(texts[0]), " ".join(texts[1])), box, asked, int(random.choice(BUDGETS)), options)


@pytest.mark.parametrize("seed", range(40))
def test_a_models_budget_bounds_all_that_is_asked_for_a_pair(seed):
    for method in ("gmask", OTHERS[seed % len(OTHERS)]):
        own = case(seed)
        own.budget = min(own.budget, 300)
        own.explain(method, of_model=True)
        assert len(own.asked) <= own.budget


# Nearly all candidates are of one text there, and rows without a word of the other cost as many as there are stand-ins.
ONE_SIDED = [108, 251, 259, 303, 307, 364, 380, 396, 484, 485]


@pytest.mark.parametrize("seed", [*range(48), 400, 408, *ONE_SIDED])
def test_a_budget_is_kept_and_planned_for(seed):
    options = GMASK[seed % len(GMASK)]
    own = case(seed)
    found = own.explain("gmask", of_model=False, **options)
    again = 1  # whether the model keeps to its answer, which is no row of anybody's
    assert len(own.asked) <= own.budget + again
    assert isinstance(found, str) or found.rows <= own.budget
    own = case(seed)
    found = own.explain("gmask", of_model=True, **options)
    assert not isinstance(found, str) or "are needed" not in found  # what is begun is not left half done


def test_a_models_budget_bounds_a_difference_of_two_scores():
    own = case(0)
    model = CallableModel(own.box, outputs="score", budget=300)
    ranking = gmask.rank(model, "amber birch cedar", ["amber birch kelp", "delta cedar opal", "kelp"])
    own.asked.clear()
    ranking.why(0, over=1)
    assert len(own.asked) <= 300
