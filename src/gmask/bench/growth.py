"""How what an explanation costs grows with the words of a pair, and with the pairs of a list."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import gmask
from gmask.explainer import Explainer
from gmask.model.base import PairModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WORDS", "grow_pairs", "grow_words", "growth_figure"]

Pair = tuple[str, str]
WORDS = (10, 20, 50, 100, 200, 500, 1000, 2000)
COLOURS = ("#6a3fd0", "#00798c")


def grow_words(counts: Sequence[int] = WORDS, *, seed: int = 0) -> list[tuple[int, int, float]]:
    """Words of a pair, rows, and processor seconds of a black box of no cost: what the package itself takes."""
    found = []
    for count in counts:
        half = count // 2
        first, second = (" ".join(f"{side}{i}" for i in range(half)) for side in "ab")

        def says(pairs: list[Pair], half: int = half) -> list[float]:
            there = [(f"a{half // 2}" in a.split(), f"b{half // 3}" in b.split()) for a, b in pairs]
            return [0.95 if one and two else 0.05 for one, two in there]

        explainer = Explainer(gmask.load(says, labels=["no", "yes"]), seed=seed)
        began = time.process_time()
        e = explainer(first, second)
        found.append((count, e.rows, time.process_time() - began))
    return found


def grow_pairs(model: PairModel, pairs: Sequence[Pair], counts: Sequence[int]) -> list[tuple[int, float]]:
    """How many pairs are explained in one list, and processor seconds a pair."""
    found = []
    for count in counts:
        own = [pairs[i % len(pairs)] for i in range(count)]
        began = time.process_time()
        gmask.explain(model, pairs=own)
        found.append((count, (time.process_time() - began) / count))
    return found


def growth_figure(words: Sequence[tuple[int, int, float]], pairs: Mapping[str, Sequence[tuple[int, float]]]) -> Figure:
    """Rows and processor seconds by the words of a pair, and processor seconds a pair by the length of a list.

    Args:
        words: As `grow_words` finds them.
        pairs: As `grow_pairs` finds them, by the name of the model.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 2.8), layout="constrained")
    rows, seconds, lists = figure.subplots(1, 3)
    counts = [count for count, _, _ in words]
    rows.plot(counts, [asked for _, asked, _ in words], marker="o", color=COLOURS[0])
    rows.set(title="rows a pair", xlabel="words of the pair", ylim=(0, None))
    took = [second for _, _, second in words]
    seconds.plot(counts, took, marker="o", color=COLOURS[0], label="measured")
    straight = [took[-1] * count / counts[-1] for count in counts]
    seconds.plot(counts, straight, linestyle=":", color="#999999", label="in proportion to the words")
    seconds.set(title="processor seconds a pair, without a model", xlabel="words of the pair", ylim=(0, None))
    seconds.legend(frameon=False)
    for colour, (name, found) in zip(COLOURS, pairs.items(), strict=False):
        lists.plot([length for length, _ in found], [own for _, own in found], marker="o", color=colour, label=name)
    lists.set(title="processor seconds a pair", xlabel="pairs of the list", ylim=(0, None))
    lists.legend(frameon=False)
    for axes in (rows, seconds, lists):
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set_fontsize(9)
    return figure
