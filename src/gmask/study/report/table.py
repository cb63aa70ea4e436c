"""A table that can be written as Markdown, LaTeX, HTML and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Entry", "Table"]


@dataclass(frozen=True)
class Entry:
    """A text in a table; a number if it is to stand to the right."""

    text: str
    best: bool = False
    number: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under a header, in blocks with a line between; notes below."""

    name: str
    title: str
    header: tuple[str, ...]
    blocks: Sequence[Sequence[Sequence[Entry]]]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> list[Sequence[Entry]]:
        """All rows."""
        return [row for block in self.blocks for row in block]

    def to_markdown(self) -> str:
        """A heading, the table, the notes."""
        right = [any(row[i].number for row in self.rows) for i in range(len(self.header))]
        lines = [_line(self.header), _line("---:" if r else "---" for r in right)]
        lines += [_line(f"**{e.text}**" if e.best else _escape_markdown(e.text) for e in row) for row in self.rows]
        return "\n\n".join([f"## {self.title}", "\n".join(lines), *self.notes]) + "\n"

    def to_latex(self) -> str:
        """A table in the manner of the paper, for the package booktabs."""
        columns = "".join("r" if any(row[i].number for row in self.rows) else "l" for i in range(len(self.header)))
        blocks = [
            "\n".join(
                " & ".join(rf"\textbf{{{_tex(e.text)}}}" if e.best else _tex(e.text) for e in row) + r" \\"
                for row in block
            )
            for block in self.blocks
        ]
        caption = " ".join([f"{self.title}.", *self.notes])
        return "\n".join(
            [
                r"\begin{table*}",
                r"\centering\small",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                " & ".join(map(_tex, self.header)) + r" \\",
                r"\midrule",
                "\n\\midrule\n".join(blocks),
                r"\bottomrule",
                r"\end{tabular}",
                rf"\caption{{{_tex(caption)}}}",
                rf"\label{{tab:{self.name}}}",
                r"\end{table*}",
                "",
            ]
        )

    def to_html(self) -> str:
        """A table element with its title and notes."""
        head = "".join(f"<th scope=col>{escape(name)}</th>" for name in self.header)
        body = "".join(
            "<tbody>" + "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in block) + "</tbody>"
            for block in self.blocks
        )
        notes = "".join(f"<p class=note>{escape(note)}</p>" for note in self.notes)
        return (
            f"<h2 id={self.name}>{escape(self.title)}</h2><div class=wide><table><thead><tr>{head}</tr></thead>{body}"
            f"</table></div>{notes}"
        )

    def to_csv(self) -> str:
        """The header and the rows."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([e.text for e in row] for row in self.rows)
        return out.getvalue()


def _line(texts: object) -> str:
    return "| " + " | ".join(texts) + " |"  # type: ignore[arg-type]


def _cell(entry: Entry) -> str:
    kinds = " ".join(name for name, on in (("number", entry.number), ("best", entry.best)) if on)
    named = f' class="{kinds}"' if kinds else ""
    return f"<td{named}>{escape(entry.text)}</td>"


def _escape_markdown(text: str) -> str:
    return text.replace("|", "\\|")


def _tex(text: str) -> str:
    text = re.sub(r"([&%$#_{}])", r"\\\1", text)
    return text.replace("−", "$-$").replace("†", r"$\dagger$").replace("’", "'")
