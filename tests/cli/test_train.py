"""`gmask train`: from a command to a model folder."""

from __future__ import annotations

import pytest

from gmask.cli import main
from tests.model.training.toys import write_encoder, write_pairs, write_vectors


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    def call(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["gmask", "train", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return end.value.code, out, err

    write_pairs(tmp_path / "pairs", {"train": 40, "dev": 20, "test": 20})
    write_vectors(tmp_path / "vectors.txt")
    return call


DATTN = ("dattn", "--data", "pairs", "--vectors", "vectors.txt", "--epochs", "2", "-o", "model")


def test_dattn_writes_a_model_and_a_card_with_its_command(run, tmp_path):
    code, out, _ = run(*DATTN)
    assert code == 0
    assert "epoch 2: loss" in out
    card = (tmp_path / "model" / "README.md").read_text()
    assert "gmask train dattn --data pairs --vectors vectors.txt --epochs 2 -o model\n" in card
    assert "| pairs | test | 20 |" in card
    assert "Held-out pairs found in the training data (case, spacing and order of the sentences aside): 0." in card


def test_bert_writes_a_model(run, tmp_path):
    write_encoder(tmp_path / "tiny")
    code, _, err = run("bert", "--data", "pairs", "--encoder", "tiny", "--epochs", "1", "-o", "model")
    assert (code, "Traceback" in err) == (0, False)
    assert (tmp_path / "model" / "model.safetensors").exists()


def test_one_bad_line_refuses_the_data_and_skip_bad_counts_it(run, tmp_path):
    with (tmp_path / "pairs" / "train.tsv").open("a") as file:
        file.write("only one field\n")
    code, _, err = run(*DATTN)
    assert code == 2
    assert "pairs/train.tsv, line 42: 1 fields, but 3 columns" in err
    assert "--skip-bad" in err
    assert not (tmp_path / "model").exists()
    code, _, err = run(*DATTN, "--skip-bad")
    assert code == 0
    assert "gmask: skipped 1 bad lines in 1 files" in err


def test_a_finished_model_is_not_trained_again(run):
    assert run(*DATTN)[0] == 0
    code, _, err = run(*DATTN)
    assert code == 2
    assert "model already holds a finished model" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--epochs", "0"), "epochs must be more than 0, not 0"),
        (("--vectors", "none.txt"), "no such file of word vectors: none.txt"),
        (("--data", "none"), "no such file or folder: none"),
        (("--data", "mrcp=pairs"), "unknown corpus 'mrcp'"),
    ],
)
def test_mistakes_are_one_line(run, change, message):
    code, _, err = run(*DATTN, *change)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
