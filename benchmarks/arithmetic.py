"""What oneDNN, and what bfloat16, would make of rows that explanations ask: processor time, and how far answers move.

python benchmarks/arithmetic.py [--model MODEL] [--words 25] [--rows 60]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from transformers import AutoConfig, AutoModelForSequenceClassification

import gmask
from gmask.model.onednn import STEP, TOKENS, Linears
from gmask.model.transformers import TransformersModel
from gmask.model.wordpieces import WordPieces
from gmask.model.zoo import BUILTIN

FAMILIES = ("deberta-v2", "modernbert", "mpnet")
SIZES = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6, "num_attention_heads": 12}
ROUNDS = 3
Multiply = Callable[[torch.Tensor], torch.Tensor]


def random_model(family: str) -> TransformersModel:
    """Six layers of a family with random weights."""
    torch.manual_seed(0)
    tokenizer = WordPieces(BUILTIN / "nli")
    special = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"), 0)
    config = AutoConfig.for_model(family, vocab_size=len(tokenizer), num_labels=3, **special, **SIZES)
    return TransformersModel(AutoModelForSequenceClassification.from_config(config).eval(), tokenizer, name=family)


def in_bfloat16(linears: Linears, linear: nn.Linear) -> Multiply:
    """A layer with weights and inputs in bfloat16."""
    known = vars(linears).setdefault("in_bfloat16", {})
    if linear not in known:
        weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach().bfloat16(), TOKENS)
        known[linear] = weight, None if linear.bias is None else linear.bias.detach().bfloat16()
    weight, bias = known[linear]

    def multiply(x: torch.Tensor) -> torch.Tensor:
        flat = x.reshape(-1, x.shape[-1]).bfloat16()
        filled = F.pad(flat, (0, 0, 0, -len(flat) % STEP))
        found = torch.ops.mkldnn._linear_pointwise(filled, weight, bias, "none", [], "")[: len(flat)]
        return found.float().unflatten(0, x.shape[:-1])

    return multiply


@contextmanager
def as_they_are(_linears: Linears) -> Iterator[None]:
    """PyTorch's own products."""
    yield


WAYS = {
    "PyTorch": lambda stack: stack.enter_context(patch.object(Linears, "replaced", as_they_are)),
    "oneDNN": lambda _: None,
    "bfloat16": lambda stack: stack.enter_context(patch.object(Linears, "_function", in_bfloat16)),
}


def compare(model: TransformersModel, words: int, rows: int, removal: str) -> None:
    """The least processor seconds of some rounds, in turn, and how far probabilities move from single precision."""
    pool = ["man", "old", "house", "plays", "guitar", "red", "dog", "runs"] * words
    texts = [" ".join(pool[:count]) for count in (words // 2, words - words // 2)]
    random = np.random.default_rng(0)
    took: dict[str, float] = {}
    said: dict[str, np.ndarray] = {}
    for _ in range(ROUNDS):
        for way, enter in WAYS.items():
            bound = model.bind(*texts, removal=removal)
            kept = random.random((rows, len(bound.words))) < random.uniform(0.2, 0.9, (rows, 1))
            random = np.random.default_rng(0)
            with ExitStack() as stack:
                enter(stack)
                began = time.process_time()
                said[way] = bound(kept)
            took[way] = min(took.get(way, np.inf), time.process_time() - began)
    moved = abs(said["bfloat16"] - said["oneDNN"])
    print(
        f"| {model.name} | {removal} | {took['PyTorch'] / took['oneDNN']:.1f} "
        f"| {took['oneDNN'] / took['bfloat16']:.1f} | {moved.max():.4f} | {moved.mean():.4f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="nli")
    parser.add_argument("--words", type=int, default=25)
    parser.add_argument("--rows", type=int, default=60)
    given = parser.parse_args()
    print(
        "| model | removal | oneDNN faster than PyTorch | bfloat16 faster than that | moves by at most | on average |"
    )
    print("|---|---|---|---|---|---|")
    for removal in ("drop", "mask"):
        compare(gmask.load(given.model), given.words, given.rows, removal)
    for family in FAMILIES:
        compare(random_model(family), given.words, given.rows, "drop")


if __name__ == "__main__":
    main()
