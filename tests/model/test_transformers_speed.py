from __future__ import annotations

import time
from importlib.metadata import version

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import BertForSequenceClassification

from gmask.errors import GmaskError
from gmask.model.narrow import last_attention
from gmask.model.onednn import STEP
from gmask.model.packing import PADDING
from gmask.model.ragged import Ragged, ragged
from gmask.model.transformers import TransformersModel
from tests.model.families import tiny_config, tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."
PLAIN_BATCH = 64
LOOKS_AT_MASKS = int(version("transformers").startswith("4."))  # its own code does, once a call


def test_rows_carry_no_removed_token_and_next_to_no_padding():
    model = TransformersModel(tiny_model("bert"), tiny_tokenizer("bert"))
    bounds = [model.bind(A, B, removal="drop"), model.bind(B, A, removal="drop")]
    kept = np.random.default_rng(0).random((40, len(bounds[0].words))) < 0.5
    widths = []
    for _, inputs in model._gather(model._classifier, [(b, row) for b in bounds for row in kept]):
        padding = (inputs["attention_mask"] == 0).sum(axis=1)
        assert all(padding[padding == p].sum() <= PADDING for p in set(padding))
        widths.append(inputs["input_ids"].shape[1])
    assert len(widths) == len(set(widths))  # rows of both pairs are together


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "gpt2"])
def test_few_rows_of_many_widths_are_few_calls_and_the_same_answers(kind):
    model, calls = TransformersModel(tiny_model(kind), tiny_tokenizer(kind)), []
    kept = np.tril(np.ones((14, len(model.bind(A, B).words)), dtype=bool), k=0)
    model.model.register_forward_hook(lambda *_: calls.append(1))
    together = model.bind(A, B, removal="drop")(kept)
    assert (
        len(calls) == 14 if kind == "gpt2" else len(calls) < 3
    )  # a decoder reads the last token, so nothing may follow it
    alone = np.concatenate([model.bind(A, B, removal="drop")(row[None]) for row in kept])
    np.testing.assert_allclose(together, alone, atol=2e-6)


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra"])
def test_the_last_layer_works_on_the_token_that_is_read_and_the_model_stays_as_it_was(kind):
    network = tiny_model(kind)
    seen = []
    network.base_model.encoder.layer[-1].intermediate.register_forward_hook(
        lambda _module, inputs, _found: seen.append(inputs[0].shape[1])
    )
    bound = TransformersModel(network, tiny_tokenizer(kind)).bind(A, B)
    seen.clear()
    answers = bound(np.ones((1, len(bound.words)), dtype=bool))
    inputs = {name: torch.from_numpy(v)[None] for name, v in bound.state.inputs.items()}
    with torch.inference_mode():
        usual = network(**inputs).logits.softmax(-1).numpy()
    assert seen == [1, len(bound.state.owners)]
    np.testing.assert_allclose(answers, usual, atol=2e-6)


class Averaging(nn.Module):
    """A head that reads all tokens."""

    def __init__(self, size: int, labels: int) -> None:
        super().__init__()
        self.out = nn.Linear(size, labels)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.out(hidden.mean(dim=1))
        return found


def test_a_head_that_reads_every_token_gets_every_token():
    network = tiny_model("roberta")
    assert last_attention(network) is not None
    network.classifier = Averaging(network.config.hidden_size, network.config.num_labels)
    assert last_attention(network) is None


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("kind", ["bert", "roberta", "electra"])
def test_rows_of_many_widths_go_together_without_padding_and_the_last_layer_makes_no_keys(kind, attention):
    network, keys, different, widths = tiny_model(kind), [], [], []
    network.set_attn_implementation(attention)
    network.base_model.encoder.layer[-1].attention.self.key.register_forward_hook(lambda *_: keys.append(1))
    model = TransformersModel(network, tiny_tokenizer(kind), batch_tokens=200)
    bounds = [model.bind(A, B, removal="drop"), model.bind(B, A, removal="drop")]
    keys.clear()
    first = model.model.base_model.encoder.layer[0]
    first.attention.self.key.register_forward_hook(lambda _m, inputs, _f: different.append(inputs[0].shape[1]))
    first.intermediate.register_forward_hook(lambda _m, inputs, _f: widths.append(inputs[0].shape[1]))
    kept = np.tril(np.ones((14, len(bounds[0].words)), dtype=bool))
    packed = model.answer([(bound, kept) for bound in bounds])
    assert not keys
    tokens = sum(int(bound.state.spread(kept).sum()) for bound in bounds)
    assert tokens <= sum(widths) < tokens + STEP * len(widths)
    assert max(widths) <= 200 + STEP
    assert sum(different) < tokens / 2  # the same token at the same place is given its key once
    masked = TransformersModel(network, tiny_tokenizer(kind), packing=False)
    for bound, found in zip(bounds, packed, strict=True):
        np.testing.assert_allclose(found, masked.bind(*bound.texts, removal="drop")(kept), atol=2e-6)
    assert keys


def test_what_is_not_built_as_bert_is_or_was_changed_is_run_as_it_is():
    assert ragged(tiny_model("distilbert")) is None
    assert ragged(tiny_model("mpnet")) is None
    network = tiny_model("bert")
    own = network.base_model.encoder.layer[0].attention.self
    own.key = nn.Sequential(own.key, nn.Tanh())
    assert ragged(network) is None
    decoder = BertForSequenceClassification(tiny_config("bert", is_decoder=True)).eval()
    assert ragged(decoder) is None


def test_a_batch_that_does_not_fit_in_memory_is_halved(monkeypatch):
    model = TransformersModel(tiny_model("bert"), tiny_tokenizer("bert"))
    usual, sizes = model._classifier._ragged.logits, []

    def limited(blocks):
        sizes.append(sum(block["input_ids"].size for block in blocks))
        if sizes[-1] > 60:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return usual(blocks)

    kept = np.tril(np.ones((14, len(model.bind(A, B).words)), dtype=bool))
    whole = model.bind(A, B)(kept)
    monkeypatch.setattr(model._classifier._ragged, "logits", limited)
    np.testing.assert_allclose(model.bind(A, B)(kept), whole, atol=2e-6)
    assert sizes[0] > 60
    assert sizes[-1] <= 60
    monkeypatch.setattr(model._classifier._ragged, "logits", lambda _: limited([{"input_ids": np.zeros((9, 9))}]))
    with pytest.raises(GmaskError, match="not enough memory to run the model on"):
        model.bind(A, B)(kept)


@pytest.mark.slow
def test_rows_run_at_the_rate_of_a_plain_batched_forward_pass():
    settings = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6, "num_attention_heads": 12}
    network = BertForSequenceClassification(tiny_config("bert", **settings)).eval()
    model = TransformersModel(network, tiny_tokenizer("bert"))
    words = len(model.bind(A, B).words)
    kept = np.random.default_rng(0).random((120, words)) < np.random.default_rng(1).uniform(0.3, 1, (120, 1))
    kept = np.unique(kept, axis=0)
    questions = [(model.bind(A, B, removal="drop"), row) for row in kept]
    blocks = [inputs for _, inputs in model._gather(model._classifier, questions)]

    def plain() -> None:
        with torch.inference_mode():
            for inputs in blocks:
                tensors = {name: torch.from_numpy(v) for name, v in inputs.items() if name != "position_ids"}
                for at in range(0, len(inputs["input_ids"]), PLAIN_BATCH):
                    network(**{name: values[at : at + PLAIN_BATCH] for name, values in tensors.items()})

    def seconds(run) -> float:
        began = time.process_time()
        run()
        return time.process_time() - began

    plain()
    ratios = [seconds(plain) / seconds(lambda: model.bind(A, B, removal="drop")(kept)) for _ in range(3)]
    assert max(ratios) > 0.8


class Sent(TorchDispatchMode):
    """What a device is made to do: how often it must be waited for, and how many attentions it computes."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = self.attentions = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        self.waits += name in ("_local_scalar_dense", "nonzero", "_unique2", "unique_dim", "equal", "is_nonzero")
        self.attentions += "scaled_dot_product" in name
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra"])
def test_an_accelerator_is_sent_one_array_a_call_waited_for_never_and_attends_once_a_layer(kind, monkeypatch):
    network = tiny_model(kind)
    model = TransformersModel(network, tiny_tokenizer(kind))
    bound = model.bind(A, B)
    kept = np.tril(np.ones((14, len(bound.words)), dtype=bool))
    by_width = bound(kept)
    accelerated = TransformersModel(network, tiny_tokenizer(kind))
    usual = accelerated._classifier._ragged
    accelerated._classifier._ragged = Ragged(usual.model, padded=True)
    copies, send = [], Ragged.sent
    monkeypatch.setattr(Ragged, "sent", lambda self, arrays: copies.append(1) or send(self, arrays))
    calls, logits = [], Ragged.logits

    def watched(self, blocks):
        with Sent() as sent:
            found = logits(self, blocks)
        calls.append((len(copies), sent.waits, sent.attentions))
        copies.clear()
        return found

    monkeypatch.setattr(Ragged, "logits", watched)
    at_once = accelerated.bind(A, B)(kept)
    np.testing.assert_allclose(at_once, by_width, atol=2e-6)
    assert {(copies, attentions) for copies, _, attentions in calls} == {(1, network.config.num_hidden_layers - 1)}
    assert max(waits for _, waits, _ in calls) <= LOOKS_AT_MASKS
    calls.clear()
    model.bind(A, B)(kept)
    assert {copies for copies, _, _ in calls} == {1}
    assert max(attentions for _, _, attentions in calls) > network.config.num_hidden_layers  # one a width


def test_masked_rows_and_whole_pairs_go_together_too():
    for kind in ("bert", "roberta"):
        network = tiny_model(kind)
        model = TransformersModel(network, tiny_tokenizer(kind))
        bound = model.bind(A, B, removal="mask")
        kept = np.random.default_rng(0).random((9, len(bound.words))) < 0.5
        ways = [model._classifier.takes_together(inputs) for _, inputs in model._rows([(bound, row) for row in kept])]
        assert all(ways)
        plain = TransformersModel(network, tiny_tokenizer(kind))
        plain._classifier._ragged = None
        np.testing.assert_allclose(bound(kept), plain.bind(A, B, removal="mask")(kept), atol=2e-6)
