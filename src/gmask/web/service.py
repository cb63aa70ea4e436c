"""What the server can do: explain, predict, tell about its models. Each is work that waits its turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method, methods
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.model.held import hold
from gmask.pair import check_pair
from gmask.ranking import Ranking, rank
from gmask.reference import References
from gmask.units import in_units
from gmask.web.limits import Limits
from gmask.web.offer import Offer
from gmask.web.recent import Recent
from gmask.web.schema import ModelInfo, Predicted, Prediction, Question, RankQuestion, Trial
from gmask.web.settings import method_of
from gmask.web.work import Lane, Work, tell_so_far

__all__ = ["Service"]

T = TypeVar("T")


class Service:
    """Models, the threads that ask them, and what is remembered of their answers.

    Explanations take seconds, questions about single rows milliseconds; so each kind has a thread, and nobody who
    switches a word off waits for another's explanation.

    Args:
        models: For each name a model, or a function that loads it.
        limits: What is done at most.
    """

    def __init__(self, models: Mapping[str, PairModel | Callable[[], PairModel]], limits: Limits) -> None:
        self.offer = Offer(models)
        self.limits = limits
        most = {"waiting": limits.waiting, "rows": limits.rows, "seconds": limits.seconds}
        self.explaining = Lane("explaining", **most)  # type: ignore[arg-type]
        self.asking = Lane("asking", **most)  # type: ignore[arg-type]
        self._pairs: Recent[BoundPair] = Recent(limits.pairs)
        self._results: Recent[Explanation] = Recent(limits.results)
        self._rankings: Recent[Ranking] = Recent(limits.pairs)

    def explain(
        self,
        question: Question,
        then: Callable[[Explanation], T],
        so_far: Callable[[Explanation], dict[str, Any]] | None = None,
    ) -> Work[T]:
        """Explain a pair, and make something of the explanation. Mistakes that show at once are raised at once.

        Args:
            question: What to explain, and how.
            then: Makes the result.
            so_far: Makes what is told on the way. Default: nothing is.
        """
        name = self.offer.check(question.model)
        self._check_texts(question.first, question.second)
        method = method_of(question.method, question.options, self.limits)
        key = (*self._key(name, question), method, question.target, question.against, question.reference, question.seed)

        def task() -> T:
            found = self._results.get(key)
            if found is None:
                found = self._explain(name, method, question, so_far)
                self._results.put(key, found)
            return then(found)

        return (self.asking if key in self._results else self.explaining).submit(task)

    def rank(self, question: RankQuestion, then: Callable[[Ranking], T]) -> Work[T]:
        """Rank passages, explain what is asked of their order, and make something of the ranking."""
        name = self.offer.check(question.model)
        method = method_of(question.method, question.options, self.limits)
        self._check_ranking(question)

        def task() -> T:
            return then(self._rank(name, method, question))

        return self.explaining.submit(task)

    def _check_ranking(self, question: RankQuestion) -> None:
        count = len(question.passages)
        if count > self.limits.passages:
            raise GmaskError(f"there are {count:,} passages; at most {self.limits.passages} are ranked here")
        for place in (question.why, question.over):
            if place is not None and place >= count:
                raise GmaskError(f"there is no passage {place}; the passages are 0 to {count - 1}")
        if question.over is not None and question.why is None:
            raise GmaskError("`over` holds a passage against another; name the other as `why`")
        self._check_text("the query", question.query)
        for place, passage in enumerate(question.passages):
            self._check_text(f"passage {place}", passage if isinstance(passage, str) else passage.text)

    def _rank(self, name: str, method: Method, question: RankQuestion) -> Ranking:
        passages = [one if isinstance(one, str) else one.model_dump(exclude_none=True) for one in question.passages]
        key = (name, question.query, repr(passages), question.target)
        known = self._rankings.get(key)
        if known is None:
            known = rank(self.offer.get(name), question.query, passages, target=question.target)
            self._rankings.put(key, known)
        found = replace(known, explanations={})  # what another asked for is not shown
        if question.why is not None:
            found.why(question.why, over=question.over, method=method, removal=question.removal, seed=question.seed)
        return found

    def predict(self, trial: Trial) -> Work[Prediction]:
        """What the model says with words removed."""
        name = self.offer.check(trial.model)
        self._check_texts(trial.first, trial.second)
        return self.asking.submit(lambda: self._predict(name, trial))

    def about(self, name: str) -> Work[ModelInfo]:
        """A model's labels and what goes with it; loads it."""
        name = self.offer.check(name)

        def task() -> ModelInfo:
            self.offer.get(name)
            return self.known(name)

        return self.asking.submit(task)

    def known(self, name: str) -> ModelInfo:
        """What is known of a model without loading it."""
        model = self.offer.loaded(name)
        if model is None:
            return ModelInfo(name=name, loaded=False, labels=None, removals=None, methods=None)
        return ModelInfo(
            name=name,
            loaded=True,
            labels=list(model.labels),
            removals=list(model.removals),
            methods=[m for m in methods() if model.differentiable or not Method.registry[m].needs_gradient],
        )

    def close(self) -> None:
        """Call off all work."""
        self.explaining.close()
        self.asking.close()

    def _explain(
        self, name: str, method: Method, question: Question, so_far: Callable[[Explanation], dict[str, Any]] | None
    ) -> Explanation:
        model = self.offer.get(name)
        explainer = Explainer(
            model,
            method,
            target=question.target,
            against=question.against,
            removal=question.removal,
            reference=question.reference,
            units=question.units,
            seed=question.seed,
        )
        # A pair of its own, not one that remembers rows of another method: so the seconds are honest.
        bound = self._bind(name, question.first, question.second, question.removal)
        for found in explainer.stream_bound(bound) if so_far else explainer.explain_bound([bound]):
            if so_far and "unfinished" in found.details:
                tell_so_far(so_far(found))
        if not all(math.isfinite(a) for a in found.attributions):
            raise GmaskError(f"{method.name} finds no finite numbers for this pair with these settings")
        self._pairs.put(self._key(name, question), in_units(bound, question.units))
        return found

    def _predict(self, name: str, trial: Trial) -> Prediction:
        key = self._key(name, trial)
        bound = self._pairs.get(key)
        if bound is None or _remembered(bound) > self.limits.rows:  # it remembers every row; no client may fill it
            bound = in_units(self._bind(name, trial.first, trial.second, trial.removal), trial.units)
            self._pairs.put(key, bound)
        model, n = bound.model, len(bound.words)
        kept = np.ones((len(trial.without), n), dtype=bool)
        for row, gone in zip(kept, trial.without, strict=True):
            for position in gone:
                if not 0 <= position < n:
                    raise GmaskError(f"there is no word {position}; the words of this pair are 0 to {n - 1}")
                row[position] = False
        (reference,) = References(trial.reference).candidates(*bound.texts, raw=model.raw)
        outputs = hold(bound, reference)(kept)
        return Prediction(
            model=name,
            labels=list(model.labels),
            words=list(bound.words),
            rows=[
                Predicted(
                    without=gone,
                    label=None if model.raw else model.labels[int(row.argmax())],
                    probabilities=[] if model.raw else row.tolist(),
                    score=float(row[0]) if model.raw else None,
                )
                for gone, row in zip(trial.without, outputs, strict=True)
            ],
        )

    def _bind(self, name: str, first: str, second: str, removal: str | None) -> BoundPair:
        bound = self.offer.get(name).bind(first, second, removal=removal)
        for sentence, place in enumerate(("first", "second")):
            self._check_length(f"the {place} sentence", int((bound.sentences == sentence).sum()))
        return bound

    @staticmethod
    def _key(name: str, pair: Question | Trial) -> tuple[Hashable, ...]:
        return name, pair.first, pair.second, pair.removal, pair.units

    def _check_texts(self, *texts: str) -> None:
        for place, text in zip(("first", "second"), texts, strict=True):
            self._check_text(f"the {place} sentence", text)
        check_pair(*texts)

    def _check_text(self, name: str, text: str) -> None:
        self._check_length(name, len(text.split()))
        if len(text) > self.limits.characters:
            raise GmaskError(f"{name} has {len(text):,} characters; at most {self.limits.characters:,} are read here")

    def _check_length(self, name: str, words: int) -> None:
        if words > self.limits.words:
            raise GmaskError(f"{name} has {words:,} words; at most {self.limits.words} can be explained here")


def _remembered(bound: BoundPair) -> int:
    """Rows that a pair remembers, by itself and as it is held against references."""
    return bound.rows_asked + sum(other.rows_asked for other in bound.held.values() if other is not bound)
