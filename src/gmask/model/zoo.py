"""Loading a model from whatever a user has: a built-in name, a folder, a hub id, an address, objects, a function."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import isroutine, signature
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from gmask.errors import GmaskError, one_of
from gmask.model.base import PairModel
from gmask.model.encoding import encoder_of, is_encoder_folder, load_encoder
from gmask.model.template.known import read_answers

__all__ = ["builtin_models", "load"]

PYTHON = "python:"
ADDRESS = ("http://", "https://")
TEMPLATE = ("template", "answers", "instruction")  # options of models that read a pair through a template
BEHIND = (*TEMPLATE, "outputs", "windows")  # what can stand behind a model's name
BUILTIN = Path(__file__).parent.parent / "builtin"


def builtin_models() -> list[str]:
    """The names of the models that come with the package."""
    return sorted(p.parent.name for p in BUILTIN.glob("*/config.json"))


def load(source: Any, tokenizer: Any = None, **options: Any) -> PairModel:
    """Load a model to explain.

    Args:
        source: A built-in name (see `builtin_models`); a model folder; a Hugging Face
            hub id; the address of a service (`http://...`); `python:MODULE:FUNCTION`; a
            `(model, tokenizer)` pair; a text-classification `pipeline`; a sentence-transformers `CrossEncoder`,
            `SentenceTransformer` or `MultiVectorEncoder`; or a function from a list of text pairs to scores.
        tokenizer: The tokenizer, where `source` is a model without one.
        **options: For a function `labels`, `outputs`, `budget`, `batch_size`; for Hugging Face models `labels`,
            `outputs`, `limit`, `device`, `batch_tokens`; for those that read a pair through a template `template` (a
            text with `{first}` and `{second}`, a list of messages, a file with either, or a known name), `answers` (for
            each label the text of its one token, of a language model) and `instruction`; for encoders of texts
            `prompts`, and of a `(model, tokenizer)` `pooling` (`mean`, `cls` or `last`, which makes it one),
            `similarity`, `normalize`; for a service see `EndpointModel`. For any with a limit `windows` (`best`,
            `best:LABEL` or `mean`): a text beyond the limit is read in windows, and not cut.

    Raises:
        ValueError: It is none of these, or something is missing in it.
    """
    if isinstance(source, (str, Path)) and not str(source).lower().startswith(ADDRESS):
        source, own = _split_name(str(source))
        options = {**own, **options}
    windows = options.pop("windows", None)
    model = _load(source, tokenizer, options)
    if windows is None:
        return model
    from gmask.model.windows import WindowedModel

    return WindowedModel(model, windows)


def _load(source: Any, tokenizer: Any, options: dict[str, Any]) -> PairModel:
    if isinstance(source, PairModel):
        return source
    if isinstance(source, str) and source.lower().startswith(ADDRESS):
        from gmask.model.endpoint import EndpointModel, split_address

        url, own = split_address(source)
        return EndpointModel(url, **_known(EndpointModel, {**own, **options}))
    if isinstance(source, (str, Path)):
        model = _load_path(str(source), options)
        folder = _folder(str(source))
        model.folder = folder if folder.is_dir() else None
        return model
    if isinstance(source, tuple) and len(source) == 2:
        source, tokenizer = source
    from gmask.model.callable import CallableModel

    if isroutine(source):  # no need to import anything heavy
        return CallableModel(source, **_known(CallableModel, options))
    if (encoder := encoder_of(source, tokenizer, options)) is not None:
        return encoder
    from gmask.model.transformers import TransformersModel, parts_of

    worded, own = _worded(options)
    if (parts := parts_of(source, tokenizer, **worded)) is not None:
        return TransformersModel(**{**parts, **_known(TransformersModel, own, TEMPLATE)})
    if callable(source):
        return CallableModel(source, **_known(CallableModel, options))
    raise GmaskError(
        f"cannot explain a model of type {type(source).__name__}; give a built-in name "
        f"({', '.join(builtin_models())}), a folder, a hub id, the address of a service, (model, tokenizer), a "
        "pipeline, a CrossEncoder, a SentenceTransformer, or a function from a list of text pairs to scores"
    )


def _split_name(name: str) -> tuple[str, dict[str, Any]]:
    """A folder or a hub id and what is said of it behind a `#`, as the command line does."""
    path, sign, behind = name.partition("#")
    if not sign or Path(name).expanduser().exists():
        return name, {}
    options: dict[str, Any] = dict(parse_qsl(behind, keep_blank_values=True))
    for option in options:
        if option not in BEHIND:
            raise one_of("option behind a model:", option, BEHIND)
    if "answers" in options:
        options["answers"] = read_answers(options["answers"])
    return path, options


def _load_path(name: str, options: dict[str, Any]) -> PairModel:
    if name.startswith(PYTHON):
        from gmask.model.callable import CallableModel

        function = _import_function(name)
        own = {"labels": getattr(function, "labels", None), "name": name}
        return CallableModel(function, **{**own, **_known(CallableModel, options)})
    folder = _folder(name)
    if folder.is_dir():
        if (folder / "vocab.txt").exists() and _is_dattn(folder):
            from gmask.model.dattn import DAttnModel

            return DAttnModel.from_folder(folder, **_known(DAttnModel, options))
        if is_encoder_folder(folder):
            return load_encoder(str(folder), options)
        if not (folder / "config.json").is_file():
            raise GmaskError(f"{folder} is no model folder: it has no config.json")
    elif folder.exists() or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise GmaskError(f"{name!r} is no model folder")
    elif "/" not in name:
        raise one_of("model", name, [*builtin_models(), "a folder", "a hub id such as owner/name"])
    if "pooling" in options:
        return load_encoder(str(folder) if folder.is_dir() else name, options)
    from gmask.model.transformers import TransformersModel

    worded, own = _worded(options)
    own = _known(TransformersModel, own, TEMPLATE)
    if name in builtin_models() and not worded:
        from gmask.model.bert import load_bert
        from gmask.model.loading import usual_device

        return TransformersModel(*load_bert(folder), **{"name": name, "device": usual_device(), **own})
    return TransformersModel.from_pretrained(str(folder) if folder.is_dir() else name, worded=worded, **own)


def _worded(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said of a template, with `outputs`, which it may settle; and the other options."""
    own = {name: value for name, value in options.items() if name not in TEMPLATE}
    worded = {name: value for name, value in options.items() if name in TEMPLATE}
    if worded and worded.get("template") is None:
        raise GmaskError(f"{' and '.join(worded)} without a template; give template=... too, a text or a known name")
    return {**worded, "outputs": options.get("outputs")} if worded else {}, own


def _known(cls: type[PairModel], options: dict[str, Any], more: tuple[str, ...] = ()) -> dict[str, Any]:
    """The options, if the class has them all."""
    valid = [*(p.name for p in signature(cls).parameters.values() if p.kind is p.KEYWORD_ONLY), *more]
    for name in options:
        if name not in valid:
            raise one_of("option of this kind of model:", name, valid)
    return options


def _folder(name: str) -> Path:
    return BUILTIN / name if name in builtin_models() else Path(name).expanduser()


def _import_function(name: str) -> Callable[..., Any]:
    """The function a name stands for; modules of the current folder are found too."""
    module, _, function = name.removeprefix(PYTHON).partition(":")
    if not module or not function:
        raise GmaskError(f"a function is named python:MODULE:FUNCTION, not {name!r}")
    if os.getcwd() not in sys.path:  # noqa: PTH109
        sys.path.append(os.getcwd())  # noqa: PTH109
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise GmaskError(f"there is no function {name!r}: {error}") from None
    if not callable(found):
        raise GmaskError(f"{name!r} is no function, but of type {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _is_dattn(folder: Path) -> bool:
    import json

    try:
        return json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type") == "dattn"
    except (OSError, ValueError):
        return False
