"""A model that reads a long text in windows, stretches that overlap: it says what it says of the best, or the mean.

Each window is a text that the model reads whole beside the other text, as its owner would give it. A row is asked of
every window in which words stay, and a window none of whose words went is not read again. Where a pair fits, it is one
window: the pair itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from gmask.errors import GmaskError, any_case, one_of
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Question
from gmask.pair import SIDES, Span, Word, has_words
from gmask.target import find_target, relevant

__all__ = ["WINDOWS", "WindowedModel", "WindowedPair"]

WINDOWS = ("best", "mean")
OVERLAP = 0.25  # of a window's words are in the next one too

Reading = tuple[BoundPair, np.ndarray]  # a window, and for each of its words the position in the whole pair


class WindowedModel(PairModel):
    """A model that reads a text beyond its limit in windows.

    Args:
        inner: A model with a limit.
        windows: What it says of a long text: what it says of the `best` window, the one with the highest score or, of
            labels, the highest probability of the one that means relevant (`best:LABEL` names another), or the `mean`.
    """

    _reproduced = True  # by the model, of each window

    def __init__(self, inner: PairModel, windows: str = "best") -> None:
        if not hasattr(inner, "cut"):
            raise GmaskError(f"of {inner.name} no limit is known; windows are for Hugging Face models and encoders")
        way, _, label = windows.partition(":") if isinstance(windows, str) else (windows, "", "")
        known = any_case(way, WINDOWS)
        if known is None or (label and known == "mean"):
            raise one_of("windows", windows, [*WINDOWS, "best:LABEL"])
        self.windows = known
        self.inner, self.name, self.folder = inner, inner.name, inner.folder
        self.labels, self.raw, self.multilabel = inner.labels, inner.raw, inner.multilabel
        self.removals = inner.removals  # type: ignore[misc]
        self._best = self._index(label or None) if self.windows == "best" else None

    def _index(self, label: str | None) -> int:
        """Which of the outputs is highest in the best window."""
        if self.raw:
            if label is not None:
                raise GmaskError('a raw score has no labels; windows="best" is the window with the highest')
            return 0
        index, _ = find_target(self.labels, raw=False, target=label, against=None)
        index = relevant(self.labels) if index is None else index
        if index is None:
            raise GmaskError(
                f'by which label of {self.name} is a window the best? Name it as windows="best:{self.labels[0]}"; '
                f"labels: {', '.join(self.labels)}"
            )
        return index

    @property
    def usual(self) -> str:
        """That of the model."""
        return self.inner.usual

    @property
    def masks(self) -> bool:  # type: ignore[override]
        """As the model."""
        return self.inner.masks

    @property
    def tolerance(self) -> float:  # type: ignore[override]
        """As the model."""
        return self.inner.tolerance

    @property
    def way(self) -> str:
        """What it says of several windows, as it was asked for."""
        named = self.windows == "best" and not self.raw
        return f"best:{self.labels[self._best or 0]}" if named else self.windows

    @property
    def hash(self) -> str:
        """Of the model and of what it says of several windows."""
        return f"{self.inner.hash}-windows-{self.way}"

    @property
    def identity(self) -> dict[str, Any]:
        """With its windows."""
        return {**self.inner.identity, "hash": self.hash, "windows": self.way}

    def joined(self, outputs: Sequence[np.ndarray]) -> np.ndarray:
        """What is said of several windows, as one."""
        found = np.stack(outputs)
        return np.asarray(found.mean(axis=0) if self._best is None else found[found[:, self._best].argmax()])

    def _about(self) -> str:
        return f"{self.inner._about()}; long texts in windows, {self.way}"

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        texts, spans = (first, second), self._spans((first, second))
        windows = [self.inner.bind(*_cut(texts, window), removal=removal) for window in product(*spans)]
        starts = [tuple(start for start, _ in window) for window in product(*spans)]
        bound = WindowedPair(self, texts, windows, starts, removal)
        bound.warnings += dict.fromkeys(told for window in windows for told in window.warnings)
        if len(windows) > 1:
            bound.warnings.append(self._told(spans))
        return bound

    def _told(self, spans: Sequence[Sequence[Span]]) -> str:
        """That there are windows, and what is made of them, in words."""
        sides = [f"the {SIDES[side]} text is read in {len(own)}" for side, own in enumerate(spans) if len(own) > 1]
        what = "the mean of what it says of them counts"
        if self._best is not None:
            highest = "score" if self.raw else f"probability of “{self.labels[self._best]}”"
            what = f"the one with the highest {highest} counts"
        limit = self.inner.family.limit  # type: ignore[attr-defined]
        return f"{self.name} reads at most {limit} tokens at once: {' and '.join(sides)} windows that overlap; {what}."

    def _spans(self, texts: tuple[str, str]) -> tuple[list[Span], list[Span]]:
        """Where the windows of each text are, which fit beside all of the other text, or beside its windows."""
        return self._along(texts, 0), self._along(texts, 1)

    def _along(self, texts: tuple[str, str], side: int) -> list[Span]:
        """Where the windows of one text are; a stretch of nothing but punctuation is none."""
        text, start, found = texts[side], 0, list[Span]()
        while has_words(text[start:]):
            rest = _cut(texts, [(start if s == side else 0, len(texts[s])) for s in (0, 1)])
            if not self.inner.cut(*rest)[side]:  # type: ignore[attr-defined]
                found.append((start, len(text)))
                break
            bound = self.inner._bind(*rest, self.inner.removals[0])
            read = [word for word in bound.words if word.sentence == side]
            whole = read[:-1] or read  # of the last one the end may be cut off
            found.append((start, start + whole[-1].end))
            following = max(1, round((1 - OVERLAP) * len(whole)))
            start += whole[following].start if following < len(whole) else whole[-1].end
        return [(start, end) for start, end in found if has_words(text[start:end])]

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        asked = [bound.readings(row) for bound, row in questions]  # type: ignore[attr-defined]
        answers = iter(self.inner.answer([reading for own in asked for reading in own], on_rows=lambda _: None))
        said = [[next(answers)[0] for _ in own] for own in asked]
        for (bound, row), own in zip(questions, said, strict=True):
            if self._best is not None and row.all():
                bound.tell_best(int(np.argmax([one[self._best] for one in own])))  # type: ignore[attr-defined]
        on_rows(len(questions))
        return np.stack([self.joined(own) for own in said])


class WindowedPair(BoundPair):
    """A pair and its windows, each bound by itself.

    Args:
        model: What makes one answer of theirs.
        texts: The whole texts.
        windows: The windows, bound.
        starts: For each window, where it begins in the two texts.
        removal: What removing a word means.
    """

    def __init__(
        self,
        model: WindowedModel,
        texts: tuple[str, str],
        windows: Sequence[BoundPair],
        starts: Sequence[tuple[int, ...]],
        removal: str,
    ) -> None:
        places = {
            (w.sentence, w.start + at[w.sentence], w.end + at[w.sentence])
            for window, at in zip(windows, starts, strict=True)
            for w in window.words
        }
        words: list[Word] = []
        for side, start, end in sorted(places):
            if not words or (side, start) >= (words[-1].sentence, words[-1].end):
                words.append(Word(texts[side][start:end], side, start, end))
        super().__init__(model, texts, words, removal)
        self.windows, self._starts = windows, starts

    @cached_property
    def _columns(self) -> list[np.ndarray]:
        """For each window, where its words begin and end among those of the pair, `[2, words]`.

        A word of a window may be several of the pair: where Japanese has no kana, each character is a word.
        """
        known = [(w.sentence, w.start) for w in self.words]
        return [
            np.array(
                [
                    [bisect_right(known, (w.sentence, w.start + at[w.sentence])) - 1 for w in window.words],
                    [bisect_left(known, (w.sentence, w.end + at[w.sentence])) for w in window.words],
                ]
            )
            for window, at in zip(self.windows, self._starts, strict=True)
        ]

    def tell_best(self, number: int) -> None:
        """Say which window is the best, where there are several."""
        long = [side for side in (0, 1) if len({at[side] for at in self._starts}) > 1]
        words = [[w.text for w in self.windows[number].words if w.sentence == side] for side in long]
        told = [f"from “{' '.join(own[:4])}” to “{' '.join(own[-4:])}”" for own in words]
        if told:
            self.warnings.append(f"The best of {len(self.windows)} windows is the one {' and '.join(told)}.")

    def readings(self, row: np.ndarray) -> list[Reading]:
        """What is asked for a row: the windows that have words that stay, of each text that has any at all."""
        gone = np.append(0, np.cumsum(~row))
        kept = [(gone[first] == gone[last])[None] for first, last in self._columns]
        found = list(zip(self.windows, kept, strict=True))
        there = set(self.sentences[row])
        return [(w, own) for w, own in found if set(w.sentences[own[0]]) == there][: None if there else 1]


def _cut(texts: Sequence[str], spans: Sequence[Span]) -> tuple[str, str]:
    """The parts of two texts."""
    first, second = (text[start:end] for text, (start, end) in zip(texts, spans, strict=True))
    return first, second
