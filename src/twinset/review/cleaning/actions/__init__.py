"""Carries out what was selected: trash, move, links, scripts; with a journal, and undo.

planning      ``selected`` has the files that are marked to go, ``planning`` says what will happen
              with them and what is refused, ``model`` is their words
looking       ``looking`` checks files and their keepers before each step
doing         ``carrying`` does the steps and undoes them; ``moving``, ``linking`` and ``trash`` are
              the ways, ``naming`` finds free names, ``restoring`` brings one file back
remembering   ``operations`` keeps the journals
sending       ``exports`` writes the plan as a script or a table instead
"""

from __future__ import annotations

from twinset.review.cleaning.actions.carrying import carry_out, history, undo
from twinset.review.cleaning.actions.exports import as_csv, as_powershell, as_script
from twinset.review.cleaning.actions.model import (
    ActionOutcome,
    ActionPlan,
    FileStep,
    HandledFile,
    How,
    KnownFile,
    Refusal,
)
from twinset.review.cleaning.actions.naming import folder_beside
from twinset.review.cleaning.actions.operations import PastOperation
from twinset.review.cleaning.actions.planning import plan_rows
from twinset.review.cleaning.actions.selected import plan_actions

__all__ = [
    "ActionOutcome",
    "ActionPlan",
    "FileStep",
    "HandledFile",
    "How",
    "KnownFile",
    "PastOperation",
    "Refusal",
    "as_csv",
    "as_powershell",
    "as_script",
    "carry_out",
    "folder_beside",
    "history",
    "plan_actions",
    "plan_rows",
    "undo",
]
