"""Write the figures of a study into README.md and the pages of this folder, from its tables in docs/results.

    python docs/make_tables.py [--check]

The tables of docs/results are made of the study's records by `gmask report`. A table stands on a page between marks,

    <!-- table results/averages.csv
    gmask -> **gmask**
    -->
    ...
    <!-- end of table -->

with the rows named there, or all, the best first, each perhaps under another name; `plain` behind the file leaves out
the distances. A figure in a sentence stands between `<!-- is results/aopc.csv | DAttn | gmask | e-SNLI -->` and
`<!-- -->`: a file, the first cells of a row, and the name of a column. With `--check` nothing is written, and pages
that do not agree are told.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parent
PAGES = (DOCS.parent / "README.md", *sorted(DOCS.glob("*.md")))
TABLE = re.compile(r"(<!-- table (\S+)( plain)?\n(.*?)-->\n).*?(<!-- end of table -->)", re.DOTALL)
FIGURE = re.compile(r"(<!-- is ([^>]*?) -->)(.*?)(<!-- -->)", re.DOTALL)
ROWS = "Model rows"
HEADS = {"Post-hoc accuracy": "post-hoc accuracy", "Degradation score": "degradation", ROWS: "model rows"}
NO_RIVALS = ("best-order", "optimal", "shuffled")


def filled(text: str) -> str:
    """A page with the figures that its marks ask for."""
    text = TABLE.sub(lambda m: m[1] + _table(m[2], m[4], distances=m[3] is None) + m[5], text)
    return FIGURE.sub(lambda m: m[1] + _figure(*(part.strip() for part in m[2].split("|"))) + m[4], text)


def _table(name: str, wanted: str, *, distances: bool) -> str:
    header, *rows = _read(name)
    names = dict(line.partition(" -> ")[::2] for line in wanted.splitlines())
    known = {row[0]: row for row in rows}
    if lost := [method for method in names if method not in known]:
        raise SystemExit(f"{name} has no row {', '.join(lost)}")
    shown = sorted((known[method] for method in names or known), key=lambda row: -_number(row[1]))
    best = [max(_number(r[i]) for r in rows if r[0].partition(":")[0] not in NO_RIVALS) for i in range(1, len(header))]
    lines = [_line(HEADS.get(c := column.removesuffix(" (mean)"), c) for column in header), "|---" * len(header) + "|"]
    for row in shown:
        cells = [names.get(row[0]) or row[0]]
        for column, cell, most in zip(header[1:], row[1:], best, strict=True):
            value, _, rest = cell.partition(" ")
            first = column != ROWS and _number(value) == most
            told = f"{_number(value):,.0f}" if column == ROWS else f"**{_sign(value)}**" if first else _sign(value)
            cells.append(f"{told} {_sign(rest)}" if rest and distances else told)
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def _figure(name: str, *place: str) -> str:
    header, *rows = _read(name)
    *cells, column = place
    found = [row for row in rows if row[: len(cells)] == cells]
    if len(found) != 1 or column not in header:
        raise SystemExit(f"{name} has no single figure {' | '.join(place)}")
    return _sign(found[0][header.index(column)].split()[0])


def _read(name: str) -> list[list[str]]:
    with (DOCS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _number(cell: str) -> float:
    return float(cell.split(maxsplit=1)[0])


def _sign(text: str) -> str:
    return text.replace("-", "−")


def _line(cells: object) -> str:
    return f"| {' | '.join(cells)} |"  # type: ignore[call-overload]


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or tell which do not agree with the records."""
    stale = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (made := filled(text)) != text:
            stale.append(page.name)
            if "--check" not in arguments:
                page.write_text(made, encoding="utf-8")
    print(f"{'other than the records' if '--check' in arguments else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
