"""What a run is of: the model, the settings, the seed, the versions. Runs that differ in any of it are never mixed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError
from gmask.files import write_text
from gmask.method.base import Method
from gmask.model.base import PairModel

__all__ = ["FORMAT", "describe", "kind_of", "read_manifest", "settle"]

FORMAT = 1


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest a run was begun with."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise GmaskError(f"{path.parent} is no run: there is no {path.name} in it") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise GmaskError(f"{path} is damaged ({error}); the records beside it are untouched") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise GmaskError(f"{path} is no manifest of format {FORMAT}")
    return manifest


def kind_of(model: PairModel) -> str:
    """The architecture of a model, as `bert` or `dattn`."""
    config = getattr(getattr(model, "model", None), "config", None)
    return getattr(config, "model_type", None) or type(model).__name__.removesuffix("Model").lower()


def describe(method: Method, model: PairModel) -> dict[str, Any]:
    """A method and its settings, and a digest of each file it was fitted with: one named in them, one by the model."""
    paths = [Path(value) for value in method.settings.values() if isinstance(value, str)]
    if model.folder is not None:
        paths.append(model.folder / f"{method.name}.safetensors")
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths if path.is_file()}
    return {"method": method.name, **method.settings, **({"files": files} if files else {})}


def settle(path: Path, manifest: Mapping[str, Any], records: Path) -> None:
    """Begin a run with this manifest, or go on with one that was begun with the same.

    Args:
        path: Where the manifest is, or will be.
        manifest: What the run is of.
        records: The file that goes with it.

    Raises:
        ValueError: The run there is of something else, or what is there is no run.
    """
    wanted = json.loads(json.dumps({"format": FORMAT, **manifest}))
    begun = records.exists() and records.stat().st_size > 0
    if begun and not path.exists():
        raise GmaskError(f"{records} is there already, but not {path.name} that says what it is; give another -o")
    if not begun:
        write_text(path, json.dumps(wanted, ensure_ascii=False, indent=1) + "\n")
        return
    there = read_manifest(path)
    old, new = there.get("model", {}), wanted.get("model", {})  # what only one of them knows of it is not compared
    there["model"], wanted["model"] = {**new, **old}, {**old, **new}
    orders = [", ".join(m.get("methods", ())) for m in (there, wanted)]  # records are numbered by it
    if there == wanted and orders[0] == orders[1]:
        return
    found, here = _first_difference(there, wanted) if there != wanted else (f"the order {orders[0]}", orders[1])
    raise GmaskError(f"{path} was begun with {found}, not with {here}; results are never mixed, give another -o")


def _first_difference(there: Any, here: Any, name: str = "") -> tuple[str, str]:
    if isinstance(there, dict) and isinstance(here, dict):
        key = next(k for k in [*there, *here] if there.get(k) != here.get(k) or (k in there) != (k in here))
        return _first_difference(there.get(key), here.get(key), f"{name} {key}".strip())
    return f"{name} {json.dumps(there, ensure_ascii=False)}", json.dumps(here, ensure_ascii=False)
