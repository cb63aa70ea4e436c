from __future__ import annotations

import copy
import json
import threading

import numpy as np
import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.model.bound import BoundPair
from gmask.model.transformers import TransformersModel
from tests.model.families import ASKED_FOR, FAMILIES, tiny, tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor, don't!"
PAIRS = [(A, B), ("Two photographers sleep.", A), (B, "Un homme joue de la guitare électrique (again)...")]
PACKED = [
    f for f in FAMILIES if f not in ("mpnet", "deberta-v2", "xlnet", "bart", "mbart", "t5", "mobilebert", "convbert")
]
GENTLE = ["drop", "zero"]


def door(family: str, **options) -> TransformersModel:
    return TransformersModel(*tiny(family), **options)


def rows(n: int, m: int = 24, seed: int = 0) -> np.ndarray:
    """Everything, nothing, each sentence's end gone, and random rows."""
    kept = np.random.default_rng(seed).random((m, n)) < 0.5
    kept[0], kept[1] = True, False
    kept[2, -3:] = False
    return kept


def plain(family: str, first: str, second: str) -> np.ndarray:
    """What the model says of a pair, asked as its makers intend."""
    model, tokenizer = tiny(family)
    with torch.no_grad():
        inputs = tokenizer(text=first, text_pair=second, return_tensors="pt")
        return model(**inputs).logits.softmax(dim=-1)[0].numpy()


def varied(outputs: np.ndarray) -> bool:
    """Whether rows really differ, so that equal answers mean something."""
    return bool(outputs.std(axis=0).max() > 0.01)


@pytest.mark.parametrize("removal", ["drop", "zero", "mask", "delete"])
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_removed_is_what_the_model_says(family, removal):
    model = door(family)
    if removal == "mask" and model.tokenizer.mask_token_id is None:
        pytest.skip("no mask token")
    for pair in PAIRS:
        bound = model.bind(*pair, removal=removal)
        answer = bound(np.ones((1, len(bound.words)), dtype=bool))[0]
        assert abs(answer - plain(family, *pair)).max() < 1e-5


@pytest.mark.parametrize("family", PACKED)
def test_packed_rows_equal_masked_rows(family):
    packed, masked = door(family), door(family, packing=False)
    if "position_ids" not in packed.family.arguments:
        pytest.skip("this release of the model takes no positions")
    for pair in PAIRS:
        bound = packed.bind(*pair, removal="drop")
        kept = rows(len(bound.words))
        assert {inputs["input_ids"].shape[1] for _, inputs in packed._rows([(bound, k) for k in kept])} > {
            len(bound.token_words())
        }
        outputs = bound(kept)
        assert varied(outputs)
        assert abs(outputs - masked.bind(*pair, removal="drop")(kept)).max() < 1e-5


@pytest.mark.parametrize("family", FAMILIES)
def test_the_answer_depends_neither_on_the_batch_nor_on_other_pairs(family):
    model, single = door(family), door(family, batch_tokens=1)
    bounds = [model.bind(*pair) for pair in PAIRS]
    asked = [rows(len(b.words), 8) for b in bounds]
    together = model.answer(list(zip(bounds, asked, strict=True)))
    assert varied(np.concatenate(together))
    for pair, kept, outputs in zip(PAIRS, asked, together, strict=True):
        assert abs(model.bind(*pair)(kept[::-1])[::-1] - outputs).max() < 1e-5
        assert abs(single.bind(*pair)(kept) - outputs).max() < 1e-5


@pytest.mark.parametrize("removal", GENTLE)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_removed_word_influences_nothing(family, removal):
    """Two pairs that differ in one word give the same answers once it is gone."""
    model = door(family)
    by_tokens: dict[int, list[BoundPair]] = {}
    for word in ("man", "guitar", "banjo", "stage", "floor", "sleep", "dollars", "performance"):
        bound = model.bind(A, f"a {word} playing", removal=removal)
        by_tokens.setdefault(len(bound.token_words()), []).append(bound)
    bounds = max(by_tokens.values(), key=len)[:2]
    place = next(i for i, (v, w) in enumerate(zip(*(b.words for b in bounds), strict=True)) if v.text != w.text)
    kept = rows(len(bounds[0].words), 12)
    kept[:, place] = True
    first, second = (b(kept) for b in bounds)
    assert abs(first - second).max() > 1e-3
    kept[:, place] = False
    first, second = (b(kept) for b in bounds)
    assert varied(first)
    assert abs(first - second).max() < 1e-5


@pytest.mark.parametrize("family", FAMILIES)
def test_special_tokens_are_never_touched(family):
    tokenizer = tiny_tokenizer(family)
    bound = door(family).bind(A, B, removal="drop")
    sequences = tokenizer(text=A, text_pair=B).sequence_ids()
    owners = bound.token_words()
    assert [o == -1 for o in owners] == [s is None for s in sequences]
    nothing = np.zeros((1, len(bound.words)), dtype=bool)
    for _, inputs in door(family)._rows([(bound, nothing[0])]):
        kept = inputs["input_ids"][0][inputs["attention_mask"][0] == 1]
        special = np.array(tokenizer(text=A, text_pair=B)["input_ids"])[[s is None for s in sequences]]
        assert kept.tolist() == (special.tolist() or [door(family).family.stand_in])


@pytest.mark.parametrize("family", ["bert", "roberta", "deberta-v2", "bart", "xlnet"])
def test_mask_puts_the_mask_token_in_the_place_of_a_word(family):
    model, tokenizer = tiny(family)
    bound = door(family).bind(A, B, removal="mask")
    kept = rows(len(bound.words), 6)
    encoding = tokenizer(text=A, text_pair=B, return_tensors="pt")
    for row, answer in zip(kept, bound(kept), strict=True):
        inputs = {name: values.clone() for name, values in encoding.items()}
        gone = [o >= 0 and not row[o] for o in bound.token_words()]
        inputs["input_ids"][0, gone] = tokenizer.mask_token_id
        with torch.no_grad():
            assert abs(model(**inputs).logits.softmax(-1)[0].numpy() - answer).max() < 1e-5


@pytest.mark.parametrize("family", ASKED_FOR)
def test_delete_is_the_model_asked_about_the_shorter_texts(family):
    bound = door(family).bind(A, B, removal="delete")
    kept = np.ones((3, len(bound.words)), dtype=bool)
    kept[0, [1, 4]] = False
    kept[1, 9:12] = False
    kept[2] = False
    outputs = bound(kept)
    assert abs(outputs[0] - plain(family, "A playing an guitar on stage.", B)).max() < 1e-5
    assert abs(outputs[1] - plain(family, A, "banjo on the floor, don't!")).max() < 1e-5


@pytest.mark.parametrize("family", ASKED_FOR)
def test_special_tokens_written_in_the_text_are_words_like_others(family):
    tokenizer = tiny_tokenizer(family)
    tokens = [t for t in (tokenizer.pad_token, tokenizer.eos_token, tokenizer.sep_token) if t]
    pairs = [(A, B), (f"A man {tokens[0]} plays {tokens[-1]} now", "the floor"), (A, f"{tokens[-1]} banjo {tokens[0]}")]
    models = [door(family), door(family, packing=False)]
    kept = [rows(len(models[0].bind(*pair).words), 8) for pair in pairs]
    packed, masked = (m.answer([(m.bind(*p), k) for p, k in zip(pairs, kept, strict=True)]) for m in models)
    for pair, one, other in zip(pairs, packed, masked, strict=True):
        assert abs(one[0] - plain(family, *pair)).max() < 1e-5
        assert abs(one - other).max() < 1e-5


def test_zero_is_the_papers_equation():
    """Word embeddings times 0; positions and segments stay."""
    model, tokenizer = tiny("bert")
    bound = door("bert").bind(A, B, removal="zero")
    kept = rows(len(bound.words), 6)
    encoding = tokenizer(text=A, text_pair=B, return_tensors="pt")
    embeddings = model.get_input_embeddings()(encoding.pop("input_ids"))
    for row, answer in zip(kept, bound(kept), strict=True):
        factors = torch.tensor([1.0 if o < 0 or row[o] else 0.0 for o in bound.token_words()])
        with torch.no_grad():
            outputs = model(**encoding, inputs_embeds=embeddings * factors[None, :, None]).logits.softmax(-1)
        assert abs(outputs[0].numpy() - answer).max() < 1e-5


def test_a_decoder_without_a_padding_token_answers_row_by_row_and_alike():
    with_padding = tiny_model("gpt2")
    without = tiny_model("gpt2", pad_token_id=None)
    tokenizer = tiny_tokenizer("gpt2")
    kept = rows(len(door("gpt2").bind(A, B).words))
    expected = TransformersModel(with_padding, tokenizer).bind(A, B)(kept)
    for packing in (True, False):
        model = TransformersModel(without, tokenizer, packing=packing)
        assert abs(model.bind(A, B)(kept) - expected).max() < 1e-5
    assert without.config.pad_token_id is None
    soft = TransformersModel(without, tokenizer).bind(A, B).soft(torch.tensor(kept, dtype=torch.float32))
    assert abs(soft.detach().numpy() - expected).max() < 1e-5


@pytest.mark.parametrize(
    ("family", "window"), [("modernbert", {"local_attention": 16}), ("mistral", {"sliding_window": 8})]
)
def test_a_window_shorter_than_the_pair_is_masked_not_packed(family, window):
    model = TransformersModel(tiny_model(family, **window), tiny_tokenizer(family))
    bound = model.bind(A, B, removal="drop")
    kept = rows(len(bound.words))
    widths = {inputs["input_ids"].shape[1] for _, inputs in model._rows([(bound, k) for k in kept])}
    assert widths == {len(bound.token_words())}


def test_the_model_is_left_as_it_was():
    model, tokenizer = tiny("bert")
    before = {name: values.clone() for name, values in model.state_dict().items()}
    config = model.config.to_dict()
    bound = TransformersModel(model, tokenizer).bind(A, B, removal="zero")
    bound(rows(len(bound.words)))
    assert not model.get_input_embeddings()._forward_hooks
    bound.attentions()
    assert model.config.to_dict() == config
    assert model.config._attn_implementation == "sdpa"
    assert all(torch.equal(before[name], values) for name, values in model.state_dict().items())
    assert not model.training


def test_words_keep_their_case_and_place_in_the_original_text():
    bound = door("bert").bind("  The MAN's  guitar", "Ça va?")
    assert [w.text for w in bound.words] == ["The", "MAN's", "guitar", "Ça", "va", "?"]
    assert all(bound.texts[w.sentence][w.start : w.end] == w.text for w in bound.words)


def test_a_long_pair_is_cut_longest_first_and_says_so():
    long = "guitar " * 200
    model = door("bert")
    bound = model.bind(A, long)
    assert len(bound.token_words()) == 100
    assert sum(w.sentence == 0 for w in bound.words) == 9
    assert len(bound.warnings) == 1
    assert "100 tokens" in bound.warnings[0]
    cut = 200 - sum(w.sentence == 1 for w in bound.words)
    assert f"{cut} words were cut off" in bound.warnings[0]
    kept = np.ones((2, len(bound.words)), dtype=bool)
    kept[1, 3] = False
    model_inputs = model.tokenizer(
        text=A, text_pair=long, truncation="longest_first", max_length=100, return_tensors="pt"
    )
    with torch.no_grad():
        expected = model.model(**model_inputs).logits.softmax(-1)[0].numpy()
    assert abs(bound(kept)[0] - expected).max() < 1e-5


def test_what_was_cut_off_does_not_come_back_when_words_are_deleted():
    bound = door("bert").bind(A, "guitar " * 120 + "banjo " * 80, removal="delete")
    kept = np.ones((1, len(bound.words)), dtype=bool)
    kept[0, 20:40] = False
    (inputs,) = (inputs for _, inputs in bound.model._rows([(bound, kept[0])]))
    assert inputs["input_ids"].shape[1] == 100 - 20
    assert bound.model.tokenizer.convert_tokens_to_ids("banjo") not in inputs["input_ids"]


def test_a_pair_that_fits_has_no_warning():
    assert door("bert").bind(A, B).warnings == []


@pytest.mark.parametrize(
    "wording", ["CUDA out of memory. Tried to allocate", "DefaultCPUAllocator: can't allocate memory"]
)
def test_a_batch_that_does_not_fit_is_halved(monkeypatch, wording):
    model, tokenizer = tiny("bert")
    sizes = []
    forward = type(model).forward

    def small(self, input_ids=None, **inputs):
        if len(input_ids) > 3:
            raise RuntimeError(wording)
        sizes.append(len(input_ids))
        return forward(self, input_ids=input_ids, **inputs)

    bound = TransformersModel(model, tokenizer, packing=False).bind(A, B, removal="drop")
    kept = rows(len(bound.words))
    expected = bound(kept)
    hungry = TransformersModel(model, tokenizer, packing=False)
    monkeypatch.setattr(type(model), "forward", small)
    again = hungry.bind(A, B, removal="drop")
    sizes.clear()
    assert abs(again(kept) - expected).max() < 2e-6
    assert max(sizes) <= 3
    assert sum(sizes) == len(np.unique(kept, axis=0))


def test_too_little_memory_for_one_row_is_an_error_in_words(monkeypatch):
    model, tokenizer = tiny("bert")

    def never(self, **inputs):
        raise RuntimeError("out of memory")

    bound = TransformersModel(model, tokenizer).bind(A, B)
    monkeypatch.setattr(type(model), "forward", never)
    with pytest.raises(GmaskError, match="not enough memory"):
        bound(np.ones((1, len(bound.words)), dtype=bool))


def test_other_failures_of_the_model_are_not_hidden(monkeypatch):
    model, tokenizer = tiny("bert")

    def broken(self, **inputs):
        raise RuntimeError("shapes cannot be multiplied")

    bound = TransformersModel(model, tokenizer).bind(A, B)
    monkeypatch.setattr(type(model), "forward", broken)
    with pytest.raises(RuntimeError, match="multiplied"):
        bound(np.ones((1, len(bound.words)), dtype=bool))


@pytest.mark.parametrize(("removal", "ways"), [("drop", 1), ("drop+mask", 2)])
def test_progress_is_told_every_row(removal, ways):
    model = door("bert")
    bounds = [model.bind(*pair, removal=removal) for pair in PAIRS]
    told: list[int] = []
    asked = [np.unique(rows(len(b.words), 8), axis=0) for b in bounds]
    model.answer(list(zip(bounds, asked, strict=True)), on_rows=told.append)
    assert sum(told) == sum(ways * len(kept) - (ways - 1) for kept in asked)  # the whole pair is the same in every way


def test_one_logit_is_a_sigmoid_with_two_labels():
    network = tiny_model("bert", num_labels=1, id2label={0: "relevant"})
    model = TransformersModel(network, tiny_tokenizer("bert"))
    assert model.labels == ("low", "high")
    assert not model.raw
    bound = model.bind(A, B)
    kept = rows(len(bound.words), 6)
    outputs = bound(kept)
    assert outputs.shape == (6, 2)
    assert np.allclose(outputs.sum(axis=1), 1, atol=2e-6)
    inputs = model.tokenizer(text=A, text_pair=B, return_tensors="pt")
    with torch.no_grad():
        logit = float(network(**inputs).logits)
    assert abs(outputs[0, 1] - 1 / (1 + np.exp(-logit))) < 1e-5
    score = TransformersModel(network, model.tokenizer, outputs="score")
    assert score.raw
    assert abs(float(score.bind(A, B)(kept)[0, 0]) - logit) < 1e-5


def test_a_regression_model_gives_its_raw_score():
    network = tiny_model("bert", num_labels=1, problem_type="regression")
    model = TransformersModel(network, tiny_tokenizer("bert"))
    bound = model.bind(A, B)
    outputs = bound(rows(len(bound.words), 6))
    assert model.raw
    assert outputs.shape == (6, 1)
    assert (outputs < 0).any() or (outputs > 1).any()
    explained = [gmask.explain(model, A, B, method="leave-one-out", target=target) for target in ("low", "high")]
    assert np.allclose(explained[0].attributions, [-a for a in explained[1].attributions], atol=1e-6)
    assert explained[0].score == pytest.approx(float(outputs[0, 0]), abs=1e-5)


def test_classes_that_exclude_nothing_each_get_a_sigmoid():
    network = tiny_model("bert", problem_type="multi_label_classification")
    model = TransformersModel(network, tiny_tokenizer("bert"))
    bound = model.bind(A, B)
    inputs = model.tokenizer(text=A, text_pair=B, return_tensors="pt")
    with torch.no_grad():
        expected = network(**inputs).logits.sigmoid()[0].numpy()
    assert abs(bound(np.ones((1, len(bound.words)), dtype=bool))[0] - expected).max() < 1e-5


def test_labels_come_from_the_configuration_in_the_order_of_the_outputs():
    names = {0: "contradiction", 1: "entailment", 2: "neutral"}
    network = tiny_model("bert", id2label=names)
    assert TransformersModel(network, tiny_tokenizer("bert")).labels == tuple(names.values())


def test_labels_that_are_not_different_are_numbered():
    network = tiny_model("bert", id2label={0: "x", 1: "X", 2: "y"})
    assert TransformersModel(network, tiny_tokenizer("bert")).labels == ("0", "1", "2")


def test_the_hash_does_not_depend_on_how_the_tokenizer_was_last_called():
    tokenizer = copy.deepcopy(tiny_tokenizer("bert"))
    hashes = set()
    for call in ({}, {"truncation": True, "max_length": 5}, {"padding": "max_length", "max_length": 9}):
        tokenizer("a man playing guitar on stage", **call)
        hashes.add(TransformersModel(tiny_model("bert"), tokenizer).hash)
    assert len(hashes) == 1


def test_the_hash_names_the_content(tmp_path):
    model, tokenizer = tiny("bert")
    same = TransformersModel(model, tokenizer, name="another name")
    assert door("bert").hash == same.hash
    assert door("bert").hash != TransformersModel(tiny_model("bert", seed=1), tokenizer).hash
    one = tiny_model("bert", num_labels=1)
    assert TransformersModel(one, tokenizer).hash != TransformersModel(one, tokenizer, outputs="score").hash


@pytest.mark.parametrize(
    ("options", "message"),
    [({"outputs": "logits"}, "probabilities, score"), ({"outputs": "score"}, "3 classes")],
)
def test_wrong_outputs_are_refused(options, message):
    with pytest.raises(GmaskError, match=message):
        door("bert", **options)


def test_a_removal_without_its_token_is_refused():
    with pytest.raises(GmaskError, match=r"no mask token; valid removals: drop, zero, delete"):
        door("gpt2").bind(A, B, removal="mask")
    with pytest.raises(GmaskError, match="drop, zero, mask, delete"):
        door("bert").bind(A, B, removal="blur")


def test_a_slow_tokenizer_is_refused():
    class Slow:
        is_fast = False

    with pytest.raises(GmaskError, match=r"Slow .* fast tokenizer"):
        TransformersModel(tiny("bert")[0], Slow())


def test_a_model_without_a_head_is_refused():
    bound = TransformersModel(tiny("bert")[0].base_model, tiny_tokenizer("bert")).bind(A, B)
    with pytest.raises(GmaskError, match="BertModel is no sequence classifier"):
        bound(np.ones((1, len(bound.words)), dtype=bool))


def test_a_model_that_says_nan_is_refused():
    network = tiny_model("bert")
    with torch.no_grad():
        network.classifier.bias[0] = float("nan")
    bound = TransformersModel(network, tiny_tokenizer("bert")).bind(A, B)
    with pytest.raises(GmaskError, match="not finite"):
        bound(np.ones((1, len(bound.words)), dtype=bool))


def test_a_sentence_without_a_token_is_refused():
    with pytest.raises(GmaskError, match="finds no word in the second sentence"):
        door("bert").bind(A, "\ufffd")  # a sign that this tokenizer drops


def test_pairs_with_different_removals_go_together():
    model = door("bert")
    bounds = [model.bind(A, B, removal=removal) for removal in ("drop", "zero", "mask", "delete")]
    asked = rows(len(bounds[0].words))
    alone = [model.bind(A, B, removal=bound.removal)(asked) for bound in bounds]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        together = model.answer([(bounds[i], asked) for i in order])
        for i, found in zip(order, together, strict=True):
            np.testing.assert_allclose(found, alone[i], atol=1e-5)
            bounds[i]._memory.clear()


def test_embeddings_are_not_read_while_a_pass_changes_them():
    model = door("bert")
    bound, found = model.bind(A, B), []
    with model._classifier.turn:
        reader = threading.Thread(target=lambda: found.append(bound.embed()))
        reader.start()
        reader.join(0.2)
        assert not found
    reader.join()
    assert len(found) == 1


def test_the_hash_sees_the_activation_and_the_limit():
    one, tokenizer = tiny_model("bert", num_labels=1), tiny_tokenizer("bert")
    options = [
        {"outputs": "score"},
        {"activation": torch.nn.Tanh()},
        {"activation": torch.nn.LeakyReLU(0.1)},
        {"activation": torch.nn.LeakyReLU(0.2)},
        {"outputs": "score", "limit": 20},
    ]
    models = [TransformersModel(one, tokenizer, **o) for o in options]
    assert len({model.hash for model in models}) == len(models)
    assert len({json.dumps(model.identity) for model in models}) == len(models)
    short = copy.deepcopy(tokenizer)
    short.model_max_length = 20
    assert TransformersModel(one, short, outputs="score").hash == models[-1].hash
    assert models[-1].identity["limit"] == 20
    three = tiny_model("bert")
    assert TransformersModel(three, tokenizer).hash != TransformersModel(three, tokenizer, outputs="multilabel").hash


def test_the_classes_can_be_given_other_names(tmp_path):
    pair = tiny("bert")
    for part in pair:
        part.save_pretrained(tmp_path)
    for source in (pair, tmp_path):
        model = gmask.load(source, labels=["yes", "perhaps", "no"])
        assert model.labels == ("yes", "perhaps", "no")
        assert gmask.explain(model, A, B, method="leave-one-out", target="no").target == "no"
        assert model.hash != gmask.load(source).hash
    with pytest.raises(GmaskError, match="has 3 classes, but 2 labels were given"):
        gmask.load(pair, labels=["yes", "no"])
    one = tiny_model("bert", num_labels=1)
    assert gmask.load((one, pair[1]), labels=["no", "yes"]).labels == ("no", "yes")
    with pytest.raises(GmaskError, match="a raw score has no labels"):
        gmask.load((one, pair[1]), labels=["no", "yes"], outputs="score")


def test_a_model_says_what_it_is():
    assert (
        repr(door("bert", name="nli")) == "<TransformersModel nli: entailment, neutral, contradiction; 2 layers on cpu>"
    )


def test_a_label_of_several_that_can_hold_is_explained_by_its_own_probability():
    network = tiny_model("bert", problem_type="multi_label_classification")
    with torch.no_grad():
        network.classifier.bias += torch.tensor([3.0, 2.0, -3.0])
    model = gmask.load((network, tiny_tokenizer("bert")))
    first, second, third = (gmask.explain(model, A, B, method="leave-one-out", target=t) for t in model.labels)
    assert [e.holds for e in (first, second, third)] == [e.value >= 0.5 for e in (first, second, third)]
    assert first.holds
    assert second.holds
    assert not third.holds
    with pytest.raises(GmaskError, match="one output"):
        TransformersModel(tiny_model("bert", num_labels=1), tiny_tokenizer("bert"), outputs="multilabel")
