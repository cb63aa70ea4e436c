r"""A table row in the manner of the paper's example tables, the top four words shaded as strongly as they matter."""

from __future__ import annotations

import re

from gmask.explanation import Explanation
from gmask.notes import silent
from gmask.view.parts import SIDES, headline, named, origin, runs, shades, supporting, visible

__all__ = ["PREAMBLE", "escape", "to_latex"]

# A box, not soul's \hl: that one breaks at letters beyond ASCII. Rows are good for both.
PREAMBLE = (
    r"\usepackage{xcolor} "
    r"\newcommand{\hlc}[2][yellow]{\leavevmode{\fboxsep1pt\smash{\colorbox{#1}{\vphantom{Ag}#2}}}}"
)
TOP = 4  # words, as in the paper
COLOURS = ("pink", "cyan", "lime")
NAMES = {name: name.upper() for name in ("gmask", "imask", "lime", "l2x", "iba")}  # as the paper writes them

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\char34{}",
}


def escape(text: str) -> str:
    """Text that LaTeX prints as it is, on one line."""
    plain = " ".join(visible(text).split())
    spaced = f"{' ' * text[:1].isspace()}{plain}{' ' * text[-1:].isspace()}" if plain else " " * bool(text)
    return _apart("".join(_SPECIAL.get(c, c) for c in spaced))


def _apart(text: str) -> str:
    """Keep doubled signs apart: LaTeX makes a dash of two hyphens, and a quotation mark of two commas."""
    return re.sub(r"([-',])(?=\1)", r"\1{}", text)


def to_latex(e: Explanation) -> str:
    """The row, under comments that say what it shows and what it needs."""
    shade = shades(e)
    percent = {i: round(100 * shade[i]) for i in supporting(e)[:TOP] if shade[i]}

    def sentence(number: int) -> str:
        parts = []
        for run in runs(e, number):
            text = escape(run.text)
            if run.word in percent:
                inner = text if run.text.isascii() and run.text.isalnum() else rf"\mbox{{{text}}}"
                text = rf"\hlc[{COLOURS[number]}!{percent[run.word]}]{{{inner}}}"
            parts.append(text)
        return _apart("".join(parts).strip())

    cells = [sentence(number) for number in range(len(e.texts))]
    if not percent:
        cells.append(r"\emph{(no word speaks for it)}" if silent(e) else r"\emph{(it was not found which words do it)}")
    if e.rests_on is not None:
        cells.append(rf"\emph{{(the {SIDES[e.rests_on]} sentence alone is enough)}}")
    if e.over is not None and e.over.turn is not None:
        told = ", ".join(escape(name) for name in named(e, e.over.turn))
        cells.append(rf"\emph{{(without {told} the order turns)}}")
    comment = " ".join(f"{headline(e)}; {origin(e)}".split())
    name = NAMES.get(e.method, escape(e.method))
    return f"% {comment}\n% in the preamble: {PREAMBLE}\n{name} & {' '.join(cells)} \\\\"
