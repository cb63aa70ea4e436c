"""`gmask fit`, `gmask methods` and `gmask bench`."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.cli import main
from tests.model.families import tiny
from tests.toys import sentences

BOX = """labels = ["no", "yes"]
def box(pairs):
    return [0.95 if "opal" in a.split() else 0.05 for a, _ in pairs]
box.labels = labels
"""


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    def call(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["gmask", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return call


@pytest.fixture
def pairs(tmp_path):
    random = np.random.default_rng(0)
    lines = ["\t".join(map(" ".join, sentences(random))) for _ in range(400)]
    (tmp_path / "pairs.tsv").write_text("sentence1\tsentence2\n" + "\n".join(lines) + "\n")
    return tmp_path / "pairs.tsv"


@pytest.mark.slow
def test_fit_l2x_makes_a_selector_that_explains(run, pairs, tmp_path):
    (tmp_path / "opalbox.py").write_text(BOX)
    model = "python:opalbox:box"
    code, _, err = run("fit", "l2x", "--model", model, "--data", "pairs.tsv", "--epochs", "2", "-o", "s.safetensors")
    assert (code, "Traceback" in err) == (0, False)
    assert "s.safetensors: from 5 selected words" in err
    code, out, _ = run(
        "explain",
        "an opal ring",
        "a dog",
        "--model",
        model,
        "--method",
        "l2x",
        "-p",
        "selector=s.safetensors",
        "--format",
        "json",
    )
    assert code == 0
    assert gmask.Explanation.from_json(out).method == "l2x"


def test_fit_iba_makes_statistics_beside_the_model(run, pairs, tmp_path):
    for part in tiny("bert"):
        part.save_pretrained(tmp_path / "model")
    arguments = ("--model", "model", "--data", "pairs.tsv", "--limit", "20", "-o", "model/iba.safetensors")
    code, _, err = run("fit", "iba", *arguments)
    assert code == 0
    assert "estimated from 20 pairs" in err
    e = gmask.explain(gmask.load(tmp_path / "model"), "an opal ring", "a dog", method="iba")
    assert e.details["statistics"] == "iba.safetensors"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "python:no:box", "--data", "pairs.tsv"), "python:no:box"),
        (("--model", "python:opalbox:box", "--data", "none.tsv"), "none.tsv"),
    ],
)
def test_mistakes_are_told_in_one_line(run, pairs, tmp_path, arguments, message):
    (tmp_path / "opalbox.py").write_text(BOX)
    code, _, err = run("fit", "l2x", *arguments, "-o", "s.safetensors")
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def test_methods_lists_every_method_with_its_settings(run):
    code, out, _ = run("methods")
    assert code == 0
    for name in gmask.methods():
        assert f"\n{name} " in "\n" + out
    assert "settings: samples=1000, width=25.0, regression=ridge, alpha" in out
    assert out.count("not for black boxes") == 4


def test_one_method_is_shown_with_what_its_settings_mean(run):
    code, out, _ = run("methods", "lime")
    assert code == 0
    assert "rows drawn around the pair [default: 1000]" in out
    assert "(ridge, lasso)" in out
    code, _, err = run("methods", "limes")
    assert code == 2
    assert "unknown method 'limes'; valid: anchors, archipelago" in err


@pytest.mark.slow
def test_bench_methods_prints_both_tables(run, pairs, tmp_path):
    for part in tiny("bert"):
        part.save_pretrained(tmp_path / "model")
    arguments = ("--model", "model", "--data", "pairs.tsv", "--limit", "1", "--samples", "20")
    code, out, _ = run("bench", "methods", *arguments, "--methods", "random,lime")
    assert code == 0
    for line in ("| lime | 20 |", "| captum | 20 |", "| method | AOPC", "| random |"):
        assert line in out


def test_bench_methods_without_data_takes_the_packages_own_pairs(run):
    arguments = ("--model", "nli-dattn", "--methods", "leave-one-out,random", "--limit", "30", "--no-race")
    code, out, _ = run("bench", "methods", *arguments)
    assert code == 0
    assert out.startswith("nli-dattn, 30 pairs")
    assert out.count("\n| ") == 3


def test_bench_planted_prints_a_table(run):
    code, out, _ = run("bench", "planted", "--methods", "leave-one-out,random", "--cases", "5")
    assert code == 0
    assert "| method | A: on top | A: as groups | A and B: on top" in out
    assert "| leave-one-out | 100% | 0% | 100% | 0% | 0% | 0% | 17 |" in out


def test_bench_groups_prints_a_table_and_tells_failures(run):
    code, out, err = run("bench", "groups", "--methods", "archipelago", "--cases", "2", "--failures", "1")
    assert code == 0
    assert out.startswith("| method | kind | boxes | adjusted Rand index | match | exactly | top words |")
    assert "| archipelago | one-sided | 2 |" in out
    assert "| archipelago | all | 10 |" in out
    assert "archipelago, OR 0, " in err
    assert ": planted OR" in err


@pytest.mark.parametrize(
    ("output", "told"), [("taken/x.safetensors", "taken is a file"), ("/proc/x.safetensors", ""), (".", "is a folder")]
)
@pytest.mark.parametrize("method", ["iba", "l2x"])
def test_a_file_that_cannot_be_written_is_told_before_the_work(run, tmp_path, method, output, told):
    (tmp_path / "taken").touch()
    code, _, err = run("fit", method, "--model", "no-such-model", "--data", "no-such-data", "-o", output)
    assert code == 2
    assert err.startswith(f"gmask: cannot write {output}: ")
    assert told in err
    assert len(err.splitlines()) == 1
