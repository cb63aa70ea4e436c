from __future__ import annotations

import pytest
from hypothesis import settings

from tests.browser import CHROMIUM, FLAGS

settings.register_profile("gmask", deadline=None)  # a busy machine is no failure
settings.load_profile("gmask")


def pytest_terminal_summary(terminalreporter) -> None:
    """Say so where the tests in a browser were not run."""
    skipped = [r for r in terminalreporter.stats.get("skipped", []) if "no Chromium" in str(r.longrepr)]
    if skipped:
        terminalreporter.write_line(
            f"NOTICE: {len(skipped)} tests in a browser were skipped: there is no Chromium here, or no Playwright; "
            "`make browser` installs Chromium where it can (on Debian, as root)",
            yellow=True,
        )


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
