"""The solver benchmark, in small."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.solver import GUITAR, compare_solvers, solvers_table


def test_the_exact_solver_is_faster_at_an_objective_no_worse():
    model = gmask.load("nli-dattn")
    published, exact, reasons = compare_solvers(model, [GUITAR], samples=100, epochs=40)
    assert exact.seconds < published.seconds
    assert reasons.seconds < published.seconds
    assert published.gradient_rows == 100 * 40 + 10 * 10  # GMASK's and IMASK's
    assert published.exact <= published.objective + 1e-6
    assert exact.exact == pytest.approx(exact.objective, abs=0.05)
    assert reasons.objective is reasons.exact is None
    assert solvers_table([published, exact, reasons]).count("\n") == 4


def test_words_are_removed_in_the_same_way_where_it_is_minimised_and_where_it_is_scored(monkeypatch):
    scored = []
    monkeypatch.setattr("gmask.bench.solver._objectives", lambda _, e: scored.append(e) or (0.0, 0.0))
    compare_solvers(gmask.load("nli-dattn"), [GUITAR], samples=10, epochs=2)
    assert {e.removal for e in scored} == {"zero"}  # as the sampling solver's slopes are
    assert {e.settings["solver"] for e in scored} == {"sampling", "exact"}


def test_a_black_box_is_refused():
    box = gmask.load(lambda pairs: [0.5] * len(pairs), labels=["a", "b"])
    with pytest.raises(ValueError, match="needs gradients"):
        compare_solvers(box)
