"""Encoders of texts behind the door: what they say themselves is what is explained, whatever words go."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import cosine_similarity

import gmask
from gmask.errors import GmaskError
from tests.model.encoders import late_interaction, sentence_transformer, tiny_encoder

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."


def rows(bound, count=12, seed=0):
    return np.random.default_rng(seed).random((count, len(bound.words))) < 0.6


def whole(model, first=A, second=B, **options):
    bound = model.bind(first, second, **options)
    return bound(np.ones((1, len(bound.words)), bool))[0, 0]


def encode(family, text, pooling):
    model, tokenizer = tiny_encoder(family)
    with torch.inference_mode():
        hidden = model(**tokenizer(text, return_tensors="pt", return_token_type_ids=False)).last_hidden_state[0]
    return {"mean": hidden.mean(dim=0), "cls": hidden[0], "last": hidden[-1]}[pooling]


CASES = [
    ("bert", "mean"),
    ("bert", "cls"),
    ("roberta", "mean"),
    ("mpnet", "mean"),
    ("modernbert", "cls"),
    ("qwen3", "last"),
]


@pytest.mark.parametrize(("family", "pooling"), CASES)
def test_a_model_and_its_tokenizer_say_the_cosine_of_pooled_vectors(family, pooling):
    own = cosine_similarity(encode(family, A, pooling), encode(family, B, pooling), dim=0)
    model = gmask.load(tiny_encoder(family), pooling=pooling)
    assert model.raw
    assert model.usual == "drop"
    assert whole(model) == pytest.approx(float(own), abs=1e-4)


@pytest.mark.parametrize(("family", "pooling"), CASES)
def test_a_word_that_is_dropped_is_seen_by_nobody_whether_left_out_or_hidden(family, pooling):
    left_out, hidden = (gmask.load(tiny_encoder(family), pooling=pooling, packing=p) for p in (True, False))
    bound, other = left_out.bind(A, B, removal="drop"), hidden.bind(A, B, removal="drop")
    np.testing.assert_allclose(bound(rows(bound)), other(rows(bound)), atol=1e-4)


def test_deleted_words_are_gone_from_the_text():
    model = gmask.load(tiny_encoder("bert"), pooling="mean")
    bound = model.bind(A, B, removal="delete")
    row = np.array([w.text not in ("electric", "banjo") for w in bound.words])
    assert bound(row[None])[0, 0] == pytest.approx(
        whole(model, "A man playing an guitar on stage.", "A man playing on the floor.")
    )
    nothing = bound(np.zeros((1, len(bound.words)), bool))
    assert nothing == pytest.approx(1.0)  # two empty texts are the same


@pytest.mark.parametrize("likeness", ["dot", "euclidean", "manhattan"])
def test_other_similarities_and_lengths(likeness):
    u, v = (encode("bert", text, "mean") for text in (A, B))
    expected = {"dot": u @ v, "euclidean": -(u - v).norm(), "manhattan": -(u - v).abs().sum()}[likeness]
    model = gmask.load(tiny_encoder("bert"), pooling="mean", similarity=likeness)
    assert whole(model) == pytest.approx(float(expected), rel=1e-4)
    one = gmask.load(tiny_encoder("bert"), pooling="mean", similarity="dot", normalize=True)
    assert whole(one) == pytest.approx(float(cosine_similarity(u, v, dim=0)), abs=1e-4)


def test_prompts_stand_before_the_texts_and_are_no_words():
    model = gmask.load(tiny_encoder("bert"), pooling="mean", prompts=("query: ", "passage: "))
    u, v = encode("bert", "query: " + A, "mean"), encode("bert", "passage: " + B, "mean")
    assert whole(model) == pytest.approx(float(cosine_similarity(u, v, dim=0)), abs=1e-4)
    assert [w.text for w in model.bind(A, B).words[:2]] == ["A", "man"]
    assert model.hash != gmask.load(tiny_encoder("bert"), pooling="mean").hash


@pytest.mark.parametrize("removal", ["drop", "zero", "mask", "drop+mask"])
def test_weights_of_zero_and_one_are_rows(removal):
    bound = gmask.load(tiny_encoder("bert"), pooling="mean").bind(A, B, removal=removal)
    weights = torch.tensor(rows(bound, 3)).float().requires_grad_()
    outputs = bound.soft(weights)
    np.testing.assert_allclose(outputs.detach().numpy(), bound(rows(bound, 3)), atol=1e-4)
    outputs.sum().backward()
    assert weights.grad.abs().sum() > 0


def test_embeddings_tokens_and_attentions_are_of_both_texts():
    bound = gmask.load(tiny_encoder("bert"), pooling="cls").bind(A, B)
    owners = bound.token_words()
    assert set(owners) == {-1, *range(len(bound.words))}
    full = bound(np.ones((1, len(bound.words)), bool))
    np.testing.assert_allclose(bound.from_embeddings(bound.embed()[None]).numpy(), full, atol=1e-4)
    attentions, first = bound.attentions(), len(bound.state[0].state.owners)
    assert attentions.shape[-2:] == (len(owners), len(owners))
    assert attentions[..., :first, first:].abs().max() == 0  # the texts do not see each other


def test_each_subset_of_either_text_is_encoded_once():
    model = gmask.load(tiny_encoder("bert"), pooling="mean")
    ran = []
    bound = model.bind(A, B)
    n1 = int((bound.sentences == 0).sum())
    first, second = np.ones((8, len(bound.words)), bool), np.ones((16, len(bound.words)), bool)
    first[:, :3] = np.arange(8)[:, None] >> np.arange(3) & 1
    second[:, n1 : n1 + 4] = np.arange(16)[:, None] >> np.arange(4) & 1
    crossed = (first[:, None] & second[None]).reshape(-1, len(bound.words))
    original = model._encode
    model._encode = lambda questions: ran.append(len(questions)) or original(questions)
    bound(crossed)
    assert sum(ran) <= 8 + 16  # of 128 rows
    again = model.bind(A, B + " ")
    again(crossed)
    assert sum(ran) <= 8 + 16 + 16 + 1  # the first text is known
    alone = model.bind(A, B)(crossed[:5])
    np.testing.assert_array_equal(alone, bound(crossed[:5]))


def test_an_explanation_of_a_long_text_takes_few_encodings():
    long = " ".join([*B.split(), *["A man sat outside again, sleep and stage and music."] * 5])
    e = gmask.explain(gmask.load(tiny_encoder("bert"), pooling="mean"), A, long)
    assert max(e.details["encodings"]) <= 60
    assert e.details["exact"]
    assert len(e.details["candidates"]) >= 8


def test_texts_too_long_are_cut_and_that_is_said():
    model = gmask.load(tiny_encoder("bert"), pooling="mean", limit=12)
    bound = model.bind("guitar " * 30, B, removal="delete")
    assert "cut off" in " ".join(bound.warnings)
    assert "a text" in " ".join(bound.warnings)
    assert len(bound.read[0].split()) == int((bound.sentences == 0).sum())
    assert np.isfinite(bound(rows(bound))).all()


def test_what_cannot_be_an_encoder_is_refused_in_one_line():
    model, tokenizer = tiny_encoder("bert")
    with pytest.raises(GmaskError, match="pooling"):
        gmask.load((model, tokenizer), pooling="max")
    with pytest.raises(GmaskError, match="needs its tokenizer"):
        gmask.load(model, pooling="mean")
    with pytest.raises(GmaskError, match="labels"):
        gmask.load((model, tokenizer), pooling="mean", labels=["a", "b"])
    with pytest.raises(GmaskError, match="two, for the first text"):
        gmask.load((model, tokenizer), pooling="mean", prompts="query: ")


# sentence-transformers


def similarity(encoder, first=A, second=B, ask=("encode", "encode")):
    found = [getattr(encoder, name)([text]) for name, text in zip(ask, (first, second), strict=True)]
    return float(encoder.similarity_pairwise(*found)[0])


@pytest.mark.parametrize("likeness", ["cosine", "dot", "euclidean", "manhattan"])
def test_a_sentence_transformer_says_its_own_similarity(tmp_path, likeness):
    encoder = sentence_transformer(tmp_path, similarity_fn_name=likeness)
    assert whole(gmask.load(encoder)) == pytest.approx(similarity(encoder), rel=1e-4, abs=1e-4)


def test_further_modules_and_fewer_dimensions(tmp_path):
    from sentence_transformers import models

    encoder = sentence_transformer(tmp_path, models.Dense(32, 24), models.Normalize(), truncate_dim=10)
    model = gmask.load(encoder)
    assert whole(model) == pytest.approx(similarity(encoder), abs=1e-4)
    encoder.truncate_dim = 20
    assert gmask.load(encoder).hash != model.hash
    assert whole(model) != pytest.approx(similarity(encoder), abs=1e-4)  # it is as it was loaded


def test_query_and_document_prompts_are_used_where_there_are_any(tmp_path):
    prompts = {"query": "find: ", "passage": "text: ", "other": "guitar "}
    encoder = sentence_transformer(tmp_path, prompts=prompts)
    queried = similarity(encoder, ask=("encode_query", "encode_document"))
    assert whole(gmask.load(encoder)) == pytest.approx(queried, abs=1e-4)
    assert whole(gmask.load(encoder, prompts=(None, None))) == pytest.approx(similarity(encoder), abs=1e-4)
    other = encoder.similarity_pairwise(encoder.encode([A], prompt_name="other"), encoder.encode([B]))
    assert whole(gmask.load(encoder, prompts=("other", None))) == pytest.approx(float(other[0]), abs=1e-4)
    with pytest.raises(GmaskError, match=r"prompt of this model: unknown|query, document"):
        gmask.load(encoder, prompts=("another", None))


def test_a_default_prompt_and_prompts_that_are_not_pooled(tmp_path):
    encoder = sentence_transformer(
        tmp_path, prompts={"same": "guitar: "}, default_prompt_name="same", include_prompt=False
    )
    model = gmask.load(encoder)
    assert whole(model) == pytest.approx(similarity(encoder), abs=1e-4)
    bound = model.bind(A, B, removal="delete")
    row = np.array([w.text != "banjo" for w in bound.words])
    assert bound(row[None])[0, 0] == pytest.approx(similarity(encoder, A, "A man playing on the floor."), abs=1e-4)


def test_an_encoder_of_its_own_ways_is_refused(tmp_path):
    encoder = sentence_transformer(tmp_path)
    usual = type(encoder)

    class Louder(usual):
        def encode(self, texts, **options):
            return super().encode([text.upper() + "!" for text in texts], **options)

    encoder.__class__ = Louder
    with pytest.raises(GmaskError, match="cannot be reproduced"):
        whole(gmask.load(encoder))


def test_the_object_stays_as_it_is(tmp_path):
    encoder = sentence_transformer(tmp_path)
    before = encoder.encode([A])
    encoder.train()
    bound = gmask.load(encoder).bind(A, B)
    bound(rows(bound))
    assert encoder.training
    np.testing.assert_allclose(encoder.encode([A]), before, atol=1e-6)


def test_a_folder_of_a_sentence_transformer_is_loaded(tmp_path):
    encoder = sentence_transformer(tmp_path / "parts")
    encoder.save(str(tmp_path / "whole"))
    model = gmask.load(str(tmp_path / "whole"))
    assert model.name == "whole"
    assert whole(model) == pytest.approx(similarity(encoder), abs=1e-4)
    pooled = gmask.load(str(tmp_path / "parts"), pooling="mean")
    assert whole(pooled) == pytest.approx(similarity(encoder), abs=1e-4)


def test_a_model_that_begins_otherwise_is_refused():
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding

    from tests.model.families import tiny_tokenizer

    static = SentenceTransformer(modules=[StaticEmbedding(tiny_tokenizer("bert"), embedding_dim=8)], device="cpu")
    with pytest.raises(GmaskError, match="begins with a StaticEmbedding"):
        gmask.load(static)


late = pytest.mark.skipif(
    not hasattr(pytest.importorskip("sentence_transformers"), "MultiVectorEncoder"), reason="sentence-transformers 6"
)
EXPANSION = {"strategy": "fixed", "length": 20, "token": "[MASK]", "attend": False}


@late
@pytest.mark.parametrize("likeness", ["maxsim", "meanmaxsim"])
@pytest.mark.parametrize("expansion", [None, EXPANSION, {**EXPANSION, "attend": True}])
def test_late_interaction_says_its_own_similarity(tmp_path, likeness, expansion):
    encoder = late_interaction(
        tmp_path,
        expansion=expansion,
        skip=(".",),
        similarity_fn_name=likeness,
        prompts={"query": "on ", "document": ""},
    )
    model = gmask.load(encoder)
    own = similarity(encoder, ask=("encode_query", "encode_document"))
    assert whole(model) == pytest.approx(own, rel=1e-4, abs=1e-4)
    long = model.bind(A, "banjo " * 60)
    assert "cut off" in " ".join(long.warnings)
    assert len(long.read[1].split()) == int((long.sentences == 1).sum()) < 60
    left_out, hidden = (gmask.load(encoder, packing=p).bind(A, B, removal="drop") for p in (True, False))
    np.testing.assert_allclose(left_out(rows(left_out)), hidden(rows(left_out)), rtol=1e-4, atol=1e-4)
    weights = torch.tensor(rows(left_out, 2)).float().requires_grad_()
    outputs = left_out.soft(weights)
    np.testing.assert_allclose(outputs.detach().numpy(), left_out(rows(left_out, 2)), rtol=1e-4, atol=1e-4)
    outputs.sum().backward()
    assert weights.grad.isfinite().all()
