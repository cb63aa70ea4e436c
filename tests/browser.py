"""The browser of the tests: Debian's Chromium, where there is one."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
THERE = CHROMIUM is not None and find_spec("playwright") is not None
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NONE = "no Chromium here, or no Playwright to drive it (make browser installs the one, make setup the other)"
