from __future__ import annotations

import sys

import pytest

from gmask.dataset.corpora import Example, load
from gmask.errors import GmaskError

datasets = pytest.importorskip("datasets")


@pytest.fixture
def hub(monkeypatch):
    """A hub with one small dataset; returns what was asked for."""
    asked = []
    names = datasets.ClassLabel(names=["contradiction", "entailment", "neutral"])
    features = datasets.Features(
        {"premise": datasets.Value("string"), "hypothesis": datasets.Value("string"), "label": names}
    )
    rows = {"premise": ["a", "c", "e"], "hypothesis": ["b", "d", "f"], "label": [1, -1, 0]}
    table = datasets.Dataset.from_dict(rows, features=features)

    def load_dataset(path, config=None, *, split):
        asked.append((path, config, split))
        if split == "test":
            raise ValueError("Unknown split\nand more")
        return table

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    return asked


def test_numbered_labels_get_the_names_the_dataset_gives_them(hub):
    assert load("hub:snli", "dev") == [Example("a", "b", "entailment"), Example("e", "f", "contradiction")]
    assert hub == [("stanfordnlp/snli", None, "validation")]


def test_any_dataset_of_the_hub_can_be_named(hub):
    load("hub:someone/pairs:small")
    assert hub == [("someone/pairs", "small", "train")]


def test_what_the_hub_says_becomes_one_line(hub):
    with pytest.raises(GmaskError, match=r"cannot load stanfordnlp/snli \(test\) from the hub: Unknown split$"):
        load("hub:snli", "test")


def test_a_corpus_that_is_not_on_the_hub_says_so(hub):
    with pytest.raises(GmaskError, match="is not on the hub; give its files"):
        load("hub:quora")
    with pytest.raises(GmaskError, match="valid: snli, esnli, qqp, mrpc, owner/dataset"):
        load("hub:a/b/c")


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(GmaskError, match=r"pip install gmask\[hub\]"):
        load("hub:snli")


def test_a_dataset_in_memory_goes_through_the_real_library(tmp_path, monkeypatch):
    (tmp_path / "train.csv").write_text("sentence1,sentence2,label\na,b,yes\nc,d,no\n")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    real = datasets.load_dataset
    monkeypatch.setattr(
        datasets,
        "load_dataset",
        lambda path, config, split: real(
            "csv", data_files=str(tmp_path / "train.csv"), split=split, cache_dir=str(tmp_path)
        ),
    )
    assert load("hub:someone/pairs") == [Example("a", "b", "yes"), Example("c", "d", "no")]
