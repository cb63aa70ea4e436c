"""Black boxes for studies: cheap, without chance, and found by name as `python:tests.study.boxes:words`."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.metric.obvious import WORDS, hash_of, pick


def words(pairs):
    """How many words the two texts share, as a probability."""
    shared = [(set(a.split()), set(b.split())) for a, b in pairs]
    return [0.05 + 0.9 * len(a & b) / max(1, min(len(a), len(b))) for a, b in shared]


words.labels = ["different", "same"]


class Box:
    """The same as a thing that remembers what it was asked."""

    def __init__(self):
        self.seen = []

    def __call__(self, pairs):
        self.seen.extend(pairs)
        return words(pairs)


def slow(pairs):
    """The same, taking its time."""
    time.sleep(0.002)
    return words(pairs)


def flaky(pairs):
    """The same, but it fails when asked about the word `bad`."""
    if any("bad" in f"{a} {b}".split() for a, b in pairs):
        raise RuntimeError("backend 500")
    return words(pairs)


def deadly(pairs):
    """The same, but it kills its process, for each file it still finds in the folder `DEADLY`."""
    for file in sorted(Path(os.environ["DEADLY"]).glob("*")):
        if any(file.name in f"{a} {b}".split() for a, b in pairs):
            file.unlink()
            os.kill(os.getpid(), 9)
    return words(pairs)


def some(count):
    """Pairs of three to eight words, no two the same."""
    return [
        (f"p{i} " + " ".join([*WORDS[2 * (i % 3) :][:2], *pick(i, 1 + i % 3)]), " ".join([*pick(i + 1, 1), *WORDS[:4]]))
        for i in range(count)
    ]


def write_tsv(path, pairs):
    rows = [f"{a}\t{b}\t{hash_of(a) % 2}" for a, b in pairs]
    path.write_text("\n".join(["sentence1\tsentence2\tlabel", *rows]) + "\n", encoding="utf-8")
    return path
