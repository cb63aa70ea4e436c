"""A service as a model: every kind of it, what it is known by, and what is refused."""

from __future__ import annotations

import json
import pickle
import runpy
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gmask
from gmask.cli.app import app
from gmask.errors import FunctionError, GmaskError
from gmask.model import client
from gmask.model.endpoint import EndpointModel, split_address
from gmask.study import batch, read_batch
from tests.model import services
from tests.model.services import Fault, overlap, reply, serving

A, B = "my guitar is loud", "an electric guitar"
ASK = {"template": "Is {second} in {first}? yes or no", "answers": {"unrelated": "no", "related": "yes"}}
ROOT = Path(__file__).parents[2]
KEY = "sk-0123456789abcdef"


def said(model, first=A, second=B) -> np.ndarray:
    bound = model.bind(first, second)
    return bound(np.ones((1, len(bound.words)), dtype=bool))[0]


@pytest.mark.parametrize(
    ("answer", "path", "options", "field"),
    [
        (services.ranks, "/v1/rerank", {"model_name": "bge"}, "documents"),
        (services.ranks, "/v2/rerank", {}, "documents"),
        (services.ranks, "/rerank", {"model_name": "bge"}, "documents"),
        (services.texts, "/rerank", {}, "texts"),
        (services.scores, "/score", {"model_name": "bge"}, "text_2"),
        (services.scores, "/v1/score", {}, "text_2"),
    ],
)
def test_every_kind_of_reranker_gives_scores(answer, path, options, field):
    with serving(answer, path) as service:
        model = gmask.load(service.url, **options)
        assert said(model) == pytest.approx([overlap(A, B)])
        assert model.raw
        assert all(field in body for body in service.bodies)
        assert {body.get("model") for body in service.bodies} == {options.get("model_name")}
        e = gmask.explain(model, A, B, method="leave-one-out")
        assert {w.text for w in e.top(2)} == {"guitar"}


def test_scores_can_be_read_as_probabilities():
    with serving() as service:
        assert said(gmask.load(service.url, outputs="probabilities")) == pytest.approx([0.9, 0.1])


def test_a_classifier_answers_by_its_labels():
    with serving(services.labels, "/predict") as service:
        model = gmask.load(service.url, labels=["unrelated", "related"])
        assert said(model) == pytest.approx([0.9, 0.1])
        assert model.labels == ("unrelated", "related")
        with pytest.raises(GmaskError, match="must be those of the service: unrelated, related"):
            said(gmask.load(service.url, labels=["no", "yes"]))


def test_a_chat_service_is_asked_for_one_token_and_read_by_its_probabilities():
    with serving(lambda _: reply(yes=0.5, Yes=0.1, no=0.2, maybe=0.1), "/v1/chat/completions") as service:
        model = gmask.load(service.url, model_name="judge", **ASK)
        assert said(model, A, "{first} of all") == pytest.approx([0.25, 0.75])
        assert model.labels == ("unrelated", "related")
        (body, *_) = (b for b in service.bodies if "of all" in json.dumps(b))
        assert body == {
            "model": "judge",
            "messages": [{"role": "user", "content": f"Is {{first}} of all in {A}? yes or no"}],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": 20,
        }


def test_a_chat_service_takes_messages_too():
    messages = [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Is {second} in {first}?"}]
    with serving(lambda _: reply(yes=0.6, no=0.2), "/v1/chat/completions") as service:
        assert said(gmask.load(service.url, template=messages, answers=ASK["answers"])) == pytest.approx([0.25, 0.75])
        asked = [body["messages"] for body in service.bodies]
        assert [messages[0], {"role": "user", "content": f"Is {B} in {A}?"}] in asked
    url = "http://127.0.0.1:9/v1/chat/completions#template={first} or {second}?&answers=unrelated=no,related=yes"
    assert gmask.load(url).labels == ("unrelated", "related")


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ({"yes": 0.8, "maybe": 0.1}, [0.1 / 0.9, 0.8 / 0.9]),  # no: at most as likely as the least that is listed
        ({" YES": 0.3, "\nNo": 0.1}, [0.25, 0.75]),
        ({"y": 0.3, "n": 0.1}, [0.25, 0.75]),  # a long answer is several tokens: its first counts
        ({"yesterday": 0.9, "yes": 0.06, "no": 0.02}, [0.25, 0.75]),
    ],
)
def test_what_counts_as_an_answer(tokens, expected):
    with serving(lambda _: reply(**tokens), "/v1/chat/completions") as service:
        assert said(gmask.load(service.url, **ASK)) == pytest.approx(expected)


def test_a_template_that_gets_no_answer_is_told_of_and_a_single_reply_without_one_is_undecided():
    with serving(lambda _: reply(Sure=0.9, Well=0.1), "/v1/chat/completions") as service:
        with pytest.raises(GmaskError, match="replies begin with none of no, yes; ask for them in the template"):
            said(gmask.load(service.url, **ASK))
        service.answer = lambda body: (
            reply(yes=0.9, no=0.1) if "loud" in json.dumps(body) else reply(Please=0.9, Well=0.1)
        )
        bound = gmask.load(service.url, cache=None, model_name="other", **ASK).bind(A, B)
        assert bound([[0] * len(bound.words)])[0] == pytest.approx([0.5, 0.5])


def test_rows_that_share_the_first_text_go_together_and_keep_their_order():
    with serving() as service:
        model = gmask.load(service.url, batch_size=3)
        pairs = [("a b", "a"), ("c", "c d"), ("a b", "a b"), ("a b", "x"), ("a b", "b b a"), ("c", "x")]
        assert model.function(pairs)[:, 0] == pytest.approx([overlap(*pair) for pair in pairs])
        asked = sorted((body["query"], body["documents"]) for body in service.bodies)
        assert asked == [("a b", ["a", "a b", "x"]), ("a b", ["b b a"]), ("c", ["c d", "x"])]


def test_requests_go_out_together_and_no_more_than_allowed():
    with serving(faults=[Fault(slow=0.05)] * 12) as service:
        model = gmask.load(service.url, concurrency=3)
        model.function([(f"a{i}", "b") for i in range(12)])
        assert service.most_at_once == 3


def test_nothing_is_asked_twice_not_even_after_a_restart(tmp_path):
    def asked(service):
        return [(body.get("model"), body["query"], text) for body in service.bodies for text in body["documents"]]

    with serving() as service:
        for _ in range(2):
            model = gmask.load(service.url, cache=tmp_path)
            gmask.explain(model, "a a loud guitar", "guitar guitar", method="leave-one-out")
        assert len(asked(service)) == len(set(asked(service))) > 5
        gmask.load(service.url, cache=tmp_path, model_name="another").function([(A, B)])
        assert asked(service)[-1] == ("another", A, B)


def test_what_was_answered_before_a_failure_is_not_asked_again():
    with serving(faults=[Fault(), Fault(422, body={"error": "no"})]) as service:
        model = gmask.load(service.url, concurrency=1)
        with pytest.raises(FunctionError):
            model.function([("a", "x"), ("b", "x")])
        model.function([("a", "x"), ("b", "x")])
        assert [body["query"] for body in service.bodies] == ["a", "b", "b"]


def test_the_budget_is_never_exceeded():
    with serving() as service:
        bound = gmask.load(service.url, budget=5).bind(A, B)
        with pytest.raises(GmaskError, match="budget of 5"):
            bound(np.eye(len(bound.words)))
        bound(np.eye(len(bound.words))[:3])
        assert sum(len(body["documents"]) for body in service.bodies) <= 5


def test_a_text_without_words_can_be_sent_as_a_sign():
    def strict(body):
        assert body["query"]
        assert all(body["documents"])
        return services.ranks(body)

    with serving(strict) as service:
        bound = gmask.load(service.url, empty=".").bind(A, B)
        bound([[0] * len(bound.words)])
        assert {"query": ".", "documents": ["."]} in service.bodies
        service.faults = [Fault(400, body={"message": "query is required"})]
        with pytest.raises(FunctionError, match=r'400 Bad Request: query is required\); .* empty="\."'):
            gmask.load(service.url).function([("", "b")])


def test_the_key_comes_from_the_environment_and_is_written_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("SERVICE_KEY", KEY)
    with serving(faults=[Fault(401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}})]) as service:
        model = gmask.load(service.url, key_env="SERVICE_KEY", cache=tmp_path / "answers")
        with pytest.raises(FunctionError, match="401 Unauthorized: Incorrect API key provided: …") as told:
            model.bind(A, B)(np.ones((1, 7)))
        batch(model, [(A, B)], tmp_path / "out.jsonl", method="leave-one-out")
        assert {headers["Authorization"] for headers in service.headers} == {f"Bearer {KEY}"}
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    seen = b"".join([*kept, repr([model, vars(model), model.identity, told.value]).encode(), pickle.dumps(model)])
    assert KEY.encode() not in seen
    assert not any(b"guitar" in path.read_bytes() for path in (tmp_path / "answers").iterdir())


def test_its_hash_is_of_who_is_asked_and_how_and_not_of_keys_or_patience(monkeypatch, tmp_path):
    monkeypatch.setenv("SERVICE_KEY", KEY)
    url = "http://127.0.0.1:9/v1/chat/completions"
    plain = gmask.load(url, **ASK)
    same = gmask.load(url, **ASK, key_env="SERVICE_KEY", timeout=5, retries=1, concurrency=2, cache=tmp_path)
    assert plain.hash == same.hash == pickle.loads(pickle.dumps(plain)).hash
    others = [
        gmask.load(url.replace(":9", ":10"), **ASK),
        gmask.load(url, **ASK, model_name="judge"),
        gmask.load(url, **ASK, empty="."),
        gmask.load(url, answers=ASK["answers"], template="{first}? {second}?"),
        gmask.load(url, answers=["no", "yes"], template=ASK["template"]),
    ]
    assert len({m.hash for m in (plain, *others)}) == 6
    assert not plain.hash.endswith("-partly")


def test_a_model_can_be_sent_to_another_process():
    with serving() as service:
        model = gmask.load(service.url)
        assert said(pickle.loads(pickle.dumps(model))) == pytest.approx(said(model))


def test_options_can_stand_behind_the_address():
    address = (
        "http://127.0.0.1:9/v1/chat/completions#template={first} or {second}?&answers=no, yes&timeout=2.5&retries=1"
    )
    url, options = split_address(address)
    assert url == "http://127.0.0.1:9/v1/chat/completions"
    assert options == {"template": "{first} or {second}?", "answers": ["no", "yes"], "timeout": 2.5, "retries": 1}
    assert gmask.load(address).labels == ("no", "yes")


def test_the_command_line_takes_an_address():
    with serving() as service:
        done = CliRunner().invoke(
            app, ["explain", A, B, "-m", "leave-one-out", "--model", f"{service.url}#model_name=bge"]
        )
        assert done.exit_code == 0, done.output
        assert "guitar" in done.stdout
        assert service.bodies[0]["model"] == "bge"


@pytest.mark.parametrize(
    ("url", "options", "told"),
    [
        (
            "http://127.0.0.1/v1/embeddings",
            {},
            "unknown kind of service .* valid: an address ending in /rerank, .*/score",
        ),
        ("http://:80/rerank", {}, "no address of a service"),
        ("http://h:99999/rerank", {}, "no address of a service"),
        ("http://[::1/rerank", {}, "no address of a service"),
        ("http://h/re rank/rerank", {}, "no address of a service"),
        ("https://me:sk-1@h/rerank", {}, "no key may stand in an address; .* key_env=NAME"),
        ("https://h/rerank?api_key=sk-1", {}, "no key may stand in an address"),
        ("http://h/rerank", {"api_key": "sk-1"}, "unknown option of this kind of model: 'api_key'; valid: .*key_env"),
        ("http://h/rerank", {"key_env": "NOT_THERE"}, "environment variable NOT_THERE .* is not set"),
        ("http://h/rerank", {"key_env": "TWO_LINES"}, "environment variable TWO_LINES holds signs that no key has$"),
        ("http://h/rerank", {"concurrency": 0}, "concurrency must be a whole number of at least 1, not 0"),
        ("http://h/rerank", {"timeout": 0}, "timeout must be a number of seconds above 0, not 0"),
        ("http://h/rerank#timeout=soon", {}, "timeout in the address must be a number, not 'soon'"),
        (
            "http://h/rerank",
            {"outputs": "multilabel"},
            "unknown outputs of a /rerank service: 'multilabel'; valid: score",
        ),
        ("http://h/rerank", ASK, "template and answers are for services whose address ends in /chat/completions"),
        ("http://h/predict", {}, "answers by label; give its labels"),
        ("http://h/chat/completions", {}, r"needs a template, with \{first\} and \{second\}, and answers"),
        ("http://h/chat/completions", {**ASK, "template": "{first}"}, r"the template '\{first\}' has no \{second\}"),
        ("http://h/chat/completions", {**ASK, "template": "qwen3-reranker"}, "give a service the text itself"),
        (
            "http://h/chat/completions",
            {**ASK, "answers": ["yes", "Yes"]},
            "two or more different texts, not 'yes', 'Yes'",
        ),
        ("http://h/chat/completions", {**ASK, "labels": ["a", "b"]}, "leave `labels` out"),
    ],
)
def test_what_cannot_be_asked_is_refused_when_it_is_loaded(url, options, told, monkeypatch):
    monkeypatch.setenv("TWO_LINES", "sk-1\nsk-2")
    with pytest.raises(GmaskError, match=told) as error:
        gmask.load(url, **options)
    assert "sk-" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("answer", "path", "told"),
    [
        ({"results": [{"index": 0, "relevance_score": 0.5}]}, "/v1/rerank", "without a score for every pair"),
        (
            {"results": [{"index": i, "relevance_score": None} for i in (0, 1)]},
            "/v1/rerank",
            "without a score for every",
        ),
        ({"results": [{"index": i, "relevance_score": float("nan")} for i in (0, 1)]}, "/v1/rerank", "NaN"),
        ({"error": "model not found"}, "/v1/rerank", "without a score for every pair: .*model not found"),
        ({"choices": [{"message": {}, "logprobs": None}]}, "/v1/chat/completions", "without log-probabilities"),
        ([[{"score": 1}], [{"score": 1}]], "/predict", "without labels for every pair"),
    ],
)
def test_an_answer_without_the_numbers_is_told_of_and_not_kept(answer, path, told):
    options = {"/predict": {"labels": ["a", "b"]}, "/v1/chat/completions": ASK}.get(path, {})
    with serving(lambda _: answer, path) as service:
        model = EndpointModel(service.url, concurrency=1, **options)
        for _ in range(2):
            with pytest.raises(FunctionError, match=f"the service at {service.place} answered .*{told}"):
                model.function([("a", "b"), ("a", "c")])
        assert len(service.bodies) == 2


def test_a_run_asks_again_what_a_service_did_not_answer(tmp_path):
    pairs = [(f"guitar {i}", B) for i in range(20)]
    with serving() as service:
        model = gmask.load(service.url, retries=0, concurrency=1)
        service.faults = [Fault()] * 30 + [Fault(500)] * 20
        tally = batch(model, pairs, tmp_path / "out.jsonl", method="leave-one-out", skip_bad=True)
        assert tally.failed > 0
        tally = batch(model, pairs, tmp_path / "out.jsonl", method="leave-one-out")
        assert (tally.explained, tally.failed) == (20, 0)
        assert [e.first for e in read_batch(tmp_path / "out.jsonl")] == [first for first, _ in pairs]


def test_many_pairs_through_a_limited_and_faulty_service_none_lost_none_asked_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(client, "FIRST_WAIT", 0.02)
    measure = runpy.run_path(str(ROOT / "benchmarks" / "endpoint.py"))["measure"]
    monkeypatch.setitem(measure.__globals__, "KINDS", {"500": 1, "429": 1, "cut off": 1})  # too late takes its time
    monkeypatch.setitem(measure.__globals__, "FAULTS", 0.1)
    found = measure(40, 1000, tmp_path)
    assert sum(found["faults"].values()) > 0
    wrong = ("lost", "failed", "answered twice", "requests when started again")
    assert {name: found[name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert found["most questions a pair"] <= found["budget"]
