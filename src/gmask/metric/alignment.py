"""Agreement with people, group by group: whether words that are grouped across the sentences mean the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gmask.dataset.alignments import aligned_words
from gmask.metric.base import Answers, Case, Metric

__all__ = ["AlignmentAgreement"]


@dataclass(frozen=True)
class AlignmentAgreement(Metric):
    """Of the words in groups of both sentences, the share with a partner in their group that people aligned with them.

    All words count alike, punctuation too, and one that people aligned to nothing has no partner. Pairs without an
    alignment, and explanations without a group across the sentences, have none.
    """

    name: ClassVar[str] = "alignment"
    title: ClassVar[str] = "Agreement with alignments"
    summary: ClassVar[str] = "how many words in groups across the sentences have a partner there that people aligned"
    needs: ClassVar[str] = "human alignments, or of groups across the sentences"
    needs_alignment: ClassVar[bool] = True

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The share of the words."""
        e = case.explanation
        groups = [g.members for g in e.groups if len({e.words[i].sentence for i in g.members}) == 2]
        if case.alignment is None or not groups:
            return None
        aligned = aligned_words(e.words, (e.first, e.second), case.alignment)
        grouped = {i for members in groups for i in members}
        partnered = {i for members in groups for i in members if aligned[i, list(members)].any()}
        return [len(partnered) / len(grouped)]
