from __future__ import annotations

import pytest

from gmask.dataset.table import DataError
from gmask.errors import GmaskError
from gmask.model.training.corpus import gather
from tests.model.training.toys import write_pairs

HEADER = "sentence1\tsentence2\tlabel\n"


def write(folder, **splits):
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in splits.items():
        (folder / f"{split}.tsv").write_text(HEADER + "".join("\t".join(r) + "\n" for r in rows))
    return str(folder)


def test_held_out_pairs_are_taken_out_of_the_training_pairs_and_counted(tmp_path):
    train = [("a b", "c", "x"), ("d", "e", "y"), ("f", "g", "x")]
    data = gather([write(tmp_path / "p", train=train, dev=[("C", "A  B", "x")], test=[("h", "i", "y")])])
    assert [e.first for e in data.train] == ["d", "f"]
    assert data.overlap == 1
    assert data.corpora[0][1] == 2


def test_several_corpora_share_their_classes_by_name(tmp_path):
    one = write(tmp_path / "mrpc", train=[("a", "b", "1"), ("c", "d", "0")], dev=[("e", "f", "0")])
    two = write(tmp_path / "qqp", train=[("g", "h", "0")], dev=[("i", "j", "1")])
    data = gather([one, f"{two}*3"])
    assert data.labels == ("not paraphrase", "paraphrase")
    assert data.classes(data.train) == [1, 0, 0, 0, 0]
    assert [n for _, n in data.corpora] == [2, 1]


def test_a_dev_pair_of_one_corpus_is_not_trained_on_in_another(tmp_path):
    one = write(tmp_path / "mrpc", train=[("a", "b", "1"), ("c", "d", "0")], dev=[("g", "h", "0")])
    two = write(tmp_path / "qqp", train=[("g", "h", "0"), ("k", "l", "1")], dev=[("a", "b", "1")])
    assert [e.first for e in gather([one, two]).train] == ["c", "k"]


def test_without_a_dev_split_a_tenth_is_held_out_the_same_every_time(tmp_path):
    source = str(write_pairs(tmp_path / "p", {"train": 500}))
    data, again = gather([source]), gather([source])
    assert 20 < len(data.dev) < 90
    assert len(data.train) + len(data.dev) == 500
    assert data.dev == again.dev
    assert [s for _, s, _ in data.held_out] == ["dev"]


def test_a_test_split_without_labels_is_not_reported_on(tmp_path):
    source = write(tmp_path / "p", train=[("a", "b", "x"), ("c", "d", "y")], dev=[("e", "f", "x")])
    (tmp_path / "p" / "test.tsv").write_text("sentence1\tsentence2\na\tb\n")
    assert [s for _, s, _ in gather([source]).held_out] == ["dev"]


def test_other_data_is_another_fingerprint(tmp_path):
    pairs = [("a", "b", "x"), ("c", "d", "y")]
    sources = [
        write(tmp_path / "1", train=pairs, dev=[("e", "f", "x")]),
        write(tmp_path / "2", train=pairs, dev=[("e", "f", "y")]),
        write(tmp_path / "3", train=pairs[::-1], dev=[("e", "f", "x")]),
        write(tmp_path / "4", train=pairs, dev=[("e", "f", "x")]),
    ]
    prints = [gather([source]).fingerprint for source in sources]
    assert len(set(prints[:3])) == 3
    assert prints[0] == prints[3]


def test_one_bad_line_refuses_the_data_unless_it_may_be_skipped(tmp_path):
    source = write(tmp_path / "p", train=[("a", "b", "x"), ("", "d", "y"), ("k", "l", "y")], dev=[("e", "f", "x")])
    with pytest.raises(DataError, match="line 3, column 'sentence1': empty text"):
        gather([source])
    bad: list[DataError] = []
    assert len(gather([source], on_bad=bad.append).train) == 2
    assert len(bad) == 1


@pytest.mark.parametrize(
    ("train", "dev", "message"),
    [
        ([("a", "b", "x"), ("c", "d", "x")], [("e", "f", "x")], "one class only"),
        (
            [(f"a{i}", "b", str(i)) for i in range(101)],
            [("e", "f", "1")],
            "101 different labels; they look like scores",
        ),
        ([("a", "b", "x"), ("c", "d", "y")], [("e", "f", "z")], "the dev split of p has labels .*: z; there are: x, y"),
    ],
)
def test_classes_that_cannot_be_learnt_are_refused(tmp_path, train, dev, message):
    with pytest.raises(GmaskError, match=message):
        gather([write(tmp_path / "p", train=train, dev=dev)])


def test_a_file_is_no_training_data(tmp_path):
    write(tmp_path / "p", train=[("a", "b", "x")])
    with pytest.raises(GmaskError, match="training wants a folder"):
        gather([str(tmp_path / "p" / "train.tsv")])
