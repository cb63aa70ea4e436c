"""Pairs whose reasons are known, because they were planted: does a method find them?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Question
from gmask.pair import Word, segment

if TYPE_CHECKING:
    import torch

__all__ = ["RULES", "Case", "Found", "PlantedModel", "cases", "find_planted"]

Literal = tuple[int, str]  # a word of the first (0) or the second (1) sentence
Rule = tuple[Literal, ...]  # words that must all be there

VOCABULARY = tuple(
    a + b for a in ("ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu") for b in ("kal", "mir", "non")
)
DIMENSIONS = 32  # of a word's vector: at least as many as there are words
LENGTH = 8  # words a sentence

# From the words of the first and the second sentence, in random order, to the rules of which any one makes a yes.
RULES: dict[str, Callable[[list[str], list[str]], list[Rule]]] = {
    "A": lambda a, _: [((0, a[0]),)],
    "A and B": lambda a, b: [((0, a[0]), (1, b[0]))],
    "(A and B) or (C and D)": lambda a, b: [((0, a[0]), (1, b[0])), ((0, a[1]), (1, b[1]))],
}


@dataclass(frozen=True)
class Case:
    """A pair and the rules that make it a yes."""

    first: str
    second: str
    rules: tuple[Rule, ...]

    @property
    def words(self) -> set[Literal]:
        """All planted words."""
        return {literal for rule in self.rules for literal in rule}


def cases(rule: str, count: int, seed: int = 0) -> Iterator[Case]:
    """Random pairs with a planted rule."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        a, b = ([str(w) for w in random.choice(VOCABULARY, LENGTH, replace=False)] for _ in range(2))
        rules = RULES[rule]([str(w) for w in random.permutation(a)], [str(w) for w in random.permutation(b)])
        yield Case(" ".join(a), " ".join(b), tuple(rules))


class PlantedModel(PairModel):
    """Says yes if all words of any one rule are there, as a smooth function of word embeddings, read by attention.

    Words of the vocabulary have orthogonal vectors, any others random ones. Tokens are attended to by their likeness to
    the planted words of their sentence; how much of each planted word the attention gathers says whether it is there.
    """

    name = "planted"
    labels = ("no", "yes")
    differentiable: ClassVar[bool] = True
    removals: ClassVar[tuple[str, ...]] = ("drop",)
    reads: ClassVar[bool] = False

    def __init__(self, rules: Sequence[Rule], *, sharpness: float = 4.0) -> None:
        self.rules = tuple(rules)
        self.sharpness = sharpness
        basis, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(DIMENSIONS, DIMENSIONS)))
        self.vectors = dict(zip(VOCABULARY, basis, strict=False))
        self.literals = sorted({literal for rule in rules for literal in rule})

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        words = [Word(t[s:e], i, s, e) for i, t in enumerate((first, second)) for s, e in segment(t)]
        return BoundPair(self, (first, second), words, removal)

    def _likeness(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:
        """How much each token is each planted word, `[m, tokens, literals]`; nothing in the other sentence."""
        import torch

        planted = torch.from_numpy(np.array([self.vectors[word] for _, word in self.literals]))
        sides = torch.tensor([side for side, _ in self.literals])
        same_side = torch.from_numpy(bound.sentences)[:, None] == sides
        likeness: torch.Tensor = (embeddings @ planted.T) * same_side
        return likeness

    def _outputs(self, bound: BoundPair, embeddings: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        import torch

        likeness = self._likeness(bound, embeddings)
        attention = (self.sharpness * likeness.amax(dim=2)).masked_fill(~kept, -1e9).softmax(dim=1) * kept
        there = torch.tanh(8 * len(self.literals) * (attention[..., None] * likeness).sum(dim=1))
        place = {literal: i for i, literal in enumerate(self.literals)}
        missed = torch.ones(len(embeddings)).to(embeddings)
        for rule in self.rules:
            missed = missed * (1 - there[:, [place[literal] for literal in rule]].prod(dim=1))
        yes = torch.sigmoid(6 * (1 - missed) - 3)
        return torch.stack([1 - yes, yes], dim=1)

    def _soft(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        return self._outputs(bound, self._embed(bound) * weights[..., None], weights != 0)

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        import torch

        outputs = np.empty((len(questions), 2))
        by_pair: dict[int, list[int]] = {}
        for i, (bound, _) in enumerate(questions):
            by_pair.setdefault(id(bound), []).append(i)
        for places in by_pair.values():
            kept = torch.from_numpy(np.stack([questions[i][1] for i in places])).double()
            outputs[places] = self._soft(questions[places[0]][0], kept).numpy()
            on_rows(len(places))
        return outputs.round(6)

    def _token_words(self, bound: BoundPair) -> np.ndarray:
        return np.arange(len(bound.words))

    def _embed(self, bound: BoundPair) -> torch.Tensor:
        import torch

        return torch.from_numpy(np.array([self._vector(w.text) for w in bound.words]))

    def _vector(self, word: str) -> np.ndarray:
        if word not in self.vectors:
            self.vectors[word] = np.random.default_rng(list(word.encode())).normal(size=DIMENSIONS) / DIMENSIONS**0.5
        return self.vectors[word]

    def _from_embeddings(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:
        return self._outputs(bound, embeddings, embeddings.new_ones(embeddings.shape[:2]).bool())

    def _attentions(self, bound: BoundPair) -> torch.Tensor:
        weights = (self.sharpness * self._likeness(bound, self._embed(bound)).amax(dim=1)).softmax(dim=0)
        return weights.expand(1, 1, len(weights), len(weights))


@dataclass(frozen=True)
class Found:
    """In what share of the cases the planted words were on top, and the groups were exactly the rules."""

    on_top: float
    as_groups: float
    rows: float


def find_planted(method: str | Method, rule: str, count: int = 100, seed: int = 0) -> Found:
    """Let a method explain pairs with a planted rule."""
    explained = [(c, _explain(method, c, seed + i)) for i, c in enumerate(cases(rule, count, seed))]
    return Found(
        float(np.mean([_named(e, e.order()[: len(c.words)]) == c.words for c, e in explained])),
        float(
            np.mean(
                [
                    {frozenset(_named(e, g.members)) for g in e.groups} == set(map(frozenset, c.rules))
                    for c, e in explained
                ]
            )
        ),
        float(np.mean([e.rows + e.details.get("gradient_rows", 0) for _, e in explained])),
    )


def _explain(method: str | Method, case: Case, seed: int) -> Explanation:
    return Explainer(PlantedModel(case.rules), method, seed=seed)(case.first, case.second)


def _named(e: Explanation, positions: Sequence[int]) -> set[Literal]:
    return {(e.words[i].sentence, e.words[i].text) for i in positions}
