"""Plans and outcomes of actions on files as the page shows them, bound to the allowed folders."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from twinset.review.cleaning.actions.model import ActionOutcome, ActionPlan, Refusal
from twinset.review.cleaning.model import Reason
from twinset.web.report.cleaning_rows import Wording
from twinset.web.settings import ForbiddenError, Settings, inside

LISTED = 500
"""Files of a plan that are listed by name."""
NAMED = 5
"""Files of one refusal that are listed by name."""
Refused = tuple[str, list[str], int]
"""Why, the first names, and how many more."""


@dataclass(frozen=True)
class ShownPlan:
    """What will happen; ``mark`` is a digest of it, to know later that it is what was shown."""

    count: int
    bytes: int
    files: list[tuple[str, str]]
    refused: list[Refused]
    refused_count: int
    read_only: list[str]
    network: list[str]
    mark: str

    @classmethod
    def of(cls, plan: ActionPlan, words: Wording) -> ShownPlan:
        """A plan in the reader's language."""
        return cls(
            len(plan.steps),
            plan.bytes,
            [
                (words.below(step.file.path), words.below(step.keeper.path))
                for step in plan.steps[:LISTED]
            ],
            _refusals(plan.refused, words),
            len(plan.refused),
            [words.below(folder) for folder, place in plan.places if place.read_only],
            [words.below(folder) for folder, place in plan.places if place.network],
            mark_of(plan),
        )


@dataclass(frozen=True)
class ShownOutcome:
    """What was done."""

    count: int
    bytes: int
    refused: list[Refused]
    refused_count: int
    operation: str

    @classmethod
    def of(cls, outcome: ActionOutcome, words: Wording) -> ShownOutcome:
        """An outcome in the reader's language."""
        refused = _refusals(outcome.refused, words)
        count = len(outcome.done)
        return cls(count, outcome.bytes, refused, len(outcome.refused), outcome.operation)


def mark_of(plan: ActionPlan) -> str:
    """A digest of what a plan does."""
    digest = hashlib.blake2b(f"{plan.how}\0{plan.target}".encode("utf-8", "surrogateescape"))
    for step in plan.steps:
        names = os.fsencode(step.file.path), os.fsencode(step.keeper.path)
        digest.update(b"\0".join(names) + b"\0")
    return digest.hexdigest()[:32]


def bounded(plan: ActionPlan, settings: Settings) -> ActionPlan:
    """The part of a plan inside the allowed folders; other files are refused."""
    sides = [(step.file.path.parent, step.keeper.path.parent) for step in plan.steps]
    folders_named = {folder for pair in sides for folder in pair}
    allowed = {folder: _is_allowed(settings, folder) for folder in folders_named}
    steps, refused = [], list(plan.refused)
    for step, folders in zip(plan.steps, sides, strict=True):
        if all(allowed[folder] for folder in folders):
            steps.append(step)
        else:
            refused.append(Refusal(step.file.path, Reason("refused_outside")))
    return dataclasses.replace(plan, steps=tuple(steps), refused=tuple(refused))


def _is_allowed(settings: Settings, folder: Path) -> bool:
    try:
        inside(settings, folder)
    except ForbiddenError:
        return False
    return True


def _refusals(refused: Iterable[Refusal], words: Wording) -> list[Refused]:
    """Refused files by their reasons."""
    by_reason: dict[str, list[str]] = {}
    for refusal in refused:
        by_reason.setdefault(words.reason(refusal.reason), []).append(words.below(refusal.path))
    return [(why, names[:NAMED], len(names) - NAMED) for why, names in by_reason.items()]
