"""The packages `lime`, `shap` and `captum` on a Hugging Face pair classifier, wired as their users would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gmask.absence.delete import Delete
from gmask.errors import GmaskError
from gmask.model.bound import BoundPair

if TYPE_CHECKING:
    import torch

    from gmask.model.transformers import TransformersModel

__all__ = ["ORIGINALS", "Plain"]

BATCH = 64  # larger batches are no faster on a processor, and these packages' defaults are smaller
BETWEEN = " \u241e "  # stands between the two sentences where a package takes one text


class Plain:
    """A classifier as its documentation says to use it: tokenizer with padding, batches, softmax. Counts its rows."""

    def __init__(self, model: TransformersModel) -> None:
        self.model, self.tokenizer = model.model, model.tokenizer
        self.rows = 0

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Probabilities `[m, classes]`."""
        found = []
        for start in range(0, len(pairs), BATCH):
            first, second = zip(*pairs[start : start + BATCH], strict=True)
            found.append(self.forward(**self.tokenizer(first, second, padding=True, return_tensors="pt")).numpy())
        return np.concatenate(found)

    def forward(self, **inputs: torch.Tensor) -> torch.Tensor:
        """Probabilities of tokenized rows."""
        import torch

        self.rows += len(inputs["input_ids"])
        with torch.inference_mode():
            probabilities: torch.Tensor = self.model(**inputs).logits.softmax(dim=-1)
        return probabilities


def lime_package(plain: Plain, bound: BoundPair, label: int, samples: int, seed: int) -> None:
    """`LimeTextExplainer` on the two sentences as one text, words by position, removed words deleted."""
    lime_text = _import("lime.lime_text")

    def predict(texts: Sequence[str]) -> np.ndarray:
        return plain([(first, second) for first, _, second in (text.partition(BETWEEN.strip()) for text in texts)])

    explainer = lime_text.LimeTextExplainer(bow=False, mask_string="", random_state=seed)
    n = len(bound.words)
    explainer.explain_instance(BETWEEN.join(bound.texts), predict, labels=[label], num_features=n, num_samples=samples)


def shap_package(plain: Plain, bound: BoundPair, label: int, samples: int, seed: int) -> None:
    """`KernelExplainer` on a vector of kept words, with the empty pair as its background."""
    shap = _import("shap")
    n = len(bound.words)

    def predict(kept: np.ndarray) -> np.ndarray:
        return plain([Delete().texts(bound, row) for row in kept.astype(bool)])[:, label]

    np.random.seed(seed)  # noqa: NPY002  (what shap draws from)
    explainer = shap.KernelExplainer(predict, np.zeros((1, n)))
    explainer.shap_values(np.ones((1, n)), nsamples=samples, silent=True)


def captum_package(plain: Plain, bound: BoundPair, label: int, samples: int, seed: int) -> None:
    """`KernelShap` on token ids, words as the feature mask, the mask token as baseline."""
    import torch

    attr = _import("captum.attr")
    inputs = dict(plain.tokenizer(*bound.texts, return_tensors="pt"))
    ids = inputs.pop("input_ids")
    owners = bound.token_words()
    features = torch.from_numpy(np.where(owners < 0, len(bound.words), owners))[None]
    keep = torch.from_numpy(owners < 0)
    baseline = torch.where(keep, ids, plain.tokenizer.mask_token_id)

    def forward(rows: torch.Tensor) -> torch.Tensor:
        return plain.forward(input_ids=rows, **{name: value.expand(len(rows), -1) for name, value in inputs.items()})

    torch.manual_seed(seed)
    attr.KernelShap(forward).attribute(
        ids, baselines=baseline, target=label, feature_mask=features, n_samples=samples, perturbations_per_eval=BATCH
    )


Original = Callable[[Plain, BoundPair, int, int, int], None]

# The package, what it is held against here, and with how many samples.
ORIGINALS: dict[str, tuple[Original, str, int]] = {
    "lime": (lime_package, "lime", 1000),
    "shap": (shap_package, "kernelshap", 500),
    "captum": (captum_package, "kernelshap", 500),
}


def _import(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise GmaskError(
            f'to compare with {package}, install it: pip install "gmask[dev]"; or give --no-originals'
        ) from None
