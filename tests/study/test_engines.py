"""Ray gives the same records as this process, in the same order, whatever becomes of its workers."""

from __future__ import annotations

import builtins
import os
import signal
import subprocess
import sys
import time

import pytest

import gmask
from gmask.errors import GmaskError
from gmask.study import batch
from gmask.study.engine import create
from tests.study import boxes

ray = pytest.importorskip("ray")

METHODS = ["leave-one-out", "random"]
WORDS = "python:tests.study.boxes:words"
SLOW = "python:tests.study.boxes:slow"
DEADLY = "python:tests.study.boxes:deadly"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One cluster for all tests; its workers find the tests' own modules, and their death sentences."""
    folder = tmp_path_factory.mktemp("deadly")
    environment = {"DEADLY": str(folder), "PYTHONPATH": os.pathsep.join(["", *sys.path])}
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        runtime_env={"env_vars": environment},
    )
    os.environ["DEADLY"] = str(folder)
    yield folder
    del os.environ["DEADLY"]
    ray.shutdown()


@pytest.mark.slow
def test_evaluate_on_ray_gives_the_same_bytes(cluster, tmp_path):
    for engine in ("local", "ray"):
        gmask.evaluate(WORDS, boxes.some(20), methods=METHODS, output=tmp_path / engine, engine=engine, threads=1)
    one, other = ((tmp_path / engine / "records.jsonl").read_bytes() for engine in ("local", "ray"))
    assert one == other


@pytest.mark.slow
def test_a_worker_that_dies_costs_a_retry_and_no_result(cluster, tmp_path):
    for name in ("local", "ray"):
        if name == "ray":
            for number in (3, 4, 40, 65):
                (cluster / f"p{number}").touch()  # whoever reads this word dies, once
        gmask.evaluate(DEADLY, boxes.some(20), methods=METHODS, output=tmp_path / name, engine=name, threads=1)
        batch(DEADLY, boxes.some(70), tmp_path / f"{name}.jsonl", method="random", engine=name, threads=1)
    assert list(cluster.iterdir()) == []  # they all died
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()
    one, other = ((tmp_path / name / "records.jsonl").read_bytes() for name in ("local", "ray"))
    assert one == other


@pytest.mark.slow
def test_a_pair_that_kills_every_worker_is_told(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("gmask.study.engine.ray.RETRIES", 0)
    (cluster / "p0").touch()
    with pytest.raises(GmaskError, match="task 0: the worker died"):
        gmask.evaluate(DEADLY, boxes.some(1), methods=["random"], engine="ray", workers=1, threads=1)


@pytest.mark.slow
def test_mistakes_of_the_user_come_through_as_they_are(cluster, tmp_path):
    with pytest.raises(GmaskError, match=r"^pair 2 \('\?!'\): the first sentence"):
        batch(WORDS, [("a", "b"), ("?!", "b")], tmp_path / "out.jsonl", method="random", engine="ray", threads=1)
    assert len(list(gmask.study.read_batch(tmp_path / "out.jsonl"))) == 1


@pytest.mark.slow
def test_the_driver_killed_on_ray_goes_on_where_it_stopped(tmp_path):
    boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(100))

    def command(output):
        options = f"--model {SLOW} --method keep-one --engine ray --workers 2 --threads 1".split()
        code = "from gmask.cli import main; main()"
        return [sys.executable, "-c", code, "batch", str(tmp_path / "pairs.tsv"), "-o", str(output), *options]

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["", *sys.path])}
    killed = 0
    while True:
        with subprocess.Popen(command(tmp_path / "killed.jsonl"), env=environment, stderr=subprocess.DEVNULL) as child:
            while child.poll() is None and killed < 2:
                path = tmp_path / "killed.jsonl"
                if path.exists() and path.read_bytes().count(b"\n") >= 30 * (killed + 1):
                    child.send_signal(signal.SIGKILL)
                    killed += 1
                    break
                time.sleep(0.02)
        if child.returncode == 0:
            break
    assert killed == 2
    batch(
        "python:tests.study.boxes:slow", tmp_path / "pairs.tsv", tmp_path / "whole.jsonl", method="keep-one", threads=1
    )
    assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_without_ray_it_is_told_how_to_get_it(monkeypatch):
    true_import = builtins.__import__

    def no_ray(name, *rest, **named):
        if name == "ray":
            raise ImportError(name)
        return true_import(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", no_ray)
    with pytest.raises(GmaskError, match=r"pip install 'gmask\[ray\]'"):
        create("ray")


def test_workers_are_counted():
    with pytest.raises(GmaskError, match="at least one worker"):
        create("ray", workers=0)


def test_threads_are_counted():
    with pytest.raises(GmaskError, match="at least one thread"):
        create("local", threads=0)


@pytest.mark.slow
def test_more_threads_than_any_machine_has_are_refused(cluster):
    with pytest.raises(GmaskError, match="no machine of the cluster has 64 processors"):
        gmask.evaluate(WORDS, boxes.some(1), methods=["random"], engine="ray", threads=64)
