"""The test of a suspicion: the pattern is brought about in pairs that had no part in raising it, beside controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from gmask.audit.asking import Answer, Asker
from gmask.audit.edit import Arms, Pair, edit
from gmask.audit.pattern import Pattern
from gmask.audit.seen import Seen
from gmask.audit.significance import RATE, discoveries, tail
from gmask.audit.vocabulary import Vocabulary

__all__ = ["ENOUGH", "MATTERS", "Proof", "Trial", "correct", "prove"]

ENOUGH = 20  # pairs; with fewer nothing is tested
MATTERS = 0.1  # a cause turns at least so many answers more than its control does


@dataclass(frozen=True)
class Trial:
    """One pair, and what the model said of it with the pattern brought about, and with each control."""

    host: Seen
    treated: Pair
    controls: tuple[Pair, ...]
    answer: Answer
    answers: tuple[Answer, ...]  # to the controls


@dataclass(frozen=True)
class Proof:
    """How often bringing a pattern about turned answers into a label.

    Attributes:
        pattern: What was brought about.
        label: The label it was suspected of.
        trials: All that was tried.
        p: The chance of so many without a cause, by the control that does best.
        q: The false discovery rate, among all that was tested.
    """

    pattern: Pattern
    label: int
    trials: tuple[Trial, ...]
    p: float = 1.0
    q: float = 1.0

    @property
    def turns(self) -> list[bool]:
        """Whether each answer was turned."""
        return [trial.answer.label == self.label for trial in self.trials]

    @property
    def turned(self) -> float:
        """The share that was turned."""
        return sum(self.turns) / len(self.trials) if self.trials else 0.0

    @property
    def control(self) -> float:
        """The share that the control turned; of several, the one that turned most."""
        return max((sum(own) / len(own) for own in self.by_control if own), default=0.0)

    @property
    def by_control(self) -> list[list[bool]]:
        """For each control, whether it turned each answer."""
        count = len(self.trials[0].controls) if self.trials else 0
        return [[trial.answers[i].label == self.label for trial in self.trials] for i in range(count)]

    @property
    def effect(self) -> float:
        """By how much more it turned."""
        return self.turned - self.control

    @property
    def gain(self) -> float:
        """By how much more it turned than a control with none of its words."""
        without = self.by_control[-1] if self.pattern.together and self.trials else []
        return self.turned - sum(without) / len(without) if without else self.effect

    @property
    def alone(self) -> tuple[float, ...]:
        """Of two words that are put in together, the share that each turned by itself, in the same pairs."""
        if not self.pattern.together or not self.trials:
            return ()
        without_first, without_second, *_ = (sum(own) / len(own) for own in self.by_control)
        return without_second, without_first

    @property
    def enough(self) -> bool:
        """Whether there were pairs enough to test anything."""
        return len(self.trials) >= ENOUGH

    @property
    def holds(self) -> bool:
        """Whether it is a cause."""
        return self.enough and self.q <= RATE and self.effect >= MATTERS

    @property
    def counts(self) -> dict[str, Any]:
        """All that its numbers are made of."""
        turns = self.turns
        return {
            "hosts": len(turns),
            "turned": sum(turns),
            "controls": [sum(own) for own in self.by_control],
            "only": [sum(a > b for a, b in zip(turns, own, strict=True)) for own in self.by_control],
            "less": [sum(a < b for a, b in zip(turns, own, strict=True)) for own in self.by_control],
        }

    def tested(self) -> Proof:
        """With its p."""
        counts = self.counts
        p = max((tail(only, less) for only, less in zip(counts["only"], counts["less"], strict=True)), default=1.0)
        return replace(self, p=p)


def prove(
    wanted: Iterable[tuple[Pattern, int]], hosts: Sequence[Seen], vocabulary: Vocabulary, ask: Asker, count: int
) -> list[Proof]:
    """Bring patterns about in up to so many pairs each, whose answer is another one than the label, and count."""
    planned: list[tuple[Pattern, int, list[tuple[Seen, Arms]]]] = []
    for pattern, label in wanted:
        edits = ((host, edit(pattern, host, vocabulary)) for host in hosts if host.label != label)
        planned.append((pattern, label, list(islice(((h, arms) for h, arms in edits if arms is not None), count))))
    pairs = [p for _, _, own in planned for _, arms in own for p in (arms.treated, *arms.controls)]
    answers = dict(zip(pairs, ask(pairs), strict=True))
    return [
        Proof(pattern, label, tuple(t for h, arms in own if (t := _trial(h, arms, answers)))).tested()
        for pattern, label, own in planned
    ]


def correct(proofs: Sequence[Proof]) -> list[Proof]:
    """The proofs with the false discovery rate of each; what had too few pairs was no test."""
    tested = [proof for proof in proofs if proof.enough]
    rates = iter(discoveries([proof.p for proof in tested]))
    return [replace(proof, q=next(rates)) if proof.enough else proof for proof in proofs]


def _trial(host: Seen, arms: Arms, answers: dict[Pair, Answer | None]) -> Trial | None:
    """What the model cannot read is no trial."""
    answer, controls = answers[arms.treated], [answers[pair] for pair in arms.controls]
    read = [own for own in controls if own is not None]
    if answer is None or len(read) < len(controls):
        return None
    return Trial(host, arms.treated, arms.controls, answer, tuple(read))
