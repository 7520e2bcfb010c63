"""What the paper claims, in our words, and whether it holds: computed, not typed."""

from __future__ import annotations

from dataclasses import dataclass

from softpq.paper.evidence import Evidence
from softpq.paper.statements import STATEMENTS, Statement

READINGS = ("text", "figures", "unified", "released")


@dataclass(frozen=True)
class Claim:
    """A statement in one reading: what was found, and whether it holds; None if that cannot be computed."""

    sentence: str
    where: str
    scenes: str
    against: str
    reading: str
    found: str
    holds: bool | None


def all_claims(evidence: Evidence) -> list[Claim]:
    """Judge every statement in every reading, in the order of the paper."""
    return [judged(statement, evidence, reading) for statement in STATEMENTS for reading in READINGS]


def judged(statement: Statement, evidence: Evidence, reading: str) -> Claim:
    """Judge one statement in one reading."""
    facts = (statement.sentence, statement.where, statement.scenes, statement.against, reading)
    if statement.test is None:
        return Claim(*facts, "an opinion: nothing to compute", None)
    found = statement.test(evidence, reading)
    if found is None:
        return Claim(*facts, "needs images: softpq paper OUT --data TRUTH PRED", None)
    return Claim(*facts, *found)


def counted(claims: list[Claim]) -> dict[str, tuple[int, int]]:
    """Reading -> how many claims hold, of how many that could be computed."""
    found = {}
    for reading in READINGS:
        judged_here = [claim.holds for claim in claims if claim.reading == reading and claim.holds is not None]
        found[reading] = (sum(judged_here), len(judged_here))
    return found
