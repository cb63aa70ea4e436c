"""What an audit could not find out, in words: labels that are missing, pairs that are too few."""

from __future__ import annotations

from collections.abc import Sequence

from gmask.audit.proof import ENOUGH, Proof
from gmask.audit.survey import Survey

__all__ = ["notes"]


def notes(found: Survey, proofs: Sequence[Proof], labels: Sequence[str]) -> list[str]:
    """What a reader must know of what is not there."""
    told = []
    if not found.labelled:
        told.append(
            f"No pair has a label that the model knows ({', '.join(labels)}): accuracy, errors by cause and "
            "counter-examples with a right label are missing, and patterns were tested in any pairs, not in those the "
            "model gets right."
        )
    elif found.gold < found.pairs:
        told.append(f"{found.pairs - found.gold:,} of {found.pairs:,} pairs have no label that the model knows.")
    if found.labelled and found.right == found.gold:
        told.append("The model is right on every pair: there are no errors to group.")
    if found.labelled and not found.right:
        told.append("The model is wrong on every pair: there is none to test a pattern in.")
    if len(found.golds) == 1:
        only = labels[next(iter(found.golds))]
        told.append(f"Every pair has the label {only}: what these pairs say of the other labels is little.")
    if len(found.said) == 1 and found.pairs > 1:
        only = labels[next(iter(found.said))]
        told.append(f"The model says {only} of every pair: no word or pattern goes with one label more than another.")
    hosts = [len(half) for half in found.hosts]
    if min(hosts) < ENOUGH:
        told.append(
            f"There are too few pairs: {hosts[0]} to suspect patterns in and {hosts[1]} to test them in; with fewer "
            f"than {ENOUGH} nothing is tested. That there is no finding does not say that there is no cause."
        )
    elif untested := sum(not proof.enough for proof in proofs):
        told.append(
            f"{untested} of {len(proofs)} suspected patterns could be brought about in fewer than {ENOUGH} pairs, and "
            "were not tested."
        )
    return told
