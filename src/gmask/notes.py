"""What a reader must know before trusting an explanation, in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gmask.explanation import FLOOR
from gmask.pair import SIDES
from gmask.target import DIRECTIONS

if TYPE_CHECKING:
    from gmask.explanation import Explanation

__all__ = ["apart", "notes", "number", "sides", "silent"]

HUGE = 1e6
SMALL = 0.05  # a change of a raw score that is less than this share of what its words can do
MOVES = 1e-3  # a word that changes the value by less does nothing
STANDS = 0.8  # an answer that keeps this share of its value stands
RIVALS = ("query", "passage", "other")  # of the difference of two scores
OTHERWISE, SHOWN = 3, 120  # sentences that are quoted, and characters of them
CARRIED = 0.5  # words that get no further on the way to the answer do not carry it


def notes(e: Explanation) -> list[str]:
    """The notes that every view shows: rests on one sentence, weak evidence, another class asked for, warnings."""
    found = [*_one_sentence(e), *(_weak_evidence(e) if e.holds else [])]
    if max(e.attributions, default=0.0) < FLOOR:
        found.append(_no_word(e))
    if e.multilabel:
        if not e.holds and e.against is None:
            found.append(f"The model does not say “{e.target}” ({e.value:.2f}, below 0.5).")
    elif e.target != e.label and e.score is None:
        found.append(f"The model says “{e.label}”; this explains “{e.target}”, which was asked for.")
    return [*_unfinished(e), *_turn(e), *_next_to_nothing(e), *found, *_sentences(e), *_stability(e), *e.warnings]


def sides(e: Explanation) -> tuple[str, ...]:
    """What each text is called, in a word."""
    return SIDES[:2] if e.over is None else RIVALS


def _turn(e: Explanation) -> list[str]:
    """What would turn the order of two texts beside the same first one."""
    if e.over is None:
        return []
    if e.over.turn is None or e.over.turned is None:
        return ["No words were found that, deleted from the texts, turn the order."]
    named = [
        f"{', '.join(f'“{e.words[i].text}”' for i in own)} in the {place}"
        for side, place in enumerate(RIVALS)
        if (own := [i for i in e.over.turn if e.words[i].sentence == side])
    ]
    one, other = apart(*e.over.turned)
    turn = "turns" if len(e.over.turn) == 1 else "turn"
    return [f"Deleted from the texts, {' and '.join(named)} {turn} the order: {one} against {other}."]


def _unfinished(e: Explanation) -> list[str]:
    rows = e.details.get("unfinished")
    return [] if rows is None else [f"This is not final: it is what {rows:,} model rows show so far."]


def _next_to_nothing(e: Explanation) -> list[str]:
    """A raw score that is that of the reference, while some words move it far: others make up for that."""
    scores = e.details.get("scores")
    if e.score is None or not scores:
        return []
    low, high, nothing = scores["lowest"], scores["highest"], e.evidence.nothing
    if abs(e.score - nothing) >= SMALL * (high - low):
        return []
    told = [f"{score:.3g}".replace("-", "−") for score in (e.score, nothing, low, high)]
    if e.over is not None:
        return ["The difference is {0}, but {2} to {3} with some of the words: the two are close.".format(*told)]
    return [
        "The score is {} with all words and {} with nothing of the pair, but {} to {} with some of them: "
        "what is explained is next to nothing.".format(*told)
    ]


def _one_sentence(e: Explanation) -> list[str]:
    """Answers that survive when a sentence is exchanged for other real ones, and are not there anyway."""
    exchanged = e.evidence.exchanged
    gone = [i for i in (0, 1) if e.evidence.survives[i] and exchanged is not None]
    values = [f"{number(exchanged[i])} on average" for i in gone if exchanged is not None]
    if not e.holds:
        return [
            f"With the {SIDES[i]} sentence exchanged for others, {_says(e, 'would')} ({value})."
            for i, value in zip(gone, values, strict=True)
        ]
    if len(gone) == 2:
        told = " and ".join(values)
        return [f"Even with either sentence exchanged for others, {_says(e)} ({told}): it does not need both."]
    return [
        f"Even with the {SIDES[i]} sentence exchanged for others, {_says(e)} ({value}): the {SIDES[1 - i]} sentence "
        "alone is enough."
        for i, value in zip(gone, values, strict=True)
    ]


def _sentences(e: Explanation) -> list[str]:
    """Of a long text: whether any sentence decides, says otherwise by itself, and which words were asked about."""
    if not e.sentences:
        return []
    found = []
    texts = " or the ".join(SIDES[side] for side in sorted({s.sentence for s in e.sentences}))
    best = max(e.sentences, key=lambda s: _share(e, s.kept))
    least = min(e.sentences, key=lambda s: _share(e, s.removed))
    if e.holds and e.score is None and e.evidence.anyway == 1:
        others = [s for s in e.sentences if s.says not in (None, e.target)]
        found += [f"By itself a sentence says “{s.says}”: “{_short(s.text)}”" for s in others[:OTHERWISE]]
        rest = "no other sentence" if others else "no sentence"
        found.append(
            f"Unrelated texts get “{e.target}” too, and {rest} of the {texts} text says anything else by itself."
        )
    elif _share(e, least.removed) > STANDS:
        alone = sum(_share(e, s.kept) > STANDS for s in e.sentences)
        more = "more" if e.value >= e.evidence.nothing else "less"
        told = f"{alone} give it by themselves" if alone else f"none gives {more} than {number(best.kept)} by itself"
        found.append(
            f"No sentence of the {texts} text is missed: without any one of them it stands at {number(least.removed)} "
            f"or {more}, and {told}."
        )
    decisive = sum(s.decisive for s in e.sentences)
    told = f"{decisive} of {len(e.sentences)} sentences decide{'s' * (decisive == 1)}"
    return [*found, f"{told}; only their words, and those of the other text, were asked about one by one."]


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"


def silent(e: Explanation) -> bool:
    """Whether nothing that was seen says that any word speaks for it."""
    values, toward = _seen(e), -1 if e.score is not None and e.target == DIRECTIONS[0] else 1
    ways = [toward * value for value in values]
    return max(ways) <= toward * e.evidence.nothing + MOVES and min(ways) >= toward * e.value - MOVES


def _seen(e: Explanation) -> list[float]:
    """All values that are known."""
    evidence = e.evidence
    groups = [value for g in e.groups for value in (g.kept, g.removed) if value is not None]
    values = [e.value, evidence.nothing, *evidence.kept, *evidence.removed, *evidence.emptied, *groups]
    return [*values, *e.details.get("seen" if e.score is None else "scores", {}).values()]


def _no_word(e: Explanation) -> str:
    """That no word speaks for it, where nothing that was seen says otherwise: else, that it is not known which."""
    if silent(e):
        return "No word speaks for it."
    values = _seen(e)
    return (
        f"Words do speak for it ({min(values):.2f} to {max(values):.2f} with some of them, {e.evidence.nothing:.2f} "
        f"with none), but {e.method} did not find which: give it more rows, or ask another method."
    )


def _says(e: Explanation, mood: str = "still") -> str:
    s = "" if mood == "would" else "s"
    if e.score is not None:
        return f"the score {mood} count{s} as {e.target}"
    if e.against is not None:
        return f"“{e.target}” {mood} beat{s} “{e.against}”"
    return f"the model {mood} say{s} “{e.target}”"


def _stability(e: Explanation) -> list[str]:
    said = {
        "seed_stability": "{:.0%} of the top words stay with other seeds",
        "change_stability": "{:.0%} after changes that should not matter",
        "group_stability": "the groups are {:.0%} alike",
    }
    found = e.details.get("stability", {})
    parts = [text.format(found[name]) for name, text in said.items() if name in found]
    return [f"Stability: {', '.join(parts)}."] if parts else []


def _weak_evidence(e: Explanation) -> list[str]:
    """Words that neither carry the answer alone nor are missed."""
    kept, removed, nothing = e.evidence.kept, e.evidence.removed, e.evidence.nothing
    # An answer may stand with nothing left and yet fall with a few words gone: then the words do add to it.
    gone = (*removed, *e.evidence.emptied, *(g.removed for g in e.groups if g.removed is not None))
    habit = e.score is None and min(nothing, *gone) > STANDS * e.value
    if habit:
        return [f"With nothing of the pair left it stands at {number(nothing)} already: the words add little."]
    found = []
    if kept and max(map(partial(_share, e), kept)) < CARRIED:
        best = max(kept, key=partial(_share, e))
        found.append(f"The top {len(kept)} words alone keep at most {number(best)}: it takes more words than these.")
    alone = [g.kept for g in e.groups if g.kept is not None]
    if alone and not found and max(map(partial(_share, e), alone)) < CARRIED:
        best = max(alone, key=partial(_share, e))
        found.append(
            f"No reason alone keeps more than {number(best)}, though the top words do: "
            f"with these {e.rows:,} rows no better one was found."
        )
    if removed and min(map(partial(_share, e), removed)) > STANDS:
        told = f"Without the top {len(removed)} words it still stands at {number(removed[-1])}: others carry it too."
        found.append(told)
    return found


def _share(e: Explanation, value: float) -> float:
    """How far a value is on the way from nothing to everything; all the way, where there is no way to go."""
    way = e.value - e.evidence.nothing
    return (value - e.evidence.nothing) / way if way else 1.0


def apart(one: float, other: float) -> list[str]:
    """Two numbers with two decimals, or as many more as tell them apart."""
    told = [[f"{value + 0.0:.{digits}f}".replace("-", "−") for value in (one, other)] for digits in range(2, 7)]
    return next((both for both in told if both[0] != both[1]), told[0])


def number(value: float) -> str:
    """A number with two decimals, never a negative zero; a huge one with as many digits as say something."""
    if abs(value) >= HUGE:
        return f"{value:.3g}".replace("-", "−")
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
