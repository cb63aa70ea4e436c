"""Draw the pictures of the documentation: `python docs/make_images.py` (those of pages need Chromium)."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from PIL import Image

import gmask

FIRST = "A man playing an electric guitar on stage."
SECOND = "A man playing banjo on the floor."
IMAGES = Path(__file__).parent / "images"
MODEL = "nli-dattn"  # the paper's kind of model; its reasons for this pair lie in both sentences
TROUBLE = "#trouble:not([hidden])"
DESK = {"viewport": {"width": 1060, "height": 880}}
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "device_scale_factor": 1.5}


@contextmanager
def photographer() -> Iterator[Callable[..., None] | None]:
    """What takes pictures of pages: Chromium, if there is one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])

        def photograph(
            address: str, name: str, ready: str = "body", *, look: str = "", whole: bool = False, **options: Any
        ) -> None:
            page = browser.new_page(**{**DESK, **options})
            page.set_default_timeout(300_000)
            page.goto(address)
            page.wait_for_selector(f"{ready}, {TROUBLE}")
            if page.is_visible(TROUBLE):
                raise SystemExit(f"{name}: {page.inner_text(TROUBLE)}")
            if look:
                page.hover(look)
            page.wait_for_timeout(1_000)  # bars grow, lights fade
            taken = Image.open(io.BytesIO(page.screenshot(full_page=whole)))
            small = taken.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE)
            small.save(IMAGES / name, optimize=True)
            page.close()

        yield photograph
        browser.close()


@contextmanager
def serving() -> Iterator[str]:
    """The page's address."""
    command = [sys.executable, "-m", "gmask", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield re.findall(r"http://\S+", process.stdout.readline())[0]
        finally:
            process.terminate()


def photograph_page(photograph: Callable[..., None], address: str) -> None:
    """The views of `gmask serve`."""

    def link(**query: str) -> str:
        return f"{address}?{urlencode({'first': FIRST, 'second': SECOND, 'model': MODEL, **query})}"

    photograph(link(), "page-why.png", "#views:not([hidden])", look="#why .reasons li", whole=True)
    photograph(link(view="whatif", off="5.12"), "page-whatif.png", "#whatif .said", whole=True)
    methods = "gmask,kernelshap,leave-one-out"
    photograph(
        link(view="compare", methods=methods), "page-compare.png", "#compare tbody tr:nth-of-type(3)", whole=True
    )
    photograph(link(), "page-phone.png", "#views:not([hidden])", **PHONE)


def main() -> None:
    """Explain the paper's pair and draw every view of it."""
    explain = gmask.Explainer(gmask.load(MODEL))
    explain(FIRST, SECOND)  # the first call pays for much that is loaded; its seconds would mislead
    e = explain(FIRST, SECOND)
    for name in ("explanation.png", "explanation.svg"):
        e.save(IMAGES / name)
    with photographer() as photograph, tempfile.TemporaryDirectory() as folder, serving() as address:
        if photograph is None:
            print("no Chromium here: the pictures of pages stay as they are")
            return
        e.save(Path(folder) / "page.html")
        photograph((Path(folder) / "page.html").resolve().as_uri(), "page.png", viewport={"width": 960, "height": 880})
        photograph_page(photograph, address)
    print(e)


if __name__ == "__main__":
    main()
