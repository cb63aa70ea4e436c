"""Many pairs through a service that limits its rate and fails on some requests: is any lost, or asked about twice?

    python benchmarks/endpoint.py [PAIRS] [REQUESTS_A_SECOND]

The service is on the loopback. Of its requests 5 % go wrong: 500, 429, an answer that is cut off, one that comes too
late; besides, it refuses what is beyond its rate with 429. 10,000 pairs take a few minutes; it gives up after 15.
Exits with 1 if a pair is lost, a question is answered twice, or a pair takes more questions than its budget.
"""

from __future__ import annotations

import faulthandler
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from gmask.model import load
from gmask.study import batch, read_batch

FAULTS = 0.05
BUDGET = 13  # just what leave-one-out needs here
TIMEOUT = 2.0  # long enough that on a busy machine nothing but the fault is too late
KINDS = {"500": 0.35, "429": 0.35, "cut off": 0.25, "too late": 0.05}
LONGEST = 15 * 60


class Faulty(ThreadingHTTPServer):
    """A reranker on the loopback that keeps count of what it answered."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, rate, seed=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1/rerank"
        self.rate, self.random, self.lock = rate, random.Random(seed), threading.Lock()
        self.room, self.seen = rate / 10, time.monotonic()
        self.requests, self.faults, self.answered = 0, Counter(), Counter()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def fault(self):
        """What goes wrong with a request, if something does."""
        with self.lock:
            self.requests += 1
            now = time.monotonic()
            self.room, self.seen = min(self.rate / 10, self.room + (now - self.seen) * self.rate), now
            if self.room < 1:
                found = "beyond the rate"
            else:
                self.room -= 1
                (found,) = self.random.choices(list(KINDS), list(KINDS.values()))
                found = found if self.random.random() < FAULTS else None
            self.faults[found] += 1
            return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = self.server.fault()
        if fault in ("500", "429", "beyond the rate"):
            return self.say(500 if fault == "500" else 429, {"error": fault})
        if fault == "too late":
            time.sleep(TIMEOUT * 1.5)
            self.close_connection = True
            return None
        query, texts = body["query"], body["documents"]
        scores = [len(set(query.split()) & set(text.split())) / 10 for text in texts]
        results = [{"index": i, "relevance_score": score} for i, score in enumerate(scores)]
        self.say(200, {"results": sorted(results, key=lambda row: -row["relevance_score"])}, cut=fault == "cut off")
        if fault is None:
            with self.server.lock:
                self.server.answered.update((query, text) for text in texts)
        return None

    def say(self, status, said, *, cut=False):
        content = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = cut
        self.wfile.flush()

    def handle(self):
        with suppress(ConnectionError):  # whoever did not wait has left
            super().handle()

    def log_message(self, *_):
        pass


def measure(pairs, rate, folder):
    """Explain the pairs, then once more with a model that has only what was kept; what the service saw of it."""
    server = Faulty(rate)
    given = [(f"fox{i}", f"red{i} fox{i} runs{i} away{i}") for i in range(pairs)]  # words that tell their pair
    began, calls = time.monotonic(), []
    explained = failed = 0
    for turn in ("first", "again"):
        model = load(server.url, cache=folder / "answers", budget=BUDGET, timeout=TIMEOUT, concurrency=16, retries=10)
        tally = batch(model, given, folder / f"{turn}.jsonl", method="leave-one-out", reference="empty", skip_bad=True)
        explained, failed = explained + tally.explained, failed + tally.failed
        calls.append(server.requests)
    server.shutdown()
    server.server_close()
    questions = Counter()
    for query, text in server.answered:
        for number in set(re.findall(r"[a-z](\d+)", f"{query} {text}")):
            questions[number] += 1
    kept = [e.first for e in read_batch(folder / "first.jsonl")]
    return {
        "pairs": pairs,
        "lost": pairs - sum(first == pair[0] for first, pair in zip(kept, given, strict=False)),
        "failed": failed,
        "questions": len(server.answered),
        "answered twice": sum(times > 1 for times in server.answered.values()),
        "most questions a pair": max(questions.values()),
        "budget": BUDGET,
        "requests": calls[0],
        "requests when started again": calls[1] - calls[0],
        "faults": {str(name): times for name, times in server.faults.items() if name},
        "seconds": round(time.monotonic() - began, 1),
    }


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rate = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    with tempfile.TemporaryDirectory() as temporary:
        found = measure(pairs, rate, Path(temporary))
    for name, value in found.items():
        print(f"{name}: {value}")
    wrong = [found["lost"], found["failed"], found["answered twice"], found["requests when started again"]]
    sys.exit(1 if any(wrong) or found["most questions a pair"] > BUDGET else 0)


if __name__ == "__main__":
    main()
