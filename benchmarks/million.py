"""A file of a million pairs through `gmask batch` with a trivial black box: how long, and how much memory.

    python benchmarks/million.py [PAIRS] [FOLDER]

The folder (default: a temporary one) needs about 1.3 GB for a million pairs. Killed and started again with the same
folder, it goes on where it stopped.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from gmask.model.callable import CallableModel
from gmask.study import batch


def shared_words(pairs):
    """The black box: the share of words that both texts have."""
    found = []
    for first, second in pairs:
        one, other = set(first.split()), set(second.split())
        found.append(len(one & other) / max(1, len(one | other)))
    return found


def memory():
    """The most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)
        source, output = folder / f"{pairs}.tsv", folder / f"{pairs}.jsonl"
        if not source.exists():
            with source.open("w", encoding="utf-8") as file:
                file.write("sentence1\tsentence2\n")
                file.writelines(f"a man plays tune {i}\ta man hears tune {i % 7}\n" for i in range(pairs))
        model = CallableModel(shared_words)
        batch(model, ((f"a {i}", "a b") for i in range(1000)), folder / "warm.jsonl", method="random")
        before, began, worked = memory(), time.monotonic(), time.process_time()
        tally = batch(model, source, output, method="random", progress=True)
        seconds, worked = time.monotonic() - began, time.process_time() - worked
        print(
            f"{tally.explained:,} pairs in {seconds / 60:.1f} min ({worked / 60:.1f} min of one processor), "
            f"{output.stat().st_size / 1e9:.2f} GB written, memory {before:.0f} MB after 1,000 pairs, "
            f"{memory():.0f} MB at the end"
        )


if __name__ == "__main__":
    main()
