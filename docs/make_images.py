"""Draw the pictures of the documentation: `python docs/make_images.py` (the page's picture needs Chromium)."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import gmask

FIRST = "A man playing an electric guitar on stage."
SECOND = "A man playing banjo on the floor."
IMAGES = Path(__file__).parent / "images"
SIZE = "960,880"


def photograph(page: Path, picture: Path) -> None:
    """A picture of a page, taken by Chromium, if there is one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print(f"no Chromium here: {picture.name} stays as it is")
        return
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"]
        where = [f"--user-data-dir={profile}", f"--window-size={SIZE}", f"--screenshot={picture.resolve()}"]
        subprocess.run([chromium, *flags, *where, page.resolve().as_uri()], check=True, capture_output=True)


def main() -> None:
    """Explain the paper's pair and draw every view of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="nli", help="a built-in model or a folder")
    e = gmask.explain(gmask.load(parser.parse_args().model), FIRST, SECOND)
    for name in ("explanation.png", "explanation.svg"):
        e.save(IMAGES / name)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        e.save(page)
        photograph(page, IMAGES / "page.png")
    print(e)


if __name__ == "__main__":
    main()
