"""Which patterns to suspect: from what the answers rest on, from what goes with a label, and from small trials.

Only one half of the pairs is looked at; what is suspected here is tested on the other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice

from gmask.audit.asking import Answer, Asker
from gmask.audit.edit import Arms, edit
from gmask.audit.lexicon import is_negation
from gmask.audit.pattern import RELATIONS, Pattern
from gmask.audit.seen import Seen
from gmask.audit.survey import Survey

__all__ = ["Suspect", "screen", "suspicions"]

LEAST = 3  # pairs of the half that have a pattern; a rarer one explains too few
TRIED = {
    "word": 300,
    "pair": 80,
    "overlap": 40,
    "set": 40,
    "opening": 20,
    "absent": 30,
}  # patterns that are tried on a few pairs
TESTED = {"word": 30, "pair": 10, "overlap": 8, "set": 6, "opening": 4, "absent": 6}  # those that go on to the test
TRIALS = 24  # pairs a pattern is tried on
FREQUENT = 0.1  # a word that is missing can only be missed if it stands in so many texts
STANDS_OUT = 0.05  # a probability that moves by less is not worth a test
TABLE = 300_000  # word pairs that are counted; the rarest are forgotten beyond that

Key = tuple[str, tuple[str, ...], tuple[str, ...]]  # of a pattern


@dataclass(frozen=True)
class Suspect:
    """A pattern suspected of causing a label; `moved`: by how much it raised its probability in small trials."""

    pattern: Pattern
    label: int
    moved: float


@dataclass
class _Counts:
    """In how many pairs a pattern stands with each label, and in how many an answer rests on it."""

    labels: Counter[int] = field(default_factory=Counter)
    rests: int = 0

    @property
    def total(self) -> int:
        return self.labels.total()


def suspicions(pairs: Iterable[Seen], again: Iterable[Seen], found: Survey) -> list[Pattern]:
    """The patterns that are worth a try, those of words by how much they go with a label or carry answers.

    Args:
        pairs: The half that suspicions come from.
        again: The same pairs, for a second walk.
        found: What is known of all pairs.
    """
    single: dict[Key, _Counts] = {}
    said: Counter[int] = Counter()
    for seen in pairs:
        said[seen.label] += 1
        for pattern in _singles(seen):
            _count(single, pattern, seen)
    frequent = {key for key, counts in single.items() if counts.total >= LEAST}
    several: dict[Key, _Counts] = {}
    for seen in again:
        for pattern in _several(seen, frequent):
            _count(several, pattern, seen)
        if len(several) > TABLE:
            several = {key: counts for key, counts in several.items() if counts.total > 1 or counts.rests}
    chosen = [p for kind in ("word", "opening") for p in _best(single, said, {}, kind)]
    chosen += [p for kind in ("overlap", "pair", "set") for p in _best(several, said, single, kind)]
    total = sum(said.values())
    often = sorted(
        (k for k in frequent if k[0] == "word" and single[k].total / max(total, 1) >= FREQUENT),
        key=lambda k: (-single[k].total, k),
    )
    chosen += [Pattern("absent", k[1], k[2]) for k in often[: TRIED["absent"]]]
    return [*chosen, *_general(found)]


def screen(patterns: Sequence[Pattern], found: Survey, ask: Asker, labels: int) -> list[Suspect]:
    """Try each pattern on a few pairs; those that move an answer more than their controls go on to the test.

    A word is held against the mean of all words on its side, everything else against its own controls.
    """
    hosts = list(found.hosts[0])
    tried = [(pattern, list(islice(_trials(pattern, hosts, found), TRIALS))) for pattern in patterns]
    asked = [
        pair
        for pattern, trials in tried
        for _, arms in trials
        for pair in (arms.treated, *(() if pattern.kind == "word" else arms.controls))
    ]
    originals = list(dict.fromkeys(host.texts for _, trials in tried for host, _ in trials))
    answers = dict(zip([*originals, *asked], ask([*originals, *asked]), strict=True))
    moves: dict[Pattern, dict[int, float]] = {}
    for pattern, trials in tried:
        for label in range(labels):
            own = [(host, arms) for host, arms in trials if host.label != label]
            if len(own) < LEAST:
                continue
            before = [answers[host.texts] for host, _ in own]
            moved = _rise([answers[arms.treated] for _, arms in own], before, label)
            if pattern.kind != "word":
                count = min(len(arms.controls) for _, arms in own)
                moved -= max(_rise([answers[arms.controls[i]] for _, arms in own], before, label) for i in range(count))
            moves.setdefault(pattern, {})[label] = moved
    for side in (0, 1):  # any word moves an answer somewhat
        own_side = [p for p in moves if p.kind == "word" and p.side == side]
        for label in range(labels):
            there = [moves[p][label] for p in own_side if label in moves[p]]
            usual = sum(there) / len(there) if there else 0.0
            for p in own_side:
                if label in moves[p]:
                    moves[p][label] -= usual
    suspects = [
        Suspect(pattern, label, round(moved, 4))
        for pattern, own in moves.items()
        for label, moved in own.items()
        if moved >= STANDS_OUT
    ]
    return list(_foremost(suspects, found))


def _foremost(suspects: list[Suspect], found: Survey) -> Iterator[Suspect]:
    """Of each kind, those that move most, and those that move much and are frequent."""
    by_moved = sorted(suspects, key=lambda s: (-s.moved, str(s.pattern), s.label))
    by_both = sorted(by_moved, key=lambda s: -s.moved * math.sqrt(_frequency(s.pattern, found)))
    taken: dict[Suspect, None] = {}
    for order, share in ((by_both, 0.5), (by_moved, 1.0)):
        room = Counter(suspect.pattern.kind for suspect in taken)
        for suspect in order:
            kind = suspect.pattern.kind
            if suspect not in taken and room[kind] < share * TESTED.get(kind, 2):
                room[kind] += 1
                taken[suspect] = None
    yield from taken


def _frequency(pattern: Pattern, found: Survey) -> int:
    """In how many texts its rarest word stands."""
    counts = (found.vocabulary.counts[side][word] for side, own in enumerate(pattern.words) for word in own)
    return min(counts, default=1)


def _trials(pattern: Pattern, hosts: Sequence[Seen], found: Survey) -> Iterator[tuple[Seen, Arms]]:
    for host in hosts:
        arms = edit(pattern, host, found.vocabulary)
        if arms is not None:
            yield host, arms


def _rise(after: Sequence[Answer | None], before: Sequence[Answer | None], label: int) -> float:
    """By how much the probability of a label is higher, on average; what the model cannot read does not count."""
    rises = [a.probabilities[label] - b.probabilities[label] for a, b in zip(after, before, strict=True) if a and b]
    return sum(rises) / len(rises) if rises else 0.0


def _singles(seen: Seen) -> Iterator[Pattern]:
    first, second = (dict.fromkeys(text.words) for text in seen.sides)
    yield from (Pattern("word", (word,), ()) for word in first)
    yield from (Pattern("word", (), (word,)) for word in second)
    yield from (Pattern("opening", (word,), ()) for word in seen.sides[0].words[:1])
    yield from (Pattern("opening", (), (word,)) for word in seen.sides[1].words[:1])


def _several(seen: Seen, frequent: set[Key]) -> Iterator[Pattern]:
    first, second = (
        [w for w in dict.fromkeys(text.words) if _of_word(w, side) in frequent] for side, text in enumerate(seen.sides)
    )
    for one in first:
        for other in second:
            yield Pattern("overlap" if one == other else "pair", (one,), (other,))
    for side, own in enumerate((first, second)):
        resting = sorted({seen.sides[side].words[i] for i in seen.resting[side]} & set(own))
        for two in combinations(resting, 2):
            yield Pattern("set", two if side == 0 else (), () if side == 0 else two)


def _of_word(word: str, side: int) -> Key:
    return ("word", (word,), ()) if side == 0 else ("word", (), (word,))


def _count(table: dict[Key, _Counts], pattern: Pattern, seen: Seen) -> None:
    counts = table.setdefault((pattern.kind, pattern.first, pattern.second), _Counts())
    counts.labels[seen.label] += 1
    counts.rests += pattern.carries(seen)


def _best(table: dict[Key, _Counts], said: Counter[int], parts: dict[Key, _Counts], kind: str) -> list[Pattern]:
    """The patterns of a kind that stand out: half of them by what goes with a label, half by what answers rest on."""
    own = {key: counts for key, counts in table.items() if key[0] == kind and counts.total >= LEAST}
    by_label = sorted(own, key=lambda k: (-_stands_out(own[k], k, said, parts), k))
    by_rests = sorted(own, key=lambda k: (-own[k].rests, k))
    half = TRIED[kind] // 2
    chosen = dict.fromkeys([*by_label[:half], *(k for k in by_rests[:half] if own[k].rests)])
    chosen |= dict.fromkeys(by_label[: TRIED[kind]])
    return [Pattern(*key) for key in list(chosen)[: TRIED[kind]]]


def _stands_out(counts: _Counts, key: Key, said: Counter[int], parts: dict[Key, _Counts]) -> float:
    """How far the label it goes with most is more frequent than at large; of several words, than with any one part."""
    total, everything = counts.total, max(said.total(), 1)
    own = [_of_word(w, side) for side in (0, 1) for w in key[1 + side]] if parts else []
    best = -math.inf
    for label, count in counts.labels.items():
        usual = said[label] / everything
        plain = _z(count, total, usual)
        if own:
            shares = [parts[k].labels[label] / parts[k].total for k in own if parts.get(k)]
            plain = plain / 2 + _z(count, total, max([usual, *shares]))
        best = max(best, plain)
    return best


def _z(count: int, total: int, usual: float) -> float:
    return (count - total * usual) / math.sqrt(total * usual * (1 - usual) + 0.25)


def _general(found: Survey) -> list[Pattern]:
    """Negations that stand in the pairs, and the relations of the two texts."""
    general = []
    for side, counts in enumerate(found.vocabulary.counts):
        there = sorted((w for w in counts if is_negation(w)), key=lambda w: (-counts[w], w))[:8]
        if there:
            general.append(Pattern("negation", tuple(there) if side == 0 else (), () if side == 0 else tuple(there)))
    return [*general, *(Pattern(kind) for kind in RELATIONS)]
