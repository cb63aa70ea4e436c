from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from gmask.model.transformers import TransformersModel
from gmask.model.windows import WindowedModel
from gmask.pair import segment
from tests.model.encoders import tiny_encoder
from tests.model.families import TEXTS, tiny, tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."
LONG = " ".join(f"{text} It is number {number}." for number, text in enumerate(TEXTS[:4] * 2))
LIMIT = 48


def all_of(bound):
    return np.ones((1, len(bound.words)), bool)


def windows_of(bound):
    return [window.texts for window in bound.ways[0].windows]


@torch.no_grad()
def says(family, pair):
    """What a model itself says of a pair, none of which is cut off."""
    model, tokenizer = tiny(family)
    inputs = tokenizer(text=pair[0], text_pair=pair[1], return_tensors="pt")
    assert inputs["input_ids"].shape[1] <= LIMIT
    return model(**inputs).logits.softmax(dim=-1)[0].numpy()


@pytest.mark.parametrize("texts", [(A, LONG), (LONG, A), (LONG[:150], LONG[50:200])], ids=["second", "first", "both"])
@pytest.mark.parametrize("family", ["bert", "deberta-v2", "gpt2", "bart"])
def test_the_answer_is_what_the_model_itself_says_of_the_best_window_or_the_mean(family, texts):
    inner = TransformersModel(*tiny(family), limit=LIMIT)
    for how, expected in (("best", lambda said: said[said[:, 0].argmax()]), ("mean", lambda said: said.mean(axis=0))):
        bound = WindowedModel(inner, how).bind(*texts)
        said = np.stack([says(family, pair) for pair in windows_of(bound)])
        assert len(said) > 2
        assert np.ptp(said[:, 0]) > 0.01
        assert abs(bound(all_of(bound))[0] - expected(said)).max() < 1e-4


def test_the_windows_have_every_word_and_overlap():
    bound = WindowedModel(TransformersModel(*tiny("bert"), limit=LIMIT)).bind(A, LONG)
    places = [(side, *span) for side, text in enumerate((A, LONG)) for span in segment(text)]
    assert [(w.sentence, w.start, w.end) for w in bound.words] == places
    seconds = [second for _, second in windows_of(bound)]
    starts = [LONG.index(second) for second in seconds]
    assert starts[0] == 0
    assert LONG.endswith(seconds[-1])
    assert all(b < a + len(text) for a, b, text in zip(starts, starts[1:], seconds, strict=False))
    assert not any("never read" in told for told in bound.warnings)
    assert f"reads at most 48 tokens at once: the second text is read in {len(seconds)} windows" in bound.warnings[0]


@pytest.mark.parametrize("removal", ["drop", "delete", "drop+mask"])
def test_a_pair_that_fits_is_answered_as_by_the_model_alone(removal):
    inner = TransformersModel(*tiny("bert"), limit=LIMIT)
    pair = (A, B)
    bound, plain = (model.bind(*pair, removal=removal) for model in (WindowedModel(inner), inner))
    assert (bound.words, bound.warnings) == (plain.words, [])
    rows = np.random.default_rng(0).random((20, len(bound.words))) < 0.5
    rows[0], rows[1] = True, False
    assert np.array_equal(bound(rows), plain(rows))


def test_a_stretch_of_punctuation_is_no_window():
    bound = WindowedModel(TransformersModel(*tiny("bert"), limit=LIMIT)).bind(A, f"{B} {'. ' * 150} {B} {'! ' * 90}")
    assert all("man" in second for _, second in windows_of(bound))
    assert [w.text for w in bound.words if w.text.isalpha()].count("banjo") == 2


def test_words_go_from_every_window_they_are_in_and_a_window_without_words_is_not_asked():
    bound = WindowedModel(TransformersModel(*tiny("bert"), limit=LIMIT)).bind(A, LONG, removal="delete")
    positions = np.array([w.start for w in bound.words])
    first, third = (LONG.index(windows_of(bound)[number][1]) for number in (0, 2))
    row = (bound.sentences == 0) | ((positions >= first + 10) & (positions < third))
    texts = [
        (A, " ".join(w.text for w in window.words if w.sentence == 1 and at + w.start >= 10 and at + w.start < third))
        for at, window in ((LONG.index(pair[1]), w) for pair, w in zip(windows_of(bound), bound.windows, strict=True))
    ]
    said = np.stack([says("bert", pair) for pair in texts if pair[1]])
    assert 1 < len(said) < len(texts)
    assert abs(bound(row[None])[0] - said[said[:, 0].argmax()]).max() < 1e-4


def test_a_long_text_of_an_encoder_is_as_like_as_its_best_window():
    encoder = gmask.load(tiny_encoder("bert"), pooling="mean", limit=20)
    bound = WindowedModel(encoder).bind(A, LONG)
    said = [encoder.own(*pair)[0] for pair in windows_of(bound)]
    assert len(said) > 3
    assert bound(all_of(bound))[0, 0] == pytest.approx(max(said), abs=1e-4)
    assert bound.warnings[-1].startswith(f"The best of {len(said)} windows is the one from “")


def test_a_template_stands_around_every_window():
    model = gmask.load(
        (tiny_model("gpt2"), tiny_tokenizer("gpt2")),
        template="Q: {first} A: {second} .",
        limit=80,
        windows="best:neutral",
    )
    bound = model.bind(A, LONG)
    rendered = model.inner.tokenizer.decode(bound.ways[0].windows[1].state.inputs["input_ids"])
    assert rendered == f"Q: {A} A: {windows_of(bound)[1][1]} ."
    said = np.stack([model.inner.own(*pair) for pair in windows_of(bound)])
    assert abs(bound(all_of(bound))[0] - said[said[:, 1].argmax()]).max() < 1e-4


class Reader(CallableModel):
    """Reads at most sixteen words of the second text, and finds in them what goes with the first."""

    cut_at = 16
    family = SimpleNamespace(limit=cut_at)

    def __init__(self):
        super().__init__(self.found, outputs="score")

    @staticmethod
    def found(pairs):
        there = [(set(a.split()), set(b.split())) for a, b in pairs]
        return [3.0 * ("amber" in a and {"cedar", "delta"} <= b) + 0.5 * ("ember" in b) for a, b in there]

    def cut(self, first, second):
        return False, len(second.split()) > self.cut_at

    def _bind(self, first, second, removal):
        return super()._bind(first, " ".join(second.split()[: self.cut_at]), removal)


FILLER = " ".join(["the of in a to is on at by as"] * 6)


def test_an_explanation_covers_what_the_model_alone_never_reads():
    late = f"{FILLER} cedar by delta {FILLER}"
    assert Reader().bind("amber is", late)(np.ones((1, 18), bool))[0, 0] < 1
    e = gmask.explain(gmask.load(Reader(), windows="best"), "amber is", late, reference="empty")
    assert e.score == 3
    assert len(e.words) == 2 + len(late.split())
    assert {w.text for w in e.groups[0].words(e)} == {"amber", "cedar", "delta"}
    assert any("the one with the highest score counts" in note for note in e.notes())
    assert any(note.startswith("The best of ") for note in e.notes())
    assert not any("never read" in note for note in e.notes())


def test_words_that_stand_too_far_apart_for_a_window_do_not_act_together():
    bound = WindowedModel(Reader()).bind("amber is", f"cedar {FILLER} delta")
    assert bound(all_of(bound))[0, 0] < 1


def test_passages_are_ranked_by_their_best_windows_and_the_order_explained():
    passages = [FILLER, f"{FILLER} cedar by delta", f"cedar {FILLER} ember delta"]
    assert len(set(gmask.rank(Reader(), "amber is", passages).scores)) == 1
    r = gmask.rank(gmask.load(Reader(), windows="best"), "amber is", passages)
    assert r.order[0] == 1
    e = r.why(1, over=2)
    assert len(e.over.turn) == 1
    assert e.words[e.over.turn[0]].text in {"amber", "cedar", "delta"}


def test_a_model_can_be_told_to_read_in_windows_where_it_is_loaded_or_named(tmp_path):
    model, tokenizer = tiny("bert")
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = [
        gmask.load(f"{tmp_path}#windows=mean"),
        gmask.load(tmp_path, windows="mean"),
        gmask.load((model, tokenizer), windows="mean"),
        gmask.load(gmask.load(tmp_path), windows="Mean"),
    ]
    assert [model.windows for model in loaded] == ["mean"] * 4
    assert len({model.hash for model in loaded}) == 1
    others = [gmask.load(tmp_path, windows=way) for way in ("best", "best:neutral", None)]
    assert len({model.hash for model in [*loaded, *others]}) == 4
    assert others[0].identity["windows"] == "best:entailment"
    assert "windows" not in others[2].identity


@pytest.mark.parametrize(
    ("windows", "told"),
    [
        ("worst", "unknown windows 'worst'; valid: best, mean, best:LABEL"),
        ("mean:neutral", "valid: best, mean, best:LABEL"),
        (True, "valid: best, mean, best:LABEL"),
        ("best:maybe", "entailment, neutral, contradiction"),
    ],
)
def test_windows_that_cannot_be_are_told(windows, told):
    with pytest.raises(GmaskError, match=told):
        gmask.load(tiny("bert"), windows=windows)


def test_where_no_label_means_relevant_one_must_be_named():
    pair = tiny_model("bert", num_labels=3), tiny_tokenizer("bert")
    with pytest.raises(GmaskError, match=r'Name it as windows="best:label 0"; labels: label 0, label 1, label 2'):
        gmask.load(pair, windows="best")
    assert gmask.load(pair, windows="best:label 2").bind(A, LONG)
    with pytest.raises(GmaskError, match="a raw score has no labels"):
        gmask.load((tiny_model("bert", num_labels=1), tiny_tokenizer("bert")), outputs="score", windows="best:low")


def test_a_function_has_no_windows():
    with pytest.raises(GmaskError, match="no limit is known"):
        gmask.load(lambda pairs: [0.5] * len(pairs), windows="best")


def test_a_word_that_is_gone_is_gone_from_every_window_however_it_is_cut_there():
    kanji = "".join(map(chr, range(0x4E00, 0x4E3C)))  # in a window without kana, each of them is a word
    text = "ギターを、" + "、".join(kanji[i : i + 3] for i in range(0, len(kanji), 3))
    bound = WindowedModel(TransformersModel(*tiny("bert"), limit=32)).bind(A, text).ways[0]
    rows = np.random.default_rng(0).random((20, len(bound.words))) < 0.7
    for row in rows:
        stays = {c for w, stay in zip(bound.words, row, strict=True) if stay for c in w.text}
        for window, (own,) in bound.readings(row):
            assert {c for w, stay in zip(window.words, own, strict=True) if stay for c in w.text} <= stays
    assert {len(w.text) for window in bound.windows for w in window.words if w.text[0] in kanji} == {1, 3}
