"""Carries plans out, undoes them, and lists what was done.

Before each step the file and its keeper are looked at, the journal is written, and only then the
file is touched; afterwards the keeper is looked at again, and without it the file comes back.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from twinset.errors import PlanError, ReportError
from twinset.review.cleaning.actions.linking import put_link
from twinset.review.cleaning.actions.looking import HeldFile, Keepers, ensure_unchanged, hold
from twinset.review.cleaning.actions.model import (
    LINKS,
    ActionOutcome,
    ActionPlan,
    FileStep,
    HandledFile,
    Progress,
    Refusal,
    RefusalError,
)
from twinset.review.cleaning.actions.moving import forget, move_away, put_back
from twinset.review.cleaning.actions.naming import free_place
from twinset.review.cleaning.actions.operations import (
    OperationJournal,
    PastOperation,
    StepRecord,
    alone,
    journals,
    new_journal,
)
from twinset.review.cleaning.actions.restoring import restore
from twinset.review.cleaning.actions.trash import (
    ensure_trash,
    find_in_trash,
    keeps_books,
    last_from,
    send,
)
from twinset.system.files import sync_folder

ATTEMPTS = 10
"""To find a name at the new place that nobody else takes at the same moment."""


def carry_out(plan: ActionPlan, progress: Progress | None = None) -> ActionOutcome:
    """Do what the plan says, file by file; a file that is not as it was is refused and stays.

    However this process ends, `undo` brings every file back that was touched.
    """
    if plan.how == "script":
        raise PlanError(["a script is written and not carried out: use as_script"])
    if plan.how == "trash":
        ensure_trash()
    with alone(plan.home):
        made_target = plan.target is not None and not plan.target.exists()
        target = {} if plan.target is None else {"target": str(plan.target)}
        header = {"operation": plan.how, "report": plan.report, "made_target": made_target}
        journal = new_journal(plan.home, header | target)
        keepers = Keepers.of(plan.steps)
        done, refused = [], list(plan.refused)
        for number, step in enumerate(plan.steps):
            if progress is not None:
                progress(number, len(plan.steps), step.file.path)
            try:
                if journal.is_full:
                    raise RefusalError("refused_too_many")
                place = _carry_step(number, step, plan, journal, keepers)
                done.append(HandledFile(step.file.path, step.file.bytes, place))
            except RefusalError as refusal:
                refused.append(Refusal(step.file.path, refusal.reason))
        journal.write({"end": True})
    return ActionOutcome(journal.id, plan.how, tuple(done), tuple(refused))


def _carry_step(
    number: int, step: FileStep, plan: ActionPlan, journal: OperationJournal, keepers: Keepers
) -> Path | None:
    with hold(step.file.path) as file:
        digest = ensure_unchanged(step.file, file)
        keeper, keepers_digest = keepers.ensure(step.keeper, file)
        if (plan.how in LINKS or step.kind == "equal-bytes") and digest != keepers_digest:
            raise RefusalError("refused_other_bytes", keeper=str(step.keeper.path))
        for _ in range(ATTEMPTS):
            record = _record(number, step, plan, file, digest, keeper)
            journal.write(record.entry())
            try:
                record = _act(record, file, keeper, journal)
                if not keepers.still_there(step.keeper, keeper):
                    raise RefusalError("refused_keeper_missing", keeper=str(step.keeper.path))
            except FileExistsError:
                restore(record)
                continue  # somebody has just taken the name; there are others
            except (OSError, RefusalError) as fault:
                refusal = fault if isinstance(fault, RefusalError) else RefusalError.of(fault)
                if refusal.reason.name != "refused_changed":  # a newer file has the name, and stays
                    restore(record)  # where that fails, the step stays open for `undo`
                journal.write({"step": number, "state": "failed", "reason": refusal.reason.name})
                raise refusal from None
            places = {"to": record.to, "info": record.info}
            written = {name: str(place) for name, place in places.items() if place is not None}
            journal.write({"step": number, "state": "done", **written})
            return record.to
        raise RefusalError("refused_fault", fault=os.strerror(errno.EEXIST))


def _record(
    number: int,
    step: FileStep,
    plan: ActionPlan,
    file: HeldFile,
    digest: bytes,
    keeper: os.stat_result,
) -> StepRecord:
    path = step.file.path
    to = free_place(path, plan.root, plan.target) if plan.target is not None else None
    ours = f".twinset-{secrets.token_hex(6)}"
    return StepRecord(
        number,
        plan.how,
        path,
        step.keeper.path,
        file.status.st_size,
        file.status.st_mtime_ns,
        file.status.st_mode,
        digest,
        file.status.st_dev,
        file.status.st_ino,
        keeper.st_dev,
        keeper.st_ino,
        draft=(path if to is None else to).with_name(f"{ours}-new"),
        aside=path.with_name(f"{ours}-old"),
        began=time.time_ns(),
        to=to,
    )


def _act(
    record: StepRecord, file: HeldFile, keeper: os.stat_result, journal: OperationJournal
) -> StepRecord:
    """Do it; gives the record with the place where the file is now."""

    def copied(status: os.stat_result) -> None:
        copy = [status.st_dev, status.st_ino]
        journal.write({"step": record.number, "state": "copied", "copy": copy})

    if record.how == "move":
        move_away(file, record, copied)
        return record
    if record.how in LINKS:
        put_link(file, record, keeper)
        return record
    if not file.is_at(record.path):
        raise RefusalError("refused_changed")
    send(record.path)
    sync_folder(record.path.parent)
    if os.path.lexists(record.path) and file.is_at(record.path):
        raise RefusalError("refused_no_trash")
    trashed = find_in_trash(record) if keeps_books() else None
    if trashed is not None:
        return replace(record, to=trashed.file, info=trashed.info)
    if keeps_books() and (newer := last_from(record)) is not None:
        put_back(newer.file, record)  # it had taken the name at the last moment: it stays
        forget(newer.info)
        raise RefusalError("refused_changed")
    return record


def undo(
    home: Path, operation: str | None = None, progress: Progress | None = None
) -> ActionOutcome:
    """Bring the files of an operation back, by default those of the last one that stands.

    It may be repeated: what was refused, say since another file has the name, is tried again.
    """
    with alone(home):
        journal, past = _to_undo(home, operation)
        back, refused = [], []
        steps = past.standing[::-1]
        for number, record in enumerate(steps):
            if progress is not None:
                progress(number, len(steps), record.path)
            try:
                if record.state == "done":
                    journal.write({"step": record.number, "state": "undoing"})
                restore(record)
                journal.write({"step": record.number, "state": "undone"})
                back.append(HandledFile(record.path, record.bytes, record.path))
            except RefusalError as refusal:
                refused.append(Refusal(record.path, refusal.reason))
        _remove_empty(past)
    return ActionOutcome(past.id, past.how, tuple(back), tuple(refused))


def _to_undo(home: Path, operation: str | None) -> tuple[OperationJournal, PastOperation]:
    known = [(journal, past) for journal in journals(home) if (past := journal.read()) is not None]
    if operation is None:
        standing = [entry for entry in known if entry[1].standing]
        if not standing:
            raise ReportError("there is nothing to undo: no file was removed, or all are back")
        return standing[-1]
    for journal, past in known:
        if past.id == operation:
            return journal, past
    ids = ", ".join(past.id for _, past in known[-3:])
    remedy = f"the last ones are {ids}" if ids else "nothing was done yet"
    raise PlanError([f"there is no operation '{operation}'; {remedy}"])


def _remove_empty(past: PastOperation) -> None:
    """Remove the folders that a move has made and that are empty again."""
    if past.target is None:
        return
    folders = {folder for step in past.steps if step.to is not None for folder in step.to.parents}
    inside = [folder for folder in folders if past.target in folder.parents]
    if past.made_target:
        inside.append(past.target)
    for folder in sorted(inside, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def history(home: Path) -> list[PastOperation]:
    """All operations, the latest first."""
    past = [journal.read() for journal in journals(home)]
    return [operation for operation in past if operation is not None][::-1]
