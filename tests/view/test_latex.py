from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.view.latex import PREAMBLE, escape, to_latex
from gmask.view.parts import visible
from tests.explanations import TIES, guitar, hostile, make, one_sided, single_words

COMMANDS = {
    r"\textbackslash{}": "\\", r"\textasciicircum{}": "^", r"\textasciitilde{}": "~", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textasciigrave{}": "`", r"\char34{}": '"',
    r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#", r"\%": "%", r"\_": "_", "{}": "",
}  # fmt: skip
PATTERN = re.compile("|".join(re.escape(c) for c in sorted(COMMANDS, key=len, reverse=True)))


def row(e) -> str:
    return to_latex(e).splitlines()[-1]


@given(st.text() | st.text(alphabet="\\{}$&#%_^~<>|`\"'-, a\n"))
def test_escaped_text_reads_back_and_leaves_nothing_special(text):
    escaped = escape(text)
    assert " ".join(PATTERN.sub(lambda m: COMMANDS[m[0]], escaped).split()) == " ".join(visible(text).split())
    assert not re.search(r"[\\{}$&#%_^~<>|`\"\n\x00-\x1f]", PATTERN.sub("", escaped))
    assert not re.search(r"--|''|,,", escaped)


def test_the_row_of_the_paper():
    assert row(guitar()) == (
        r"GMASK & A man playing an electric \hlc[pink!100]{guitar} on \hlc[pink!56]{stage}. "
        r"A man playing \hlc[cyan!95]{banjo} on the \hlc[cyan!65]{floor}. \\"
    )


def test_words_are_shaded_by_their_attribution_not_their_rank():
    e = make("a b", "c d", {(0, "a"): 0.8, (0, "b"): 0.8, (1, "c"): 0.08, (1, "d"): 0.008})
    assert row(e) == r"GMASK & \hlc[pink!100]{a} \hlc[pink!100]{b} \hlc[cyan!10]{c} d \\"


def test_a_prediction_that_rests_on_one_sentence_says_so():
    assert row(one_sided()).endswith(r"\emph{(the second sentence alone is enough)} \\")


def test_only_words_that_speak_for_the_target_are_highlighted():
    e = make("a b", "c d", {(0, "a"): 0.5, (1, "c"): -0.9})
    assert row(e) == r"GMASK & \hlc[pink!100]{a} b c d \\"
    assert row(single_words()).count(r"\hlc") == 4


def test_words_whose_attributions_only_break_ties_are_not_highlighted():
    e = make("a b", "c d", TIES)
    same = {"kept": (e.value,) * 4, "removed": (e.value,) * 4, "emptied": (e.value,) * 2, "nothing": e.value}
    flat = replace(e, evidence=replace(e.evidence, **same))
    assert row(flat) == r"GMASK & a b c d \emph{(no word speaks for it)} \\"
    assert row(e) == r"GMASK & a b c d \emph{(it was not found which words do it)} \\"  # its evidence rises


def test_words_that_would_break_a_highlight_are_boxed():
    e = make("naïve 50%", "x", {(0, "naïve"): 0.9, (0, "50%"): 0.8})
    assert r"\hlc[pink!100]{\mbox{naïve}} \hlc[pink!89]{\mbox{50\%}} x" in row(e)


def test_doubled_hyphens_across_words_stay_hyphens():
    assert "a -{}- b" in row(make("a -- b", "c"))


def test_hostile_text_stays_in_its_cell_and_out_of_the_comments():
    *comments, last = to_latex(hostile()).split("\n")
    assert len(comments) == 2
    assert all(line.startswith("% ") for line in comments)
    assert last.count("&") - last.count(r"\&") == 1
    assert last.startswith(r"my\_method & ")
    assert r"end\{document\}" in last
    assert r"\end{" not in last.replace(r"\textbackslash{}", "")


def test_the_preamble_comes_along():
    assert PREAMBLE in to_latex(guitar())
    assert r"\newcommand{\hlc}" in PREAMBLE


@pytest.mark.parametrize("method", ["lime", "imask"])
def test_methods_of_the_paper_are_written_as_there(method):
    assert row(guitar(method=method)).startswith(f"{method.upper()} & ")
