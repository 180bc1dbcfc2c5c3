"""Carries out what was selected: to the trash or to a folder; with a journal, and undo.

planning      ``planning`` says what will happen with the files that are marked to go, and what is
              refused, in the words of ``checks``; or writes it as a table
checking      ``checks`` reads files and their keepers again before each step
doing         ``carrying`` does the steps and undoes them; ``moving`` has the ways
remembering   ``operations`` keeps the journals
"""

from twinset.review.cleaning.actions.carrying import carry_out, history, undo
from twinset.review.cleaning.actions.checks import (
    ActionOutcome,
    ActionPlan,
    FileStep,
    HandledFile,
    How,
    KnownFile,
    Refusal,
)
from twinset.review.cleaning.actions.moving import folder_beside
from twinset.review.cleaning.actions.operations import PastOperation
from twinset.review.cleaning.actions.planning import as_csv, plan_actions, plan_rows

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
    "carry_out",
    "folder_beside",
    "history",
    "plan_actions",
    "plan_rows",
    "undo",
]
