"""Agreement with people, group by group: whether there is a group that is what a person marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.dataset.highlights import annotated_words, highlighted_words
from gmask.metric.base import Answers, Case, Metric
from gmask.metric.rationale import MARKED

__all__ = ["GroupF1"]


@dataclass(frozen=True)
class GroupF1(Metric):
    """F1 of the words each annotator marked and the words of the group most like them, averaged over annotators.

    Where people marked what makes the pair what it is, that is one reason of theirs, in both sentences. Words of a
    sentence that an annotator was not asked about, and punctuation, do not count; nor do annotators who marked nothing.
    More groups have more chances, so methods with many groups are flattered.
    """

    name: ClassVar[str] = "group_f1"
    title: ClassVar[str] = "Group F1"
    summary: ClassVar[str] = "how alike the words a person marked and the group most like them are"
    needs: ClassVar[str] = f"{MARKED}, or of groups"

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The mean over annotators of the best F1 over groups."""
        e = case.explanation
        if not case.highlights or not e.groups:
            return None
        spoken = np.array([any(c.isalnum() for c in word.text) for word in e.words])
        groups = np.array([np.isin(np.arange(case.n), g.members) for g in e.groups])
        asked = annotated_words(e.words, case.highlights) & spoken
        marked = highlighted_words(e.words, (e.first, e.second), case.highlights) & asked
        found = [
            max(2 * (group & own & there).sum() / ((group & there).sum() + own.sum()) for group in groups)
            for own, there in zip(marked, asked, strict=True)
            if own.any()
        ]
        return [float(np.mean(found))] if found else None
