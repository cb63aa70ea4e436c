"""How the tests in a browser ask the page."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

from tests.web.models import BANJO, GUITAR


def link(**query) -> str:
    return "/?" + urlencode({"first": GUITAR, "second": BANJO, "model": "rules", "method": "gmask", **query})


def field(page, name: str):
    return page.locator(f"#ask [name={name}]")


def ask(page, first: str = GUITAR, second: str = BANJO) -> None:
    field(page, "first").fill(first)
    field(page, "second").fill(second)
    page.get_by_role("button", name="Explain").click()
    page.wait_for_selector("#views:not([hidden])")
    page.wait_for_selector("#progress", state="hidden")


def query(page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
