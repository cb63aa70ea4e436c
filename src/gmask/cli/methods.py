"""`gmask methods`: what there is to choose from."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer


def methods(
    name: Annotated[Optional[str], typer.Argument(help="A method, to see its settings. Default: all methods.")] = None,
) -> None:
    """List the methods and their settings, or explain those of one."""
    from gmask.method.base import Method, describe, find
    from gmask.method.base import methods as names

    for each in names() if name is None else [find(name).name]:
        cls = Method.registry[each]
        needs = " (not for black boxes)" if cls.needs_gradient else ""
        print(f"{each:22} {cls.summary}{needs}")
        if name is None:
            if listed := ", ".join(_short(setting) for setting in describe(cls)):
                print(f"{'':22} settings: {listed}")
            continue
        for setting in describe(cls):
            choices = f" ({', '.join(setting['choices'])})" if setting["choices"] else ""
            default = "" if setting["default"] is None else f" [default: {setting['default']}]"
            print(f"  {setting['name']:20} {setting['help']}{choices}{default}")


def _short(setting: dict[str, Any]) -> str:
    return str(setting["name"]) if setting["default"] is None else f"{setting['name']}={setting['default']}"
