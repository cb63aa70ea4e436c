"""Services on the loopback that do as they are told, and misbehave as they are told."""

from __future__ import annotations

import json
import math
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def overlap(first, second):
    return len(set(first.split()) & set(second.split())) / 10


def ranks(body):
    """A rerank as Cohere, Jina and vLLM answer: the best first."""
    scores = [overlap(body["query"], text) for text in body["documents"]]
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return {"results": [{"index": i, "relevance_score": scores[i]} for i in order]}


def texts(body):
    """A rerank as TEI answers."""
    found = ranks({"query": body["query"], "documents": body["texts"]})["results"]
    return [{"index": row["index"], "score": row["relevance_score"]} for row in found]


def scores(body):
    """A score as vLLM answers."""
    pairs = zip(body["text_1"], body["text_2"], strict=True)
    return {"data": [{"index": i, "object": "score", "score": overlap(*pair)} for i, pair in enumerate(pairs)]}


def labels(body):
    """Predictions as TEI answers: the likeliest first."""
    found = [overlap(*pair) for pair in body["inputs"]]
    rows = [[{"label": "related", "score": p}, {"label": "unrelated", "score": 1 - p}] for p in found]
    return [sorted(row, key=lambda label: -label["score"]) for row in rows]


def reply(**tokens):
    """A chat completion whose first token is the first of these, with the probabilities of all of them."""
    rows = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in tokens.items()]
    content = [{**rows[0], "top_logprobs": rows}]
    return {"choices": [{"index": 0, "message": {"content": rows[0]["token"]}, "logprobs": {"content": content}}]}


class Fault:
    """What happens in the place of an answer."""

    def __init__(self, status=None, *, body=None, headers=None, cut=False, slow=0.0, drip=0.0):
        self.status, self.body, self.headers = status, body, headers or {}
        self.cut, self.slow, self.drip = cut, slow, drip


class Running:
    """A service, what it was sent, and the faults it has yet to show."""

    def __init__(self, answer):
        self.answer, self.faults, self.lock = answer, [], threading.Lock()
        self.bodies, self.headers, self.at_once, self.most_at_once = [], [], 0, 0


@contextmanager
def serving(answer=ranks, path="/v1/rerank", faults=()):
    """A service at an address of its own; a fault a request, then answers."""
    running = Running(answer)
    running.faults = list(faults)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with running.lock:
                running.bodies.append(body)
                running.headers.append(dict(self.headers))
                fault = running.faults.pop(0) if running.faults else Fault()
                running.at_once += 1
                running.most_at_once = max(running.most_at_once, running.at_once)
            try:
                self._say(fault, body)
            except ConnectionError:  # whoever asked has left
                self.close_connection = True
            finally:
                with running.lock:
                    running.at_once -= 1

        def _say(self, fault, body):
            time.sleep(fault.slow)
            if self.path != path:
                fault = Fault(404, body={"detail": "Not Found"})
            said = fault.body if fault.status else running.answer(body)
            content = json.dumps(said).encode() if not isinstance(said, bytes) else said
            self.send_response(fault.status or 200)
            self.send_header("Content-Length", str(len(content)))
            for name, value in fault.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if fault.cut:
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
                return
            if fault.drip:
                for i in range(len(content)):
                    self.wfile.write(content[i : i + 1])
                    self.wfile.flush()
                    time.sleep(fault.drip)
            else:
                self.wfile.write(content)
            self.wfile.flush()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    running.url = f"http://127.0.0.1:{server.server_address[1]}{path}"
    running.place = f"127.0.0.1:{server.server_address[1]}"
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
