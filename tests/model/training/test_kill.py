"""Training killed with SIGKILL and started again ends with the same bytes as training left alone."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.model.training.toys import write_encoder, write_pairs, write_vectors

PROGRAM = """
import sys
from pathlib import Path
from gmask.model.training.corpus import gather
from gmask.model.training.loop import Settings

kind, output = sys.argv[1], Path(sys.argv[2])
settings = Settings(epochs=3, batch_size=2, lr=1e-3, checkpoint_steps=7, patience=3)
log = lambda line: print(line, flush=True)
if kind == "dattn":
    from gmask.model.training.dattn import train_dattn
    train_dattn(gather(["pairs"]), output, vectors=Path("vectors.txt"), settings=settings, log=log)
else:
    from gmask.model.training.bert import train_bert
    train_bert(gather(["pairs"]), output, encoder="tiny", settings=settings, vocabulary=10, log=log)
"""


def start(folder: Path, kind: str, output: str) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, kind, output], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dattn", "bert"])
def test_killed_at_random_moments_and_resumed_training_ends_with_the_same_weights(tmp_path, kind):
    write_pairs(tmp_path / "pairs", {"train": 60, "dev": 20, "test": 20})
    write_vectors(tmp_path / "vectors.txt")
    write_encoder(tmp_path / "tiny")
    assert start(tmp_path, kind, "whole").wait(300) == 0
    killed = 0
    while True:
        process = start(tmp_path, kind, "killed")
        checkpoint = tmp_path / "killed" / ".training" / "checkpoint.safetensors"
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        while process.poll() is None and not (checkpoint.exists() and checkpoint.stat().st_mtime_ns > before):
            time.sleep(0.005)
        if killed < 2 and process.poll() is None:
            time.sleep(random.random() * 0.1)
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
        elif process.wait(300) == 0:
            break
    assert killed
    digests = [
        hashlib.sha256((tmp_path / name / "model.safetensors").read_bytes()).hexdigest() for name in ("whole", "killed")
    ]
    assert digests[0] == digests[1]
    assert not (tmp_path / "killed" / ".training").exists()
