"""From the words a person reads to the rows of an embedding table, without losing a word."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from gmask.errors import GmaskError
from gmask.segmentation import atoms

__all__ = ["PAD", "Vocabulary", "tokens_of"]

PAD = 0
_QUOTES = str.maketrans({**dict.fromkeys("‘’`´", "'"), **dict.fromkeys('"“”„«»', "''")})
_NOT = re.compile(r"(?<=.)(?=n't$)")  # do|n't, ca|n't


@lru_cache(maxsize=1 << 16)
def tokens_of(word: str) -> tuple[str, ...]:
    """The lowercase tokens of a word: contractions in parts, so that `don't` and the tokenised `do n't` are alike.

    `don't` is `do`, `n't`; `John's` is `john`, `'`, `s`, as the words of a tokenised `John 's` are; a double quote is
    two single ones, as in the tokenised form; `$20` is `$`, `20`.
    """
    return tuple(token for start, end in atoms(word) for token in _tokens(word[start:end])) or (word,)


def _tokens(atom: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", atom).lower().translate(_QUOTES)
    parts: list[str] = []
    for part in _NOT.split(plain):
        parts += [part] if part == "n't" else re.findall(r"'|[^'\s]+", part)
    return parts or [atom]


class Vocabulary:
    """Known tokens have a row each; unknown ones share a few rows, chosen by a hash that is the same everywhere.

    Row 0 is padding, the next `unknown` rows are for unknown tokens, then come the known ones.
    """

    def __init__(self, tokens: Sequence[str], unknown: int) -> None:
        self.tokens = list(tokens)
        self.unknown = unknown
        self._rows = {token: i + 1 + unknown for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return 1 + self.unknown + len(self.tokens)

    def __contains__(self, token: str) -> bool:
        return token in self._rows

    def row(self, token: str) -> int:
        """The embedding row of a token."""
        known = self._rows.get(token)
        return known if known is not None else 1 + zlib.crc32(token.encode()) % self.unknown

    def encode(self, words: Sequence[str]) -> tuple[list[int], list[int]]:
        """The rows of the tokens of `words`, and for each of them the position of its word."""
        pairs = [(self.row(token), i) for i, word in enumerate(words) for token in tokens_of(word)]
        return [row for row, _ in pairs], [i for _, i in pairs]

    @classmethod
    def read(cls, path: Path, unknown: int) -> Vocabulary:
        """Read `vocab.txt`: a token a line."""
        try:
            return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), unknown)
        except OSError as error:
            raise GmaskError(f"cannot read {path}: {error.strerror}") from None

    def text(self) -> str:
        """The content of `vocab.txt`."""
        return "\n".join(self.tokens) + "\n"
