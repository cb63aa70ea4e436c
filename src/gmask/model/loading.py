"""Hugging Face models from folders, hub ids and objects: the parts that `TransformersModel` is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError
from gmask.model.owner import CrossEncoderOwner, Owner, PipelineOwner, meaning_of

__all__ = ["labels_of", "load_parts", "moved", "parts_of", "score_of", "usual_device"]


def load_parts(
    source: str, device: str | None, *, outputs: str | None = None, template: Any = None, **asked: Any
) -> dict[str, Any]:
    """The arguments of `TransformersModel` for a folder or a hub id.

    Args:
        source: It.
        device: Where to compute.
        outputs: As the user wants them.
        template: What stands around the texts, if the user says.
        asked: What else `template_owner` takes.
    """
    from safetensors import SafetensorError
    from transformers import AutoTokenizer

    device = device or usual_device()
    options = {"trust_remote_code": False, "local_files_only": _only_local(source)}
    head = _stored(source, "1_LogitScore/config.json", options)
    with _quiet():
        try:
            model, info = _auto_class(source, options, asked=template is not None or bool(head)).from_pretrained(
                source, use_safetensors=True, output_loading_info=True, **options
            )
        except GmaskError:
            raise
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            raise _explained(source, error) from error
        if missing := sorted(info["missing_keys"]):
            raise GmaskError(
                f"{source} has no trained classification head (no weights for {', '.join(missing[:3])}); "
                'give a model fine-tuned on sentence pairs, or with an encoder of texts pooling="mean" or "cls"'
            )
        try:
            tokenizer = AutoTokenizer.from_pretrained(source, **options)
        except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
            raise GmaskError(f"{source} has no tokenizer that can be read: {_line(error)}") from error
    if len(tokenizer) < len(tokenizer.all_special_tokens) + 10:  # without its files, an empty one may be made up
        raise GmaskError(f"{source} has no tokenizer: no tokenizer.json and no vocabulary")
    if str(device) == "cpu":
        model = model.float()  # half precision is for keeping weights, not for computing with them here
    name = Path(source).name if Path(source).is_dir() else source
    moved(Owner(model, tokenizer), device)
    if template is not None:
        owner = _templated(model, tokenizer, template=template, outputs=outputs, **asked)
        return {"model": owner.model, "tokenizer": tokenizer, "name": name, "owner": owner}
    stored = _stored(source, "config_sentence_transformers.json", options)
    settings = _stored(source, "sentence_bert_config.json", options)
    parts = {"model": model, "tokenizer": tokenizer, "name": name}
    if stored.get("model_type") == "CrossEncoder" and "message" in settings.get("modality_config", {}):
        from gmask.model.template.owner import TemplateOwner, chain_judge, chain_template

        judge = chain_judge(model, head["true_token_id"], head.get("false_token_id")) if head else model
        parts |= {"model": judge, "owner": TemplateOwner(judge, tokenizer, chain_template(stored, settings, tokenizer))}
    elif way := _way(stored):
        raise GmaskError(
            f"{source} is a CrossEncoder that puts {way} around each pair, which cannot be explained; "
            "give the function predict() instead, or (model, tokenizer) to do without"
        )
    return {**parts, **meaning_of(parts["model"].config, _stored_activation(model.config, stored))}


def _auto_class(source: str, options: dict[str, Any], *, asked: bool) -> Any:
    """The class that loads a model: that of a language model only if it is asked for its answers."""
    from transformers import (
        AutoConfig,
        AutoModelForCausalLM,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
    )

    config = AutoConfig.from_pretrained(source, **options)
    kind = " ".join(config.architectures or ())
    if not kind.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")):
        return AutoModelForSequenceClassification
    if not asked:
        raise GmaskError(
            f"{source} is a language model ({kind}); give its template and answers, as "
            'template="...{first}...{second}...", answers={"no": "no", "yes": "yes"}, or the name of a known template'
        )
    return AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM


def _templated(model: Any, tokenizer: Any, *, template: Any, **asked: Any) -> Any:
    from gmask.model.template.owner import template_owner

    return template_owner(model, tokenizer, given=template, **asked)


def usual_device() -> str:
    """Where models are put that come from files."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def moved(owner: Owner, device: Any) -> None:
    """Move a model to a device."""
    try:
        owner.to(device)
    except (RuntimeError, AssertionError) as error:
        raise GmaskError(f"cannot compute on the device {str(device)!r}: {_line(error)}") from None


def _only_local(source: str) -> bool:
    """Whether the hub cannot be reached, so that only a model fetched before will do; asked once, not for each file."""
    if Path(source).is_dir():
        return False
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        HfApi().model_info(source, timeout=10)
    except RepositoryNotFoundError:
        raise GmaskError(
            f"the hub has no model {source!r}, or it is not open to you; give a folder or a hub id"
        ) from None
    except Exception as error:  # noqa: BLE001  # each release of the hub's library has its own network errors
        return any(sign in type(error).__name__ for sign in ("Connect", "Timeout", "Offline"))
    return False


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no reports: what matters in them becomes an error."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def parts_of(
    source: Any, tokenizer: Any, *, outputs: str | None = None, template: Any = None, **asked: Any
) -> dict[str, Any] | None:
    """The arguments of `TransformersModel` for a model, a pipeline or a CrossEncoder; None if it is none of these.

    `outputs`, `template` and `asked` are as for `load_parts`.
    """
    if template is not None and hasattr(getattr(source, "config", None), "id2label") and tokenizer is not None:
        owner = _templated(source, tokenizer, template=template, outputs=outputs, **asked)
        return {"model": owner.model, "tokenizer": tokenizer, "owner": owner}
    if template is not None:
        raise GmaskError(f"a template goes with (model, tokenizer) or a folder, not with a {type(source).__name__}")
    kind: Callable[[Any], Owner] | None = None
    if any(cls.__name__ == "CrossEncoder" for cls in type(source).__mro__):
        if source.model is None:
            raise GmaskError("this CrossEncoder has no sequence classifier in it; give the function predict() instead")
        kind = CrossEncoderOwner
        if "message" in getattr(next(iter(source.children()), None), "modality_config", {}):
            from gmask.model.template.owner import ChainOwner as kind  # noqa: N813
    elif all(hasattr(source, name) for name in ("task", "model", "tokenizer", "preprocess")):
        kind = PipelineOwner
    elif not hasattr(getattr(source, "config", None), "id2label"):
        return None
    if kind is not None and tokenizer is not None:
        raise GmaskError(
            f"a {type(source).__name__} has its tokenizer; give it alone, or (its model, another tokenizer)"
        )
    if kind is None and tokenizer is None:
        raise GmaskError(f"{type(source).__name__} needs its tokenizer; give (model, tokenizer)")
    owner = Owner(source, tokenizer) if kind is None else kind(source)
    return {"model": owner.model, "tokenizer": owner.tokenizer, "owner": owner}


def _stored(source: str, file: str, options: dict[str, Any]) -> dict[str, Any]:
    """What sentence-transformers keeps in a file beside a model, if it does."""
    from transformers.utils.hub import cached_file

    try:
        path = cached_file(source, file, local_files_only=options["local_files_only"])
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _way(stored: dict[str, Any]) -> str:
    """What a stored CrossEncoder puts before its pairs, in words."""
    prompt = (stored.get("prompts") or {}).get(stored.get("default_prompt_name"))
    return f"its prompt {prompt!r}" if prompt and stored.get("model_type") == "CrossEncoder" else ""


def _stored_activation(config: Any, stored: dict[str, Any]) -> Any:
    """The activation that sentence-transformers keeps in a configuration or beside it, if it is one of torch's own."""
    import torch

    name = _activation_name(config) or str(stored.get("activation_fn") or "")
    return getattr(torch.nn, name.rsplit(".", 1)[-1])() if name.startswith("torch.nn.") else None


def _activation_name(config: Any) -> str:
    stored = getattr(config, "sentence_transformers", None) or {}
    return str(stored.get("activation_fn") or getattr(config, "sbert_ce_default_activation_function", None) or "")


def labels_of(config: Any) -> tuple[str, ...]:
    """The class names, in the order of the outputs."""
    labels = tuple(str(config.id2label[i]) for i in range(config.num_labels))
    return labels if len({label.casefold() for label in labels}) == len(labels) else tuple(map(str, range(len(labels))))


def score_of(config: Any) -> bool:
    """Whether the configuration of a model with one output says that it is a score, and not to be squashed."""
    return config.problem_type == "regression" or _activation_name(config).endswith("Identity")


def _explained(source: str, error: Exception) -> GmaskError:
    text = str(error)
    folder = Path(source).is_dir()
    if folder and "no file named" in text:
        return GmaskError(f"{source} has no weights in a model.safetensors file (pickled weights are not read)")
    if "trust_remote_code" in text:
        return GmaskError(
            f"{source} needs code of its own, which is not run; load it yourself and give (model, tokenizer)"
        )
    if "Unrecognized configuration class" in text:
        return GmaskError(f"{source} is no sequence classifier, nor can one be made of its kind of model")
    if not folder and isinstance(error, OSError):
        return GmaskError(
            f"cannot load {source}: it was not fetched before, and the hub cannot be reached or lacks files"
        )
    return GmaskError(f"cannot load {source}: {_line(error)}")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
