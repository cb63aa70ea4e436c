"""The tokenizer of the package's own models, by the `tokenizers` library alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

__all__ = ["WordPieces"]

NAMES = ("unk", "sep", "pad", "cls", "mask")


class WordPieces:
    """Cuts pairs of texts into word pieces; it is called as the fast tokenizers of transformers are.

    Args:
        folder: With `tokenizer.json` and `tokenizer_config.json`.
    """

    is_fast = True
    bos_token_id = eos_token_id = None

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self.backend_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.backend_tokenizer.no_truncation()  # it was written as it was last called
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self.model_max_length: int = config["model_max_length"]
        self.all_special_tokens = [config[f"{name}_token"] for name in NAMES]
        ids = map(self.backend_tokenizer.token_to_id, self.all_special_tokens)
        self.unk_token_id, self.sep_token_id, self.pad_token_id, self.cls_token_id, self.mask_token_id = ids

    def __len__(self) -> int:
        return int(self.backend_tokenizer.get_vocab_size())

    def __call__(
        self,
        text: str | Sequence[str],
        text_pair: str | Sequence[str],
        *,
        truncation: str | None = None,
        max_length: int | None = None,
        padding: bool = False,
        return_tensors: str | None = None,
        return_offsets_mapping: bool = False,
        verbose: bool = True,  # noqa: ARG002  (it says nothing anyway)
    ) -> Encodings:
        """Word pieces of a pair, or of pairs; with `return_tensors` as rows, which are of one width with `padding`."""
        backend, single = self.backend_tokenizer, isinstance(text, str)
        if truncation is None or max_length is None:
            backend.no_truncation()
        else:
            backend.enable_truncation(max_length, strategy=truncation)
        pairs = [(text, text_pair)] if single else list(zip(text, text_pair, strict=True))
        found = backend.encode_batch(pairs)
        if padding:
            for one in found:
                one.pad(max(len(each.ids) for each in found), pad_id=self.pad_token_id)
        columns: dict[str, list[Any]] = {
            "input_ids": [one.ids for one in found],
            "token_type_ids": [one.type_ids for one in found],
            "attention_mask": [one.attention_mask for one in found],
        }
        if return_tensors is not None:
            return Encodings(found, {name: torch.tensor(rows) for name, rows in columns.items()})
        if return_offsets_mapping:
            columns["offset_mapping"] = [one.offsets for one in found]
        return Encodings(found, {name: rows[0] for name, rows in columns.items()} if single else columns)


class Encodings(dict[str, Any]):
    """What the model takes, by its name there, and which text each piece comes from."""

    def __init__(self, found: Sequence[Any], columns: dict[str, Any]) -> None:
        super().__init__(columns)
        self._found = found

    def sequence_ids(self, row: int = 0) -> list[int | None]:
        """0 or 1 a piece; None for special tokens."""
        return list(self._found[row].sequence_ids)
