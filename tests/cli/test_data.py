"""`gmask data`: the corpora, their statistics, what is wrong with a file, what two files share."""

from __future__ import annotations

import pytest

from gmask.cli import main
from gmask.dataset.catalogue import CORPORA

HEADER = "sentence1\tsentence2\tlabel\n"


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["gmask", "data", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return call


def write(folder, **splits):
    folder.mkdir(exist_ok=True)
    for split, rows in splits.items():
        (folder / f"{split}.tsv").write_text(HEADER + rows)
    return folder


def test_list_names_every_corpus_and_its_terms(run):
    code, out, _ = run("list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(CORPORA)
    assert "CC BY-SA 4.0" in out


def test_stats_stand_beside_the_papers_own_figures(run, tmp_path):
    folder = write(tmp_path / "mrpc", train="A man runs .\tThe man .\t1\nA b\tc d\t0\n", test="x\ty\t1\n")
    code, out, _ = run("stats", folder)
    rows = [line.split() for line in out.splitlines()]
    assert code == 0
    assert rows[0] == ["corpus", "C", "L", "V", "#train", "#dev", "#test"]
    assert rows[1] == ["mrpc", "2", "2.2", "10", "2", "-", "1"]
    assert rows[2] == ["in", "the", "paper", "2", "22.0", "15,547", "3,668", "408", "1,725"]


def test_stats_can_pass_over_bad_lines_and_count_them(run, tmp_path):
    folder = write(tmp_path / "mrpc", train="a\tb\t1\nbroken\n")
    code, _, err = run("stats", folder)
    assert code == 2
    assert "line 3: 1 fields, but 3 columns" in err
    code, out, _ = run("stats", folder, "--skip-bad")
    assert code == 0
    assert "skipped 1 bad lines" in out


def test_check_names_file_line_and_column_and_counts(run, tmp_path):
    folder = write(tmp_path / "snli", dev="a\tb\tneutral\n\tb\tneutral\na\tb\tmaybe\n")
    code, out, err = run("check", folder / "dev.tsv")
    assert code == 2
    assert f"{folder / 'dev.tsv'}, line 3, column 'sentence1': empty text" in out
    assert f"{folder / 'dev.tsv'}, line 4, column 'label': unknown label 'maybe'; valid: entailment" in out
    assert "1 pairs (neutral 1); 2 problems" in out
    assert err == ""


def test_check_of_good_data_ends_well(run, tmp_path):
    code, out, _ = run("check", write(tmp_path / "snli", dev="a\tb\tneutral\n"))
    assert code == 0
    assert "0 problems" in out


def test_check_of_scores_names_a_few_of_many_labels(run, tmp_path):
    rows = "".join(f"a{i}\tb\t{i}\n" for i in range(20))
    _, out, _ = run("check", write(tmp_path / "scores", train=rows))
    assert "7 1, and 12 more labels); 0 problems" in out


def test_overlap_finds_pairs_in_any_case_spacing_and_order(run, tmp_path):
    folder = write(
        tmp_path / "snli", train="A man.\tA boy.\tneutral\n", test="a boy .\ta MAN.\tneutral\nx\ty\tneutral\n"
    )
    code, out, _ = run("overlap", folder, folder)
    assert code == 1
    assert "a boy .\ta MAN." in out
    assert "1 of 2 pairs are among the 1 training pairs" in out


def test_no_overlap_ends_well(run, tmp_path):
    folder = write(tmp_path / "snli", train="A man.\tA boy.\tneutral\n", dev="x\ty\tneutral\n")
    code, out, _ = run("overlap", folder / "train.tsv", folder / "dev.tsv")
    assert code == 0
    assert out == "0 of 1 pairs are among the 1 training pairs\n"


def test_what_does_not_exist_is_one_line_and_exit_code_2(run, tmp_path):
    for command in (["stats"], ["check"], ["overlap", "x"]):
        code, _, err = run(*command, tmp_path / "none")
        assert code == 2
        assert err.startswith("gmask: no such file or folder:")
        assert err.count("\n") == 1
