"""Methods and metrics are known by the names they give themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

import gmask
from gmask.errors import GmaskError
from gmask.method.base import Method, create
from gmask.method.gmask import Gmask
from gmask.method.loo import Random
from gmask.metric.aopc import Aopc
from gmask.metric.base import Metric


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch):
    gmask.methods(), gmask.metrics()
    for base in (Method, Metric):
        monkeypatch.setattr(base, "registry", dict(base.registry))


def test_a_subclass_without_a_name_of_its_own_replaces_nothing():
    class Quiet(Gmask):
        pass

    class Half(Aopc):
        pass

    assert Method.registry["gmask"] is Gmask
    assert Metric.registry["aopc"] is Aopc
    assert type(create("gmask")) is Gmask


@pytest.mark.parametrize(("base", "kind"), [(Random, "method"), (Aopc, "metric")])
def test_a_name_that_is_taken_is_refused(base, kind):
    with pytest.raises(
        GmaskError, match=rf"there is a {kind} '{base.name}' already \(gmask.*\); give .*Mine another name"
    ):
        type("Mine", (base,), {"name": base.name})
    assert base.registry[base.name] is base


def test_a_class_may_be_defined_anew_as_in_a_notebook():
    def define():
        @dataclass(frozen=True)
        class Mine(Random):
            name: ClassVar[str] = "mine"

        return Mine

    define()
    again = define()
    assert Method.registry["mine"] is again


@pytest.mark.parametrize("name", ["GMASK", "Lime", "gmask:preset=FAST"])
def test_methods_and_presets_are_found_in_any_case(name):
    assert create(name) == create(name.lower())


def test_metrics_removals_units_and_references_are_found_in_any_case():
    box = gmask.load(lambda pairs: [0.5] * len(pairs))
    asked = {"metrics": ["AOPC"], "removal": "Delete+BLANK", "units": "Words", "reference": "Empty"}
    results = gmask.evaluate(box, [("a b", "c")], methods="Random", **asked)
    assert results["random"]["aopc"] == 0
    e = gmask.explain(box, "a b", "c", removal="Delete+BLANK", reference="Empty")
    assert (e.removal, e.reference.kind) == ("delete+blank", "empty")


def test_settings_are_written_behind_a_name_wherever_one_is_given():
    assert create("lime:samples=30").settings["samples"] == 30
    assert create("gmask:preset=paper", k=4).settings["k"] == 4
    with pytest.raises(GmaskError, match="samples of lime is given twice"):
        create("lime:samples=30", samples=40)
    with pytest.raises(GmaskError, match="unknown method 'shap'"):
        create("shap:samples=30")
