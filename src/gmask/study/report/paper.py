"""The figures of the paper (Chen et al., NAACL 2021), to stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DATASETS", "MODELS", "paper_figure", "title_of_data", "title_of_model"]

DATASETS = ("e-SNLI", "Quora", "QQP", "MRPC")  # the paper's columns
MODELS = ("DAttn", "BERT")  # the paper's rows

_DATA_TITLES = {"esnli": "e-SNLI", "snli": "e-SNLI", "quora": "Quora", "qqp": "QQP", "mrpc": "MRPC"}

_METHODS = {"lime": "LIME", "l2x": "L2X", "iba": "IBA", "imask": "IMASK", "gmask": "GMASK"}

Row = tuple[float, float, float, float]

_ACCURACY: Mapping[str, Row] = {"DAttn": (86.62, 86.78, 85.00, 68.30), "BERT": (90.38, 90.48, 89.00, 83.70)}

_FIGURES: Mapping[str, Mapping[tuple[str, str], Row]] = {
    "aopc": {
        ("DAttn", "LIME"): (0.286, 0.120, 0.079, 0.064),
        ("DAttn", "L2X"): (0.299, 0.128, 0.079, 0.035),
        ("DAttn", "IBA"): (0.354, 0.137, 0.104, 0.109),
        ("DAttn", "IMASK"): (0.324, 0.140, 0.087, 0.064),
        ("DAttn", "GMASK"): (0.361, 0.142, 0.095, 0.091),
        ("BERT", "LIME"): (0.221, 0.153, 0.110, 0.062),
        ("BERT", "L2X"): (0.310, 0.119, 0.134, 0.083),
        ("BERT", "IBA"): (0.282, 0.199, 0.144, 0.114),
        ("BERT", "IMASK"): (0.292, 0.232, 0.139, 0.130),
        ("BERT", "GMASK"): (0.319, 0.309, 0.181, 0.200),
    },
    "degradation": {
        ("DAttn", "LIME"): (0.502, 0.070, 0.091, 1.367),
        ("DAttn", "L2X"): (0.366, 0.002, 0.036, 1.779),
        ("DAttn", "IBA"): (0.423, 0.110, 0.197, 2.775),
        ("DAttn", "IMASK"): (0.436, 0.152, 0.214, 2.037),
        ("DAttn", "GMASK"): (0.620, 0.178, 0.238, 2.790),
        ("BERT", "LIME"): (0.188, 0.192, 0.087, 0.018),
        ("BERT", "L2X"): (0.303, 0.168, 0.173, -0.003),
        ("BERT", "IBA"): (0.166, 0.038, 0.176, 0.050),
        ("BERT", "IMASK"): (0.369, 0.303, 0.172, 0.251),
        ("BERT", "GMASK"): (0.576, 0.726, 0.707, 0.533),
    },
    "seconds": {
        ("DAttn", "LIME"): (20.17, 20.45, 20.43, 19.12),
        ("DAttn", "L2X"): (0.01, 0.02, 0.02, 0.01),
        ("DAttn", "IBA"): (9.87, 9.93, 9.96, 9.24),
        ("DAttn", "IMASK"): (0.17, 0.19, 0.18, 0.12),
        ("DAttn", "GMASK"): (11.10, 11.23, 11.25, 10.96),
        ("BERT", "LIME"): (13.41, 14.01, 14.08, 13.21),
        ("BERT", "L2X"): (0.02, 0.02, 0.02, 0.01),
        ("BERT", "IBA"): (3.29, 3.38, 3.34, 3.20),
        ("BERT", "IMASK"): (0.62, 0.70, 0.71, 0.59),
        ("BERT", "GMASK"): (43.24, 43.56, 43.77, 42.84),
    },
}


def title_of_data(name: str) -> str:
    """A data set as the paper calls it, or as it is."""
    return _DATA_TITLES.get(name, name)


def title_of_model(kind: str, name: str) -> str:
    """A model as the paper calls its kind, or by its own name."""
    return {"dattn": "DAttn", "bert": "BERT"}.get(kind, name)


def paper_figure(metric: str, model: str, data: str, method: str | None = None) -> float | None:
    """What the paper reports, with models and data titled as here; `metric` may be `accuracy` (in percent)."""
    if data not in DATASETS:
        return None
    row = _ACCURACY.get(model) if metric == "accuracy" else None
    if method is not None:
        row = _FIGURES.get(metric, {}).get((model, _METHODS.get(method.partition(":")[0], "")))
    return None if row is None else row[DATASETS.index(data)]
