from __future__ import annotations

from hypothesis import settings

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
