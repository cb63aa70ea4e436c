"""From proofs to causes: forms of a word join it, words that act alike are one, parts go with the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from gmask.audit.asking import Asker
from gmask.audit.lexicon import stem
from gmask.audit.pattern import Pattern
from gmask.audit.proof import Proof, Trial, correct, prove
from gmask.audit.seen import Seen
from gmask.audit.significance import more_often
from gmask.audit.suspects import Suspect
from gmask.audit.vocabulary import Vocabulary

__all__ = ["Cause", "settle", "test"]

FORMS = 4  # other forms of a word that are tested
LIKE = 0.5  # words act alike if so many of the answers that either turns are turned by both
DIFFERENT = 0.05  # and neither turns significantly more
ADDS = 0.6  # a part that does so much of what the whole does stands for itself
SEVERAL = ("pair", "overlap", "set", "opening")


@dataclass(frozen=True)
class Cause:
    """A proven pattern. `also`: other labels it turns answers into; `parts`: what its words do by themselves."""

    proof: Proof
    also: tuple[Proof, ...] = ()
    parts: tuple[Proof, ...] = ()
    members: tuple[Proof, ...] = field(default=())

    @property
    def pattern(self) -> Pattern:
        """What it is."""
        return self.proof.pattern

    @property
    def label(self) -> int:
        """What it causes."""
        return self.proof.label


def test(
    suspects: Sequence[Suspect], hosts: Sequence[Seen], vocabulary: Vocabulary, ask: Asker, count: int
) -> list[Proof]:
    """Test every suspicion, and other forms of the words that hold; one correction for all."""
    proofs = prove([(s.pattern, s.label) for s in suspects], hosts, vocabulary, ask, count)
    known = {(proof.pattern, proof.label) for proof in proofs}
    forms = [form for form in _forms([p for p in correct(proofs) if p.holds], vocabulary) if form not in known]
    return correct([*proofs, *prove(forms, hosts, vocabulary, ask, count)])


def settle(proofs: Iterable[Proof]) -> list[Cause]:
    """The causes among what was tested, each told once."""
    held = sorted(filter(_needs_all, proofs), key=lambda p: (-p.effect, str(p.pattern), p.label))
    strongest: dict[Pattern, list[Proof]] = {}
    for proof in held:
        strongest.setdefault(proof.pattern, []).append(proof)
    causes = [Cause(own[0], also=tuple(own[1:])) for own in strongest.values()]
    causes = [c for c in causes if c.pattern.kind != "absent" or not _is_reverse(c, causes)]
    wholes = [c for c in causes if c.pattern.kind in (*SEVERAL, "absent")]
    owned: dict[Pattern, list[Proof]] = {}
    left = []
    for cause in causes:
        whole = next((w for w in wholes if _is_part(cause, w)), None)
        if whole is None:
            left.append(cause)
        else:
            owned.setdefault(whole.pattern, []).append(cause.proof)
    words = [c for c in left if c.pattern.kind == "word"]
    others = [replace(c, parts=tuple(owned.get(c.pattern, ()))) for c in left if c.pattern.kind != "word"]
    return [*others, *(_together(cluster) for cluster in _alike(words))]


def _forms(held: Sequence[Proof], vocabulary: Vocabulary) -> list[tuple[Pattern, int]]:
    """Other forms of words that turn answers."""
    found: dict[tuple[Pattern, int], None] = {}
    for proof in held:
        if proof.pattern.kind != "word":
            continue
        side, (word,) = proof.pattern.side, proof.pattern.words[proof.pattern.side]
        counts = vocabulary.counts[side]
        forms = sorted((w for w in counts if w != word and stem(w) == stem(word)), key=lambda w: (-counts[w], w))
        for form in forms[:FORMS]:
            found[_word(form, side), proof.label] = None
    return list(found)


def _word(word: str, side: int) -> Pattern:
    return Pattern("word", (word,), ()) if side == 0 else Pattern("word", (), (word,))


def _needs_all(proof: Proof) -> bool:
    """Whether it is a cause; several words are none where, without one of them, most of it is left."""
    return proof.holds and (proof.pattern.kind not in SEVERAL or 2 * proof.control <= proof.turned)


def _is_reverse(absent: Cause, causes: Sequence[Cause]) -> bool:
    """Whether taking a word out does less than putting it in, alone or with another: then that is what is told."""
    return any(
        cause.pattern.kind != "absent"
        and absent.pattern.named & cause.pattern.named
        and cause.label != absent.label
        and cause.proof.effect > absent.proof.effect
        for cause in causes
    )


def _is_part(cause: Cause, whole: Cause) -> bool:
    """Whether a word is told with a pattern that it is in, and that does clearly more; or that it is the absence of."""
    if cause.pattern.kind != "word":
        return False
    side = cause.pattern.side
    if not set(cause.pattern.words[side]) <= set(whole.pattern.words[side]):
        return False
    if whole.pattern.kind == "absent":
        return cause.label != whole.label
    return cause.label == whole.label and cause.proof.turned < ADDS * whole.proof.turned


def _alike(words: Sequence[Cause]) -> list[list[Cause]]:
    """Words of a side with a label that turn the same answers: forms of one word, and words with the same effect."""
    clusters: list[list[Cause]] = []
    for cause in words:
        home = next((own for own in clusters if _acts_as(cause, own[0])), None)
        if home is None:
            clusters.append([cause])
        else:
            home.append(cause)
    return clusters


def _acts_as(one: Cause, other: Cause) -> bool:
    if (one.pattern.side, one.label) != (other.pattern.side, other.label):
        return False
    (word,), (model) = one.pattern.words[one.pattern.side], other.pattern.words[other.pattern.side]
    if stem(word) == stem(model[0]):
        return True
    turns = [{t.host.number: t.answer.label == one.label for t in c.proof.trials} for c in (one, other)]
    common = sorted(set(turns[0]) & set(turns[1]))
    first, second = ([own[n] for n in common] for own in turns)
    either, both = (sum(map(how, zip(first, second, strict=True))) for how in (any, all))
    same = min(more_often(first, second), more_often(second, first)) > DIFFERENT
    return bool(either) and both / either >= LIKE and same


def _together(cluster: Sequence[Cause]) -> Cause:
    """One cause of words that act alike: in each pair one of them, chosen by the pair, stands for all."""
    if len(cluster) == 1:
        return cluster[0]
    side = cluster[0].pattern.side
    words = tuple(w for cause in cluster for w in cause.pattern.words[side])
    pattern = Pattern("alike", words if side == 0 else (), () if side == 0 else words)
    by_host: dict[int, list[Trial]] = {}
    for cause in cluster:
        for trial in cause.proof.trials:
            by_host.setdefault(trial.host.number, []).append(trial)
    trials = tuple(own[own[0].host.key // 2 % len(own)] for own in by_host.values())
    proof = Proof(pattern, cluster[0].label, trials, q=max(c.proof.q for c in cluster)).tested()
    return Cause(proof, members=tuple(cause.proof for cause in cluster))
