"""Whether methods recover planted groups: the words, their groups, how much each group matters, and the sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from gmask.bench.boxes import KINDS, Box, BoxModel, boxes
from gmask.explainer import Explainer
from gmask.explanation import Explanation, Group
from gmask.jaccard import jaccard, match
from gmask.method.base import Method, create

__all__ = ["HEADS", "METHODS", "Recovery", "recover", "recovery", "story", "table"]

METHODS = ("gmask", "gmask:preset=paper", "gmask:preset=fast", "archipelago", "shapley-interactions")
HEADS = ("adjusted Rand index", "match", "exactly", "top words", "average precision", "tau", "one-sided", "rows")
REPORTED = 0.05  # groups below this importance do not matter by the method's own account


@dataclass(frozen=True)
class Recovery:
    """How much of a box an explanation tells. Numbers that do not apply to the box are NaN.

    Attributes:
        rand: Adjusted Rand index of the reported groups and the reasons, over all words; words in none are one cluster.
        match: How like the reasons the groups are: the Jaccard index of each with the most like of the others, averaged
            over reasons, over groups, and of both. (The Rand index is high as soon as the planted words are found.)
        exact: Whether the groups are just the reasons.
        top: Share of the planted words among as many top words.
        precision: Average precision of the order of the words.
        tau: Kendall's tau of the importances, over the pairs of reasons of different strength.
        one_sided: Whether a box with planted words in one sentence has reported groups in that sentence only.
        rows: What the model was asked.
    """

    rand: float
    match: float
    exact: float
    top: float
    precision: float
    tau: float
    one_sided: float
    rows: float


def recover(method: str | Method, kind: str, count: int = 100, seed: int = 0) -> Iterator[tuple[Box, Explanation]]:
    """Let a method explain random boxes of a kind."""
    chosen = create(method)
    for number, box in enumerate(boxes(kind, count, seed)):
        first, second = (" ".join(sentence) for sentence in box.sentences)
        yield box, Explainer(BoxModel(box), chosen, seed=seed + number)(first, second)


def recovery(box: Box, e: Explanation) -> Recovery:
    """Hold an explanation against what was planted."""
    from sklearn.metrics import adjusted_rand_score, average_precision_score

    n, planted = len(e.words), box.words
    groups = [g for g in e.groups if g.members and g.importance >= REPORTED]
    reasons = [reason for reason, _ in box.reasons]
    true = _clusters(n, reasons)
    found = _clusters(n, [g.members for g in groups])
    likeness = jaccard(reasons, [g.members for g in groups])
    side = box.side
    sides = {e.words[i].sentence for g in groups for i in g.members}
    return Recovery(
        float(adjusted_rand_score(true, found)),
        match(likeness),
        float({frozenset(g.members) for g in groups} == {frozenset(reason) for reason in reasons}),
        len(set(e.order()[: len(planted)]) & set(planted)) / len(planted),
        float(average_precision_score(np.isin(np.arange(n), planted), e.attributions)),
        _tau(np.array([strength for _, strength in box.reasons]), likeness, groups),
        float("nan") if side is None else float(sides == {side}),
        float(e.rows),
    )


def _clusters(n: int, groups: Sequence[Sequence[int]]) -> np.ndarray:
    """For each word the number of its group, of several the first; all words in none are cluster 0.

    Were each of them a cluster of its own, an explanation without groups would be perfect for an OR.
    """
    clusters = np.zeros(n, dtype=int)
    for number, members in reversed(list(enumerate(groups, start=1))):
        clusters[list(members)] = number
    return clusters


def _tau(strengths: np.ndarray, likeness: np.ndarray, groups: Sequence[Group]) -> float:
    """Of the pairs of reasons of different strength, the share in the right order minus the share in the wrong one.

    A reason has the importance of the group that is most like it, or none if no group has a word of it.
    """
    importances = [groups[int(like.argmax())].importance if like.any() else 0.0 for like in likeness]
    true = np.sign(strengths[:, None] - strengths)
    found = np.sign(np.subtract.outer(importances, importances))
    pairs = np.abs(true).sum()
    return float((true * found).sum() / pairs) if pairs else float("nan")


def table(name: str, scores: dict[str, list[Recovery]]) -> str:
    """The lines of one method: means by kind, and the mean of the kinds."""
    means = {kind: _mean([astuple(r) for r in scores[kind]]) for kind in KINDS if kind in scores}
    lines = [_line(name, kind, len(scores[kind]), mean) for kind, mean in means.items()]
    return "\n".join([*lines, _line(name, "all", sum(map(len, scores.values())), _mean(list(means.values())))])


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of each column over the rows that have a number there."""
    columns = [[x for x in column if not np.isnan(x)] for column in zip(*rows, strict=True)]
    return [float(np.mean(column)) if column else float("nan") for column in columns]


def _line(name: str, kind: str, count: int, mean: Sequence[float]) -> str:
    *shares, rows = mean
    cells = ["" if np.isnan(x) else f"{x:.3f}" for x in shares]
    return f"| {name} | {kind} | {count} | {' | '.join(cells)} | {rows:.0f} |"


def story(box: Box, e: Explanation) -> str:
    """What was planted and what was found, in one line for people; a word is followed by its sentence."""

    def named(words: Sequence[int]) -> str:
        return " ".join(f"{e.words[i].text}/{e.words[i].sentence + 1}" for i in words)

    planted = ", ".join(f"{g.rule} {g.strength:.1f} ({named(g.words)})" for g in box.groups)
    found = ", ".join(f"{g.importance:.2f} ({named(g.members)})" for g in e.groups)
    missed = sorted(set(box.words) - set(e.details.get("candidates", box.words)))
    return f"planted {planted}; found {found or 'nothing'}" + (f"; no candidates: {named(missed)}" if missed else "")
