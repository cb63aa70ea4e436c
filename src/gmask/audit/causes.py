"""From proofs to causes: forms of a word join it, words that act alike are one, parts go with the whole."""

from __future__ import annotations

from collections import Counter
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

Shared = dict[tuple[Pattern, int, Pattern], float]  # for two words with a label, and one of them

FORMS = 4  # other forms of a word that are tested
LIKE = 0.5  # words act alike if so many of the answers that either turns are turned by both
DIFFERENT = 0.05  # and neither turns significantly more
HALF = 0.5  # a part that does more than so much of what the whole does does most of it
SHARED = 0.2  # words go together if so many of the answers that rest on the one rest on both
NEARLY = 0.8  # and not where one of them does so much of what both do


@dataclass(frozen=True)
class Cause:
    """A proven pattern. `also`: other labels it turns answers into; `parts`: its words, where these were tested."""

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


def settle(proofs: Iterable[Proof], pairs: Iterable[Seen]) -> list[Cause]:
    """The causes among what was tested, each told once; the pairs say which words the answers rest on together."""
    held = sorted(filter(_stands, proofs), key=lambda p: (-p.gain, str(p.pattern), p.label))
    shared = _shared([proof for proof in held if proof.pattern.together], pairs)
    held = [proof for proof in held if not _is_one_word(proof, shared)]
    strongest: dict[Pattern, list[Proof]] = {}
    for proof in held:
        strongest.setdefault(proof.pattern, []).append(proof)
    causes = [Cause(own[0], also=tuple(own[1:])) for own in strongest.values()]
    causes = [c for c in causes if c.pattern.kind != "absent" or not _is_reverse(c, causes)]
    wholes = [c for c in causes if c.pattern.together or c.pattern.kind in ("opening", "absent")]
    owned: dict[Pattern, list[Proof]] = {}
    left = []
    for cause in causes:
        whole = next((w for w in wholes if _is_part(cause, w, shared)), None)
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


def _stands(proof: Proof) -> bool:
    """Whether it is a cause; a word at the start is none where most of it is left when it stands elsewhere."""
    return proof.holds and (proof.pattern.kind != "opening" or proof.control <= HALF * proof.turned)


def _shared(wholes: Sequence[Proof], pairs: Iterable[Seen]) -> Shared:
    """For two words and each of them: of the answers that rest on the one, the share that rests on both."""
    rests: Counter[tuple[Pattern, int]] = Counter()
    patterns = {(p, whole.label) for whole in wholes for p in (whole.pattern, *whole.pattern.single)}
    for seen in pairs:
        rests.update((p, label) for p, label in patterns if label == seen.label and p.carries(seen))
    return {
        (whole.pattern, whole.label, word): rests[whole.pattern, whole.label] / max(1, rests[word, whole.label])
        for whole in wholes
        for word in whole.pattern.single
    }


def _is_one_word(proof: Proof, shared: Shared) -> bool:
    """Whether one word of two does nearly all of it, or most and mostly without the other: then it is what is told."""
    return proof.pattern.together and any(
        alone >= NEARLY * proof.turned
        or (alone > HALF * proof.turned and shared[proof.pattern, proof.label, word] < SHARED)
        for word, alone in zip(proof.pattern.single, proof.alone, strict=True)
    )


def _is_reverse(absent: Cause, causes: Sequence[Cause]) -> bool:
    """Whether taking a word out does less than putting it in, alone or with another: then that is what is told."""
    return any(
        cause.pattern.kind != "absent"
        and absent.pattern.named & cause.pattern.named
        and cause.label != absent.label
        and cause.proof.effect > absent.proof.effect
        for cause in causes
    )


def _is_part(cause: Cause, whole: Cause, shared: Shared) -> bool:
    """Whether a word is told with a pattern that it is in; or that it is the absence of."""
    if cause.pattern.kind != "word":
        return False
    side = cause.pattern.side
    if not set(cause.pattern.words[side]) <= set(whole.pattern.words[side]):
        return False
    if whole.pattern.kind == "absent":
        return cause.label != whole.label
    if cause.label != whole.label:
        return False
    return whole.pattern.kind == "opening" or shared[whole.pattern, whole.label, cause.pattern] >= SHARED


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
