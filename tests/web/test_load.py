from __future__ import annotations

import asyncio
import contextlib
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import gmask
from gmask.explanation import Explanation

CLIENTS, EACH = 50, 20
MEGABYTE = 1024  # kilobytes
WORDS = (
    "man woman boy girl dog cat band crowd guitar banjo piano stage floor street park beach playing singing sleeping "
    "running watching eating red old young loud quiet happy outside inside together alone"
).split()


@contextlib.contextmanager
def running(*command: str, **options):
    """A server in a process of its own: its address and its process."""
    process = subprocess.Popen([sys.executable, "-u", "-m", *command], stdout=subprocess.PIPE, text=True, **options)
    yield re.search(r"http://[^\s)]+", process.stdout.readline())[0], process.pid
    process.terminate()
    process.wait(60)


@pytest.fixture
def serve():
    """The server as a user starts it."""
    with running("gmask", "serve", "--model", "nli-dattn", "--port", "0") as found:
        yield found


@pytest.fixture
def idler(tmp_path):
    """A server with nothing to do: what it takes to answer is the machine's doing, not ours."""
    command = ["http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)]
    with running(*command, stderr=subprocess.DEVNULL) as (address, _):
        yield address


def pairs() -> list[tuple[str, str]]:
    draw = random.Random(7)
    return [
        (f"a {' '.join(draw.choices(WORDS, k=6))} .", f"the {' '.join(draw.choices(WORDS, k=5))} .")
        for _ in range(CLIENTS * EACH)
    ]


def memory(pid: int) -> int:
    """Resident kilobytes."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def method(i: int) -> str:
    return "gmask" if i % 10 == 0 else "leave-one-out"  # gmask takes seven times as long


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_fifty_clients_at_once_are_served_and_the_server_stays_well(serve, idler):
    address, pid = serve
    asked = pairs()
    answers: dict[int, bytes] = {}
    waits: dict[str, list[float]] = {f"{address}health": [], idler: []}
    memories: list[int] = []

    async def client(number: int, http: httpx.AsyncClient) -> None:
        for i in range(number * EACH, (number + 1) * EACH):
            first, second = asked[i]
            body = {"first": first, "second": second, "method": method(i)}
            response = await http.post(f"{address}api/explain", json=body)
            assert response.status_code == 200, response.text
            answers[i] = response.content
            memories.append(memory(pid))

    async def doctor(http: httpx.AsyncClient, over: asyncio.Event) -> None:
        while not over.is_set():
            for place, found in waits.items():
                began = time.monotonic()
                assert (await http.get(place)).status_code == 200
                found.append(time.monotonic() - began)
            await asyncio.sleep(0.1)

    async def main() -> None:
        limits = httpx.Limits(max_connections=None, keepalive_expiry=1)  # before the server gives idle ones up
        async with httpx.AsyncClient(timeout=600, limits=limits) as http:
            assert (await http.get(f"{address}api/models/nli-dattn")).status_code == 200  # is loaded now
            over = asyncio.Event()
            watch = asyncio.create_task(doctor(http, over))
            await asyncio.gather(*(client(number, http) for number in range(CLIENTS)))
            over.set()
            await watch

    began = time.monotonic()
    asyncio.run(main())
    took = time.monotonic() - began
    ours, machines = (sorted(found)[int(0.99 * len(found))] for found in waits.values())
    grown = max(memories) - memories[len(memories) // 4]
    print(f"{took:.0f} s; health {ours:.3f} s, idler {machines:.3f} s (99 %); {grown / MEGABYTE:.0f} MB more")
    assert sorted(answers) == list(range(CLIENTS * EACH))
    assert ours < 1 + machines
    assert grown < 100 * MEGABYTE

    model = gmask.load("nli-dattn")
    for i in [*range(0, len(asked), 2 * EACH), *range(1, len(asked), EACH)]:  # some by each method
        found, expected = Explanation.from_json(answers[i]), gmask.explain(model, *asked[i], method=method(i))
        assert (found.words, found.label, found.settings) == (expected.words, expected.label, expected.settings)
        assert numbers(found) == pytest.approx(numbers(expected), abs=1e-5)  # threads add up in different orders


def numbers(e: Explanation) -> list[float]:
    groups = [number for group in e.groups for number in (group.importance, *group.memberships)]
    return [*e.attributions, *e.probabilities, *e.evidence.kept, *e.evidence.removed, *groups]
