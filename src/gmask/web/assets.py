"""The files of the page, and its templates. All of them come with the package."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gmask.view.audit import audit_script, audit_style
from gmask.view.colours import DARK, LIGHT, Palette
from gmask.view.html import script, style

__all__ = ["STATIC", "asset", "render"]

# What may be asked for under /static, and what it is.
STATIC = {
    "explanation.css": "text/css",
    "audit.css": "text/css",
    "page.css": "text/css",
    "explanation.js": "text/javascript",
    "audit.js": "text/javascript",
    "page.js": "text/javascript",
    "stream.js": "text/javascript",
    "question.js": "text/javascript",
    "whatif.js": "text/javascript",
    "compare.js": "text/javascript",
    "api.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


@lru_cache(maxsize=len(STATIC))
def asset(name: str) -> str:
    """The content of a file of `STATIC`."""
    made = {"explanation.css": style, "explanation.js": script, "audit.css": audit_style, "audit.js": audit_script}
    if name in made:
        return made[name]()
    text = (files("gmask.web") / "static" / name).read_text(encoding="utf-8")
    return _colours() + text if name == "page.css" else text


def render(template: str, **values: Any) -> str:
    """A template with its values put in, escaped."""
    return _templates().get_template(template).render(**values)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("gmask.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _colours() -> str:
    """The colours of the explanations, for the page around them."""
    return (
        f":root {{ {_variables(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}\n"
    )


def _variables(palette: Palette) -> str:
    return " ".join(f"--page-{name}: {colour};" for name, colour in asdict(palette).items())
