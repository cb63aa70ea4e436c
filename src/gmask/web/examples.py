"""Pairs to try: the paper's two, and some in the manner of each of its data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example", "model_for"]


@dataclass(frozen=True)
class Example:
    """A pair, what kind of model it is for, and where it is from."""

    origin: str
    task: str  # the beginning of the name of a model it is meant for
    first: str
    second: str


EXAMPLES = (
    Example("The paper", "nli", "A man playing an electric guitar on stage.", "A man playing banjo on the floor."),
    Example(
        "The paper",
        "paraphrase",
        "why are vikings portrayed wearing horned helmets ?",
        "why did vikings have horns on their helmets ?",
    ),
    Example(
        "Like e-SNLI",
        "nli",
        "Two children in yellow raincoats are jumping into a puddle.",
        "Kids are playing outside in the wet.",
    ),
    Example("Like e-SNLI", "nli", "A woman slices a loaf of bread in her kitchen.", "A woman is asleep on a train."),
    Example(
        "Like e-SNLI",
        "nli",
        "A cyclist stops at the top of the hill to drink some water.",
        "A cyclist is training for a race.",
    ),
    Example(
        "Like Quora",
        "paraphrase",
        "How can I fall asleep faster at night?",
        "What is a good way to get to sleep quickly?",
    ),
    Example("Like Quora", "paraphrase", "Which laptop is best for music?", "Which laptop is best for programming?"),
    Example(
        "Like QQP",
        "paraphrase",
        "Is it safe to drink tap water in Lisbon?",
        "Can tourists drink the tap water in Lisbon?",
    ),
    Example("Like QQP", "paraphrase", "Why do cats purr?", "Why do cats sleep so much?"),
    Example(
        "Like MRPC",
        "paraphrase",
        "The airline said on Tuesday it would cut 300 jobs, mostly in its ground crews, to save costs.",
        "To save costs, 300 jobs will go, most of them in ground crews, the airline announced Tuesday.",
    ),
    Example(
        "Like MRPC",
        "paraphrase",
        "Shares of the chip maker rose 4 percent to $31.20 in early trading on Friday.",
        "Shares of the chip maker fell 4 percent to $28.70 in early trading on Friday.",
    ),
)


def model_for(example: Example, names: Sequence[str]) -> str:
    """The model to try an example with: one made for such pairs, or else the default."""
    return next((name for name in names if name.startswith(example.task)), names[0])
