"""Explanations made by hand, for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gmask.explanation import Evidence, Explanation, Group, Rival
from gmask.pair import Word, segment

LABELS = ("entailment", "neutral", "contradiction")
TIES = {(0, "a"): 2e-6, (0, "b"): 1e-6, (1, "c"): -2e-6}  # words of "a b" and "c d" in an order that says nothing


def make(
    first: str,
    second: str,
    attributions: dict[tuple[int, str], float] | None = None,
    groups: Sequence[tuple[float, dict[tuple[int, str], float], float, float]] = (),
    **changes: Any,
) -> Explanation:
    """An explanation made by hand; words are named by sentence and text (the first such word)."""
    texts = (first, second, *([changes["over"].text] if "over" in changes else []))
    words = tuple(Word(t[s:e], i, s, e) for i, t in enumerate(texts) for s, e in segment(t))

    def column(named: dict[tuple[int, str], float]) -> tuple[float, ...]:
        numbers = [0.0] * len(words)
        for (sentence, text), value in named.items():
            numbers[next(i for i, w in enumerate(words) if (w.sentence, w.text) == (sentence, text))] = value
        return tuple(numbers)

    count = min(10, len(words))
    fields: dict[str, Any] = {
        "first": first,
        "second": second,
        "words": words,
        "attributions": column(attributions or {}),
        "groups": tuple(Group(i, column(m), kept, removed) for i, m, kept, removed in groups),
        "labels": LABELS,
        "probabilities": (0.004, 0.012, 0.984),
        "label": "contradiction",
        "probability": 0.984,
        "target": "contradiction",
        "against": None,
        "value": 0.984,
        "score": None,
        "evidence": Evidence(
            kept=(0.61, 0.9, 0.95, 0.97, 0.97, 0.98, 0.98, 0.98, 0.98, 0.98)[:count],
            removed=(0.44, 0.21, 0.12, 0.08, 0.05, 0.04, 0.04, 0.03, 0.03, 0.03)[:count],
            emptied=(0.31, 0.22),
            survives=(False, False),
            nothing=0.28,
        ),
        "method": "gmask",
        "settings": {"preset": "reasons", "k": 8},
        "removal": "drop",
        "model": "nli",
        "seed": 0,
        "rows": 728,
        "seconds": 2.4,
        "versions": {"gmask": "0.1.0"},
    }
    return Explanation(**{**fields, **changes})


def guitar(**changes: Any) -> Explanation:
    return make(
        "A man playing an electric guitar on stage.",
        "A man playing banjo on the floor.",
        {(0, "guitar"): 0.93, (1, "banjo"): 0.88, (0, "electric"): 0.41, (0, "stage"): 0.52, (1, "floor"): 0.6},
        [
            (0.93, {(0, "electric"): 0.55, (0, "guitar"): 0.97, (1, "banjo"): 0.94, (1, "floor"): 0.04}, 0.93, 0.35),
            (0.58, {(0, "stage"): 0.9, (1, "floor"): 0.95, (0, "electric"): 0.25}, 0.71, 0.62),
        ],
        **changes,
    )


def one_sided() -> Explanation:
    evidence = guitar().evidence
    return guitar(
        evidence=replace(evidence, survives=(True, False), exchanged=(0.97, 0.22), survival=(1.0, 0.0), anyway=1 / 3)
    )


def contrast() -> Explanation:
    return guitar(target="neutral", against="contradiction", value=0.012)


def raw_score() -> Explanation:
    return make(
        "how tall is the eiffel tower",
        "The Eiffel Tower is 330 metres tall.",
        {(0, "tall"): 0.7, (1, "metres"): 0.66, (0, "eiffel"): 0.3, (1, "Eiffel"): 0.35},
        [
            (0.7, {(0, "tall"): 0.9, (1, "metres"): 0.95}, -3.1, -6.4),
            (0.35, {(0, "eiffel"): 0.8, (1, "Eiffel"): 0.9}, -5.2, -4.1),
        ],
        labels=("low", "high"),
        probabilities=(),
        label="high",
        probability=0.9,
        target="high",
        value=-2.314,
        score=-2.314,
        evidence=Evidence(
            kept=(-6.1, -4.0, -2.9, -2.4, -2.3, -2.3, -2.3, -2.3, -2.3, -2.3),
            removed=(-4.4, -6.2, -6.9, -7.1, -7.2, -7.2, -7.2, -7.2, -7.2, -7.2),
            emptied=(-5.0, -6.0),
            survives=(False, False),
            nothing=-7.251,
        ),
        model="reranker",
    )


def rivals() -> Explanation:
    """Why one passage stands above another."""
    e = raw_score()
    return make(
        "how tall is the eiffel tower",
        "The Eiffel Tower is 330 metres tall.",
        {(0, "tall"): 0.7, (1, "metres"): 0.66, (1, "Eiffel"): 0.35, (2, "tall"): -0.4, (2, "Burj"): 0.2},
        [(0.7, {(0, "tall"): 0.9, (1, "metres"): 0.95, (2, "Burj"): 0.6}, 2.1, -0.4)],
        over=Rival(
            text="The Burj Khalifa is a tall tower <b>in Dubai</b>.",
            names=("passage 7", "passage <b>\x1b[31m"),
            scores=(3.25, 1.125),
            turn=(4, 11),
            turned=(0.5, 0.501),
        ),
        **{name: getattr(e, name) for name in ("labels", "probabilities", "label", "probability", "target")},
        value=2.125,
        score=2.125,
        evidence=replace(e.evidence, nothing=0.0),
        model="reranker, the difference of two scores",
    )


def cjk() -> Explanation:
    return make(
        "一个男人在舞台上弹电吉他。",
        "一个男人在地板上弹班卓琴。",
        {(0, "舞"): 0.8, (0, "台"): 0.5, (1, "地"): 0.7, (1, "板"): 0.9, (0, "吉"): 0.3},
        [(0.8, {(0, "舞"): 0.9, (0, "台"): 0.8, (1, "地"): 0.9, (1, "板"): 0.9}, 0.8, 0.2)],
    )


def one_word() -> Explanation:
    return make("Yes", "No", {(1, "No"): 0.9, (0, "Yes"): 0.8}, [(1.0, {(0, "Yes"): 1.0, (1, "No"): 1.0}, 0.98, 0.28)])


def long() -> Explanation:
    return make(
        "Amrozi accused his brother, whom he called “the witness”, of deliberately distorting his evidence; the "
        "lawyer said on Tuesday that these documents are indecipherable to him and the fact is that this "
        "investigation has led nowhere, he told reporters in Denpasar.",
        "Referring to him as only “the witness”, Amrozi accused his brother of deliberately distorting his evidence, "
        "and lawyers for the family said on Tuesday the fact is that this investigation has led nowhere at all, "
        "according to two people who were present.",
        {
            (0, "accused"): 0.7, (0, "investigation"): 0.9, (0, "nowhere"): 0.5, (0, "distorting"): 0.62,
            (1, "accused"): 0.71, (1, "investigation"): 0.88, (1, "nowhere"): 0.6, (1, "distorting"): 0.3,
        },
        [
            (0.9, {(0, "investigation"): 0.95, (1, "investigation"): 0.96, (0, "nowhere"): 0.8, (1, "nowhere"): 0.9},
             0.84, 0.4),
            (0.6, {(0, "accused"): 0.9, (1, "accused"): 0.95, (0, "distorting"): 0.7, (1, "distorting"): 0.3},
             0.6, 0.7),
            (0.2, {(0, "lawyer"): 0.6, (1, "lawyers"): 0.66}, 0.4, 0.95),
        ],
        labels=("nonparaphrases", "paraphrases"),
        probabilities=(0.03, 0.97),
        label="paraphrases",
        target="paraphrases",
        probability=0.97,
        value=0.97,
        warnings=("The second sentence was cut after 40 words: the model reads at most 64 tokens.",),
    )  # fmt: skip


def single_words() -> Explanation:
    """A method without groups, some of whose attributions are negative."""
    e = guitar()
    numbers = tuple(0.3 * (-1) ** i / (i + 1) for i in range(len(e.words)))
    return replace(e, groups=(), method="leave-one-out", attributions=numbers)


def twins() -> Explanation:
    """Words that stand in both sentences, one of them on either side of the question, by a method without groups."""
    return make(
        "The dog sees the cat.",
        "A cat sees a dog run.",
        {(0, "dog"): 0.5, (1, "dog"): 0.4, (0, "cat"): 0.3, (1, "run"): 0.2, (1, "cat"): -0.3, (1, "sees"): -0.2},
    )


def passage() -> Explanation:
    """A passage of three hundred words, one of which matters, and a sentence."""
    words = [f"w{i}" for i in range(300)]
    return make(" ".join(words), "It is so.", {(0, "w150"): 0.9, (1, "so"): 0.8})


def hostile() -> Explanation:
    return make(
        "<script>alert('1')</script> \"quoted\" & $x_1$ 100% \\end{document} \x1b[31mred\x07 שלום עולם",
        "&amp; 👩‍👩‍👧 \u202eevil ]]> <img src=x onerror=alert(1)> " + "Donaudampfschiff" * 12,
        {(0, "script"): 1.0, (0, "alert"): 0.6, (1, "👩‍👩‍👧"): 0.8, (1, "evil"): 0.7, (0, "שלום"): 0.5,
         (0, "$"): 0.9, (0, "\\"): 0.95, (1, "Donaudampfschiff" * 12): 0.65},
        [(0.9, {(0, "script"): 0.9, (1, "evil"): 0.9, (1, "Donaudampfschiff" * 12): 0.9, (0, "\\"): 0.8}, 0.5, 0.5)],
        labels=("<b>no</b>", 'a"b', "y\nes\x1b[0m%"),
        label="y\nes\x1b[0m%",
        target="y\nes\x1b[0m%",
        against="<b>no</b>",
        model="</style><script>x</script>",
        method="my_method",
        warnings=("<script>alert(2)</script>",),
    )  # fmt: skip


ALL = {
    f.__name__: f for f in (guitar, one_sided, contrast, raw_score, rivals, cjk, one_word, long, single_words, hostile)
}  # fmt: skip
