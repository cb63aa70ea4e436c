from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from gmask.errors import GmaskError
from gmask.model.vectors import read_vectors

gensim = pytest.importorskip("gensim")

WORDS = ["the", "of", "zürich", "n't"]
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3) / 8


def keyed():
    vectors = gensim.models.KeyedVectors(3)
    vectors.add_vectors(WORDS, TABLE)
    return vectors


def check(path):
    vectors = read_vectors(path)
    assert vectors.words == WORDS
    assert vectors.dimensions == 3
    assert "the" in vectors
    assert "absent" not in vectors
    assert np.allclose(vectors.of(WORDS), TABLE)


def test_glove_text_without_a_header(tmp_path):
    lines = [f"{w} {' '.join(map(str, row))}\n" for w, row in zip(WORDS, TABLE, strict=True)]
    (tmp_path / "glove.txt").write_text("".join(lines), encoding="utf-8")
    check(tmp_path / "glove.txt")


@pytest.mark.parametrize(("name", "binary"), [("a.vec", False), ("a.bin", True)])
def test_word2vec_text_and_binary(tmp_path, name, binary):
    keyed().save_word2vec_format(str(tmp_path / name), binary=binary)
    check(tmp_path / name)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    check(tmp_path / f"{name}.gz")


def test_fasttext_binary_makes_vectors_for_words_it_never_saw(tmp_path):
    sentences = [["the", "cat", "sat"], ["the", "dog", "sat"]] * 3
    model = gensim.models.FastText(sentences, vector_size=4, min_count=1, epochs=1, bucket=50, seed=1, workers=1)
    gensim.models.fasttext.save_facebook_model(model, str(tmp_path / "a.bin"))
    vectors = read_vectors(tmp_path / "a.bin")
    assert "cats" in vectors
    assert np.allclose(vectors.of(["cat", "cats"]), [model.wv["cat"], model.wv["cats"]], atol=1e-6)


def test_the_json_of_the_npm_packages(tmp_path):
    rows = {w: [*row.tolist(), 1.0, i] for i, (w, row) in enumerate(zip(WORDS, TABLE, strict=True))}
    content = {"size": 4, "dimensions": 3, "words": WORDS, "vectors": rows}
    (tmp_path / "a.json").write_text(json.dumps(content))
    check(tmp_path / "a.json")


@pytest.mark.parametrize(
    "content", [b"", b"just some text\nand more of it\n", b"{}", b"2 3\nthe 1 2\n", b"\x00\xff\n\xfe"]
)
def test_what_is_no_file_of_vectors_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(GmaskError, match=r"a\.txt") as error:
        read_vectors(tmp_path / "a.txt")
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(GmaskError, match=r"no such file of word vectors: .*none\.txt"):
        read_vectors(tmp_path / "none.txt")
