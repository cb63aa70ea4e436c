"""What every view shows, before it is drawn: texts cut at their words, shades, reasons, and the words for them."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gmask.explanation import FLOOR, Explanation, Group, Sentence
from gmask.notes import apart, number, sides
from gmask.pair import SIDES
from gmask.target import DIRECTIONS

__all__ = [
    "LINKED",
    "MARKED",
    "SIDES",
    "Reason",
    "Run",
    "apart",
    "classes",
    "gist",
    "headline",
    "is_long",
    "measure",
    "named",
    "number",
    "opposing",
    "origin",
    "phrase",
    "proof",
    "question",
    "ranked_sentences",
    "reasons",
    "runs",
    "shades",
    "sides",
    "stretches",
    "supporting",
    "visible",
]

MARKED = 0.05  # a word is marked if its attribution is at least this share of the strongest
OPPOSING = -0.1  # and named as speaking against the target below this share
LINKED = 0.2  # memberships below this are not drawn
LONG = 60  # words of a sentence
NEAR = 4  # words on either side of a marked one that its gist shows
SATURATED = 0.995  # probabilities above this differ in their log-odds only
CLASSES = 6  # of many classes, only the likeliest are shown

_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@dataclass(frozen=True)
class Run:
    """A stretch of a sentence as typed: a word, by its position in the explanation, or what stands between words."""

    text: str
    word: int | None = None
    left_out: bool = False  # the text only tells how many words stand there


@dataclass(frozen=True)
class Reason:
    """A group as people read it. `sure` is whether its words more likely than not belong to it."""

    position: int
    group: Group
    words: tuple[tuple[int, ...], ...]  # of each text
    share: float  # of the strongest importance
    sure: bool

    @property
    def rank(self) -> int:
        """1 for the most important."""
        return self.position + 1


def visible(text: str) -> str:
    """A text without characters that steer a terminal, turn the reading direction, or have no place in XML."""
    return "".join(_visible(c) for c in text.replace("\r\n", "\n"))


def _visible(c: str) -> str:
    if c in "\n\t":
        return c
    code, category = ord(c), unicodedata.category(c)
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of the control character
    return "\ufffd" if category in ("Cc", "Cs") or c in _BIDI or code & 0xFFFE == 0xFFFE else c


def runs(e: Explanation, sentence: int) -> list[Run]:
    """A sentence cut at its words; the texts of the runs, joined, are the sentence as typed."""
    text, found, position = e.texts[sentence], [], 0
    for i, word in enumerate(e.words):
        if word.sentence != sentence:
            continue
        if word.start > position:
            found.append(Run(text[position : word.start]))
        found.append(Run(text[word.start : word.end], i))
        position = word.end
    return [*found, Run(text[position:])] if position < len(text) else found


def gist(e: Explanation, sentence: int, marked: Collection[int]) -> list[Run]:
    """A sentence cut at its words; if it is long, what stands far from marked words is told as so many words."""
    if not is_long(e, sentence):
        return runs(e, sentence)
    here = [i for i in marked if e.words[i].sentence == sentence]
    near = {i + step for i in here for step in range(-NEAR, NEAR + 1)}
    stretches: list[tuple[bool, list[Run]]] = []
    shown = True
    for run in runs(e, sentence):
        shown = shown if run.word is None else run.word in near
        if not stretches or stretches[-1][0] != shown:
            stretches.append((shown, []))
        stretches[-1][1].append(run)
    found = []
    for shown, stretch in stretches:
        words = sum(run.word is not None for run in stretch)
        found += stretch if shown or words <= NEAR else [Run(f"… {words} words … ", left_out=True)]
    return found


def stretches(e: Explanation, cut: Sequence[Run]) -> list[tuple[Sentence | None, list[Run]]]:
    """Runs of a text by the sentence of a long text that they stand in; None between sentences, and in short texts."""
    found: list[tuple[Sentence | None, list[Run]]] = []
    for place, run in enumerate(cut):
        after = next((later for later in cut[place:] if later.word is not None or later.left_out), run)
        sentence = None if after.word is None else _sentence_of(e, after.word)
        if run.word is None and (not found or found[-1][0] is not sentence):
            sentence = None
        if found and found[-1][0] is sentence:
            found[-1][1].append(run)
        else:
            found.append((sentence, [run]))
    return found


def _sentence_of(e: Explanation, word: int) -> Sentence | None:
    w = e.words[word]
    return next((s for s in e.sentences if s.sentence == w.sentence and s.start <= w.start < s.end), None)


def ranked_sentences(e: Explanation) -> list[Sentence]:
    """The sentences of a long text: those that decide, then the others, each that does most first."""
    toward = -1 if e.score is not None and e.target == DIRECTIONS[0] else 1
    return sorted(e.sentences, key=lambda s: (not s.decisive, toward * (s.removed - s.kept)))


def is_long(e: Explanation, sentence: int) -> bool:
    """Whether a sentence is a passage rather."""
    return sum(word.sentence == sentence for word in e.words) > LONG


def shades(e: Explanation) -> list[float]:
    """For each word, how strongly it is marked: its attribution as a share of the strongest, 0 if that is little."""
    strongest = max((*e.attributions, 0.0))
    least = max(MARKED * strongest, FLOOR)
    return [a / strongest if a >= least else 0.0 for a in e.attributions]


def supporting(e: Explanation) -> list[int]:
    """The words that speak for the target, strongest first."""
    return [i for i in e.order() if e.attributions[i] >= FLOOR]


def opposing(e: Explanation) -> list[int]:
    """The words that speak against the target, strongest first."""
    strongest = max((abs(a) for a in e.attributions), default=0.0)
    return [i for i in reversed(e.order()) if e.attributions[i] < min(OPPOSING * strongest, -FLOOR)]


def reasons(e: Explanation) -> list[Reason]:
    """The groups that have words, most important first."""
    strongest = max((g.importance for g in e.groups), default=0.0) or 1.0
    found = []
    for position, group in enumerate(e.groups):
        words = group.members or tuple(i for i, m in enumerate(group.memberships) if m >= LINKED)
        if words:
            sides = tuple(tuple(i for i in words if e.words[i].sentence == s) for s in range(len(e.texts)))
            share = min(max(group.importance / strongest, 0.0), 1.0)
            found.append(Reason(position, group, sides, share, bool(group.members)))
    return found


def phrase(e: Explanation, words: Sequence[int]) -> str:
    """Words of one sentence as they stand there; what is left out between them becomes an ellipsis."""
    text = ""
    for before, i in zip((None, *words), words, strict=False):
        word = e.words[i]
        if before is not None:
            sentence = e.texts[word.sentence]
            text += sentence[e.words[before].end : word.start] if i == before + 1 else " … "
        text += word.text
    return " ".join(visible(text).split())


def named(e: Explanation, words: Sequence[int], written: Callable[[str], str] = visible) -> list[str]:
    """Words as a list names them; one that is in the list from several sentences says which it is from."""
    found, names = [e.words[i] for i in words], sides(e)
    texts = Counter(text for text, _ in {(w.text, w.sentence) for w in found})
    return [written(w.text) + (f" ({names[w.sentence]})" if texts[w.text] > 1 else "") for w in found]


def headline(e: Explanation) -> str:
    """What the model said."""
    if e.over is not None:
        told = zip(e.over.names, apart(*e.over.scores), strict=True)
        return visible(", ".join(f"{name}: {score}" for name, score in told))
    if e.score is not None:
        return f"score {number(e.score)}"
    return f"{visible(e.label)} {number(e.probability)}"


def question(e: Explanation) -> str:
    """What the explanation answers."""
    if e.over is not None:
        one, other = map(visible, e.over.names)
        return f"Why does {one} stand {'above' if e.target == DIRECTIONS[1] else 'below'} {other}?"
    if e.score is not None:
        return f"Why is the score {e.target}?"
    if e.against is not None:
        return f"Why “{visible(e.target)}” rather than “{visible(e.against)}”?"
    return f"Why “{visible(e.target)}”?"


def measure(e: Explanation) -> str:
    """What the numbers of the evidence are, and what the answer is held against."""
    left = "pair" if e.over is None else "texts"
    ends = f"{number(e.value)} with all words, {number(e.evidence.nothing)} with nothing of the {left} left"
    told = f"{ends}. Held against {visible(str(e.reference))}."
    if e.over is not None:
        return f"Difference of the scores: {told}"
    if e.score is not None:
        return f"Score: {told}"
    if e.against is not None:
        return f"Share of “{visible(e.target)}” against “{visible(e.against)}”: {told}"
    if max(e.value, e.evidence.nothing) > SATURATED:
        told += f" In log-odds: {_odds(e.value)} and {_odds(e.evidence.nothing)}."
    return f"Probability of “{visible(e.target)}”: {told}"


def _odds(p: float) -> str:
    """A probability as log-odds, which still tell 0.999 from 0.99."""
    q = min(max(p, 1e-6), 1 - 1e-6)
    return number(math.log(q / (1 - q)))


def classes(e: Explanation) -> list[tuple[str, float]]:
    """The classes and their probabilities, likeliest first; of many only some, but always those asked about."""
    ranked = sorted(zip(e.labels, e.probabilities, strict=False), key=lambda pair: -pair[1])
    return [(visible(n), p) for i, (n, p) in enumerate(ranked) if i < CLASSES or n in (e.target, e.against)]


def proof(group: Group) -> str:
    """What removing words shows of a group."""
    if group.kept is None or group.removed is None:
        return ""
    return f"alone keeps {number(group.kept)}; without it {number(group.removed)}"


def origin(e: Explanation) -> str:
    """How the explanation was made."""
    rows = f"{e.rows:,} rows"
    if e.seconds is not None:
        rows += f" in {e.seconds:.1f} s" if e.seconds >= 0.1 else f" in {1000 * e.seconds:.0f} ms"
    return visible(f"{e.method} on {e.model} · {rows} · removal: {e.removal} · seed {e.seed}")
