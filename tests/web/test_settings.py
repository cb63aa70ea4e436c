from __future__ import annotations

import re

import pytest

from gmask.errors import GmaskError
from gmask.method.base import Method, methods
from gmask.web.limits import Limits
from gmask.web.pages import MOST_METHODS
from gmask.web.settings import method_of, offered_settings


def test_settings_are_read_by_their_type():
    method = method_of("lime", {"samples": "120", "regression": "lasso"}, Limits())
    assert method.settings["samples"] == 120
    assert method_of("lime", {"samples": 120}, Limits()).settings["samples"] == 120


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("nothing", {}, "valid: .*gmask"),
        ("lime", {"sample": 3}, "valid: samples"),
        ("lime", {"samples": "many"}, "takes int"),
        ("lime", {"samples": 1.5}, "takes int"),
        ("lime", {"samples": 10**9}, "at most 4000 here"),
        ("lime", {"width": "nan"}, "at most"),
        ("lime", {"width": "inf"}, "at most"),
        ("lime", {"regression": "forest"}, "valid: ridge, lasso"),
        ("gmask", {"k": 16}, "at most 12 here"),
        ("gmask", {"preset": "paper", "restarts": 5000}, "at most 64 here"),
        ("gmask", {"groups": 1000}, "at most 8 here"),
        ("leave-one-out", {"samples": 3}, "none"),
    ],
)
def test_what_is_wrong_or_too_much_is_refused(name, options, said):
    with pytest.raises(GmaskError, match=said):
        method_of(name, options, Limits())


@pytest.mark.parametrize("name", ["iba", "l2x"])
def test_no_setting_names_a_file_of_the_server(name):
    files = {"statistics", "selector"}
    assert not files & {setting["name"] for setting in offered_settings(Method.registry[name])}
    for key in files:
        with pytest.raises(GmaskError, match="unknown option"):
            method_of(name, {key: "/etc/passwd"}, Limits())


def test_the_defaults_of_every_method_are_within_the_bounds():
    for name in methods():
        plain = {s["name"]: s["default"] for s in offered_settings(Method.registry[name]) if s["default"] is not None}
        assert method_of(name, plain, Limits()) == method_of(name, {}, Limits())


def test_the_page_can_compare_all_methods():
    assert len(methods()) <= MOST_METHODS


def test_a_form_that_nobody_touched_chooses_nothing(client):
    page = client.get("/").text
    selects = re.findall(r'<select data-option="[^"]*" data-default="([^"]*)">(.*?)</select>', page, re.DOTALL)
    assert len(selects) >= 5
    for default, options in selects:
        ((value, text),) = re.findall(r'<option( value="")? selected>([^<]*)<', options)
        assert ("" if value else text) == default
