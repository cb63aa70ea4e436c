from __future__ import annotations

import time

import numpy as np
import pytest
import torch
from transformers import BertForSequenceClassification

from gmask.model.transformers import TransformersModel
from tests.model.families import tiny_config, tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."
PLAIN_BATCH = 64


def test_rows_carry_no_padding_and_no_removed_token():
    model = TransformersModel(tiny_model("bert"), tiny_tokenizer("bert"))
    bounds = [model.bind(A, B), model.bind(B, A)]
    kept = np.random.default_rng(0).random((40, len(bounds[0].words))) < 0.5
    widths = []
    for _, inputs in model._gather([(b, row) for b in bounds for row in kept]):
        assert inputs["attention_mask"].all()
        widths.append(inputs["input_ids"].shape[1])
    assert len(widths) == len(set(widths))  # rows of both pairs are together


@pytest.mark.slow
def test_rows_run_at_the_rate_of_a_plain_batched_forward_pass():
    settings = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6, "num_attention_heads": 12}
    network = BertForSequenceClassification(tiny_config("bert", **settings)).eval()
    model = TransformersModel(network, tiny_tokenizer("bert"))
    words = len(model.bind(A, B).words)
    kept = np.random.default_rng(0).random((120, words)) < np.random.default_rng(1).uniform(0.3, 1, (120, 1))
    kept = np.unique(kept, axis=0)
    blocks = [inputs for _, inputs in model._gather([(model.bind(A, B), row) for row in kept])]

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
    ratios = [seconds(plain) / seconds(lambda: model.bind(A, B)(kept)) for _ in range(3)]
    assert max(ratios) > 0.8
