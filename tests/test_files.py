"""Files are written whole or not at all, by as many threads as there are."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from gmask import files
from gmask.errors import GmaskError


def test_threads_that_write_the_same_file_do_not_disturb_each_other(tmp_path):
    texts = [str(i) * 20_000 for i in range(10)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda text: files.write_text(tmp_path / "file", text), texts * 8))
    assert (tmp_path / "file").read_text() in texts
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_the_folder_is_synced_after_the_file_has_its_name(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync

    def watched(descriptor):
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "file").exists()))
        fsync(descriptor)

    monkeypatch.setattr(files.os, "fsync", watched)
    files.write_text(tmp_path / "file", "text")
    assert synced == [(False, False), (True, True)]


def test_a_full_disk_is_one_clear_line_and_leaves_nothing(tmp_path):
    def fill():
        with files.atomic(tmp_path / "file") as temporary:
            temporary.write_text("half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(GmaskError, match=r"^cannot write .*file: No space left on device$"):
        fill()
    assert list(tmp_path.iterdir()) == []
