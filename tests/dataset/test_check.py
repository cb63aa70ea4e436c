from __future__ import annotations

import pytest

from gmask.dataset.check import check
from gmask.errors import GmaskError

CONTENT = "sentence1\tsentence2\tlabel\na\tb\t1\na\t\t0\na\tb\t7\nonly\nc\td\t0\ne\tf\t-1\n"


def test_every_problem_of_every_split_is_told(tmp_path):
    folder = tmp_path / "mrpc"
    folder.mkdir()
    (folder / "train.tsv").write_text(CONTENT)
    (folder / "dev.tsv").write_text("wrong\theader\nx\ty\n")
    problems: list[GmaskError] = []
    train, dev = check(folder, problems.append)
    assert [(p.line, p.column) for p in problems] == [(3, "sentence2"), (4, "label"), (5, None), (1, None)]
    assert (train.pairs, train.problems, dev.pairs, dev.problems) == (3, 3, 0, 1)
    assert train.labels == {"paraphrase": 1, "not paraphrase": 1, "no label": 1}


def test_a_good_file_has_no_problems(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a", "text_pair": "b", "label": "x", "h1": [0], "h2": []}\n')
    [findings] = check(tmp_path / "a.jsonl", pytest.fail)
    assert (findings.pairs, findings.highlighted, findings.problems) == (1, 1, 0)


def test_only_files_can_be_checked(tmp_path):
    with pytest.raises(GmaskError, match="no such file or folder"):
        check(tmp_path / "none", pytest.fail)
    with pytest.raises(GmaskError, match="only files can be checked"):
        check("hub:snli", pytest.fail)
