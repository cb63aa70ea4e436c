"""Models for tests of the server: quick, slow, a raw score, one with gradients, one with hostile labels."""

from __future__ import annotations

import time

import numpy as np
import torch

from gmask.model.callable import CallableModel
from gmask.model.dattn import DAttnModel
from gmask.model.decomposable import DecomposableAttention
from gmask.model.vocabulary import Vocabulary
from gmask.pair import segment

GUITAR = "A man playing an electric guitar on stage."
BANJO = "A man playing banjo on the floor."
LABELS = ("entailment", "neutral", "contradiction")
SCRIPT = "<script>document.title='broken'</script>"


def rules(pairs: list[tuple[str, str]]) -> np.ndarray:
    """Contradiction for guitar and banjo together, and for stage and floor; entailment for words in common."""
    rows = []
    for first, second in pairs:
        a, b = ({text[s:e].lower() for s, e in segment(text)} for text in (first, second))
        against = 4 * ("guitar" in a and "banjo" in b) + 3 * ("stage" in a and "floor" in b)
        logits = np.array([0.3 * len(a & b - {".", "?"}), 1.0, against])
        rows.append(np.exp(logits) / np.exp(logits).sum())
    return np.array(rows)


def slowly(pairs: list[tuple[str, str]]) -> np.ndarray:
    time.sleep(0.02 * len(pairs))
    return rules(pairs)


def score(pairs: list[tuple[str, str]]) -> list[float]:
    return [3.0 * len(set(a.lower().split()) & set(b.lower().split())) - 4.0 for a, b in pairs]


def dattn() -> DAttnModel:
    torch.manual_seed(3)
    words = sorted({GUITAR[s:e].lower() for s, e in segment(GUITAR)} | {BANJO[s:e].lower() for s, e in segment(BANJO)})
    vocabulary = Vocabulary(words, unknown=50)
    network = DecomposableAttention(len(vocabulary), 16, 24, len(LABELS))
    for parameter in network.parameters():  # far from indifferent
        torch.nn.init.normal_(parameter, std=0.6)
    return DAttnModel(network, vocabulary, LABELS, name="dattn")


def models():
    return {
        "rules": CallableModel(rules, labels=LABELS, name="rules"),
        "slow": lambda: CallableModel(slowly, labels=LABELS, name="slow", batch_size=8),
        "score": CallableModel(score, outputs="score", name="score"),
        "dattn": dattn,
        "hostile": CallableModel(rules, labels=(SCRIPT, "<b>neutral</b>", 'a"b'), name=SCRIPT),
    }
