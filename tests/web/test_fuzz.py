from __future__ import annotations

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from gmask.method.base import Method, methods
from gmask.web import Limits, create_app
from gmask.web.settings import offered_settings
from tests.web.conftest import serving
from tests.web.models import models

OPERATIONS = [
    ("POST", "/api/explain"),
    ("POST", "/api/explain/stream"),
    ("DELETE", "/api/explain/{id}"),
    ("POST", "/api/predict"),
    ("POST", "/api/rank"),
    ("GET", "/api/methods"),
    ("GET", "/api/models"),
    ("GET", "/api/models/{name}"),
    ("GET", "/health"),
]
CHECKS = [schemathesis.checks.not_a_server_error, status_code_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def address():
    quick = {name: model for name, model in models().items() if name != "slow"}
    with serving(create_app(quick, limits=Limits(rows=2_000))) as address:
        yield address


@pytest.fixture(scope="module")
def description(address):
    return schemathesis.openapi.from_url(f"{address}/api/openapi.json")


def test_every_operation_is_tried(description):
    found = [(o.ok().method.upper(), o.ok().path) for o in description.get_all_operations()]
    assert sorted(found) == sorted(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "path", "mode"),
    [(*o, GenerationMode.POSITIVE) for o in OPERATIONS if o[0] == "POST" or "{" in o[1]]
    + [(*o, GenerationMode.NEGATIVE) for o in OPERATIONS if o[0] == "POST"],
)
def test_whatever_is_sent_no_answer_is_a_failure_of_the_server(description, verb, path, mode):
    @given(case=description[path][verb].as_strategy(generation_mode=mode))
    @settings(max_examples=40, database=None, suppress_health_check=list(HealthCheck))
    def ask(case):
        case.validate_response(case.call(timeout=60), checks=CHECKS)

    ask()


@pytest.mark.parametrize(("verb", "path"), [o for o in OPERATIONS if o[0] == "GET" and "{" not in o[1]])
def test_what_takes_nothing_answers_as_it_says(description, verb, path):
    case = description[path][verb].Case()
    case.validate_response(case.call(timeout=60), checks=CHECKS)


@st.composite
def questions(draw) -> dict:
    """Questions that get as far as a model: real methods with any settings, any texts."""
    method = draw(st.sampled_from(methods()))
    names = [s["name"] for s in offered_settings(Method.registry[method])]
    value = st.sampled_from(
        [0, 1, 2, -1, 0.5, 1e-9, 3, 12, 40, 1e9, True, None, "", "x", "nan", "inf", "sampling", "paper"]
    )
    text = st.text(max_size=30) | st.text(st.sampled_from("ab .!?\n字👩\u200d\u202e\0<&"), max_size=12)
    return {
        "model": draw(st.sampled_from(["rules", "score", "dattn"])),
        "method": method,
        "first": draw(text),
        "second": draw(text),
        "target": draw(st.sampled_from([None, "neutral", "high", ""])),
        "against": draw(st.sampled_from([None, None, "entailment"])),
        "options": draw(st.dictionaries(st.sampled_from(names), value, max_size=2)) if names else {},
    }


@pytest.mark.slow
@given(question=questions())
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_whatever_reaches_a_method_is_answered_or_refused_in_one_line(address, question):
    for path in ("/api/explain", "/view/explain"):
        response = httpx.post(f"{address}{path}", json=question, timeout=60)
        assert response.status_code in (200, 422), (question, response.text)
        assert "its log says what" not in response.text, question
        if response.status_code == 422:
            assert "\n" not in response.json()["error"]
