"""The metrics once more, written from their formulas, slowly and without anything of the package's own."""

from __future__ import annotations

import math

WORDS = "amber birch cedar delta ember fjord grove heron indigo jasper kelp lotus maple nectar".split()


def noise(pairs):
    """A black box with two classes that no method can see through: any change of words changes the answer."""
    return [0.02 + 0.96 * ((hash_of(f"{a} | {b}") % 9973) / 9973) for a, b in pairs]


def hash_of(text):
    value = 7
    for c in text:
        value = (value * 131 + ord(c)) % 2_147_483_647
    return value


def pairs(count, lengths=((3, 4), (6, 7), (9, 2), (5, 5), (1, 1), (8, 9))):
    """Pairs of words without punctuation, short ones and long ones."""
    found = []
    for i in range(count):
        first, second = lengths[i % len(lengths)]
        found.append((" ".join(pick(i, first)), " ".join(pick(i + 50, second))))
    return found


def pick(seed, length):
    return [WORDS[hash_of(f"{seed} {k}") % len(WORDS)] for k in range(length)]


class Pair:
    """One pair, the black box's class for it, and an order of its words, as positions in both sentences together.

    In the place of a sentence that is wholly gone stands nothing, or each of other texts, and answers are averaged.
    """

    def __init__(self, function, first, second, order, others=()):
        self.function, self.others = function, others
        self.first, self.second, self.order = first.split(), second.split(), list(order)
        self.n = len(self.order)
        self.yes = self.ask(range(self.n)) >= 0.5  # the second of two classes, unless the first is as likely

    def ask(self, kept):
        """The probability of the second class with only these words."""
        kept = set(kept)
        first = [w for i, w in enumerate(self.first) if i in kept]
        second = [w for i, w in enumerate(self.second) if i + len(self.first) in kept]
        asked = [(" ".join(first), " ".join(second))]
        if self.others and not (first and second):
            turned = [*self.others[1:], self.others[0]]
            asked = [
                (" ".join(first) or one, " ".join(second) or (other if first else strange))
                for (one, other), (_, strange) in zip(self.others, turned, strict=True)
            ]
        return mean(self.function(asked))

    def p(self, kept):
        """The probability of the class the black box gives the whole pair."""
        return self.ask(kept) if self.yes else 1 - self.ask(kept)

    def without_top(self, count):
        return self.p(set(range(self.n)) - set(self.order[:count]))

    def only_top(self, count):
        return self.p(self.order[:count])


def aopc(found):
    total = 0
    for pair in found:
        for u in range(1, 11):
            total += pair.without_top(0) - pair.without_top(u)
    return total / len(found) / 11


def post_hoc_accuracy(found, v):
    same = 0
    for pair in found:
        says_yes = pair.ask(pair.order[:v]) > 0.5
        same += says_yes == pair.yes
    return same / len(found)


def at_share(values, share):
    """A curve's height at a share of its length, on the straight line between the two points around it."""
    place = share * (len(values) - 1)
    low = math.floor(place + 1e-9)
    if low + 1 >= len(values):
        return values[-1]
    return values[low] + (values[low + 1] - values[low]) * (place - low)


def degradation(found):
    morf, lerf = [], []
    for percent in range(101):
        high = low = 0
        for pair in found:
            high += at_share([pair.without_top(u) for u in range(pair.n + 1)], percent / 100)
            low += at_share([pair.only_top(pair.n - u) for u in range(pair.n + 1)], percent / 100)
        morf.append(high / len(found))
        lerf.append(low / len(found))
    full, none = morf[0], morf[-1]
    score = 0
    for i in range(100):
        gaps = [((lerf[j] - none) - (morf[j] - none)) / (full - none) for j in (i, i + 1)]
        score += (gaps[0] + gaps[1]) / 2 / 100
    return score


def bins(pair):
    return [math.ceil(k / 100 * pair.n - 1e-9) for k in (1, 5, 10, 20, 50)]


def comprehensiveness(found):
    return mean(mean(pair.without_top(0) - pair.without_top(c) for c in bins(pair)) for pair in found)


def sufficiency(found):
    return mean(mean(pair.without_top(0) - pair.only_top(c) for c in bins(pair)) for pair in found)


def log_odds(found):
    return mean(math.log(pair.without_top(bins(pair)[3]) / pair.without_top(0)) for pair in found)


def mean(values):
    values = list(values)
    return sum(values) / len(values)
