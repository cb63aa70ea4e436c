"""Known causes by people: a pair and its revision differ in a word or two, and the model's answer follows.

Both pairs have one sentence in common, and the model answers both as their labels, which differ, say. So the words that
differ are a cause of what it says of either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from gmask.bench.cause import Cause
from gmask.dataset.example import Example
from gmask.model.base import PairModel
from gmask.pair import Word
from gmask.study.saying import same_label, says

__all__ = ["edits"]

MOST = 2  # words that differ in a sentence
SIDES = ("first sentence", "second sentence")


def edits(model: PairModel, groups: Iterable[Sequence[Example]]) -> Iterator[list[Cause]]:
    """The causes in each group of pairs, those of fewest words first, and of these the later ones."""
    for group in groups:
        said = says(model, [(e.first, e.second) for e in group])
        followed = [(e, label) for e, label in zip(group, said, strict=True) if same_label(label, str(e.label))]
        words = [model.bind(e.first, e.second).words for e, _ in followed]
        found = []
        for one, other in combinations(range(len(followed)), 2):
            if followed[one][1] != followed[other][1]:
                for place, changed in zip((one, other), _differing(words[one], words[other]), strict=True):
                    if changed:
                        example, label = followed[place]
                        kind = SIDES[words[place][changed[0]].sentence]
                        found.append((len(changed), -place, Cause(example.first, example.second, label, changed, kind)))
        yield [cause for *_, cause in sorted(found, key=lambda f: f[:2])]


def _differing(*pair: Sequence[Word]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For two pairs the positions of words that are not in the other one: none unless they differ in one sentence only.

    Case and punctuation make no difference.
    """
    found: tuple[list[int], list[int]] = ([], [])
    for side in (0, 1):
        places = [[i for i, w in enumerate(words) if w.sentence == side and _spoken(w)] for words in pair]
        texts = [[words[i].text.casefold() for i in own] for words, own in zip(pair, places, strict=True)]
        for kind, *ends in SequenceMatcher(None, texts[0], texts[1], autojunk=False).get_opcodes():
            if kind != "equal":
                found[0].extend(places[0][ends[0] : ends[1]])
                found[1].extend(places[1][ends[2] : ends[3]])
    sides = {words[i].sentence for words, own in zip(pair, found, strict=True) for i in own}
    small = len(sides) == 1 and max(map(len, found)) <= MOST
    return (tuple(found[0]), tuple(found[1])) if small else ((), ())


def _spoken(word: Word) -> bool:
    return any(c.isalnum() for c in word.text)
