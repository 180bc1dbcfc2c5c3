"""Carries plans out, undoes them, and lists what was done.

Before each step the file and its keeper are looked at, the journal is written, and only then the
file is touched; afterwards the keeper is looked at again, and without it the file comes back.

To bring a file back, wherever its step has ended, the files themselves are looked at: it lies under
its own name or at its new place, and its digest says which one it is. Nothing that has taken the
name meanwhile is overwritten.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from twinset.errors import PlanError, ReportError
from twinset.review.cleaning.actions import checks, moving, operations
from twinset.system.files import sync_folder
from twinset.system.renames import rename_to_free

ATTEMPTS = 10
"""To find a name at the new place that nobody else takes at the same moment."""


def carry_out(
    plan: checks.ActionPlan, progress: checks.Progress | None = None
) -> checks.ActionOutcome:
    """Do what the plan says, file by file; a file that is not as it was is refused and stays.

    However this process ends, `undo` brings every file back that was touched.
    """
    if plan.how == "trash":
        moving.ensure_trash()
    with operations.alone(plan.home):
        made_target = plan.target is not None and not plan.target.exists()
        target = {} if plan.target is None else {"target": str(plan.target)}
        header = {"operation": plan.how, "report": plan.report, "root": str(plan.root)}
        journal = operations.new_journal(plan.home, header | target | {"made_target": made_target})
        keepers = checks.Keepers.of(plan.steps)
        done, refused = [], list(plan.refused)
        for number, step in enumerate(plan.steps):
            if progress is not None:
                progress(number, len(plan.steps), step.file.path)
            try:
                if journal.is_full:
                    raise checks.RefusalError("refused_too_many")
                place = _carry_step(number, step, plan, journal, keepers)
                done.append(checks.HandledFile(step.file.path, step.file.bytes, place))
            except checks.RefusalError as refusal:
                refused.append(checks.Refusal(step.file.path, refusal.reason))
        journal.write({"end": True})
    return checks.ActionOutcome(journal.id, plan.how, tuple(done), tuple(refused))


def _carry_step(
    number: int,
    step: checks.FileStep,
    plan: checks.ActionPlan,
    journal: operations.OperationJournal,
    keepers: checks.Keepers,
) -> Path:
    with checks.hold(step.file.path, step.file.root) as file:
        digest = checks.ensure_unchanged(step.file, file)
        keeper, keepers_digest = keepers.ensure(step.keeper, file)
        if step.kind == "equal-bytes" and digest != keepers_digest:
            raise checks.RefusalError("refused_other_bytes", keeper=str(step.keeper.path))
        for _ in range(ATTEMPTS):
            record = _record(number, step, plan, file, digest)
            journal.write(record.entry())
            try:
                _act(record, file)
                if not keepers.still_there(step.keeper, keeper):
                    raise checks.RefusalError(
                        "refused_keeper_missing", keeper=str(step.keeper.path)
                    )
            except FileExistsError:
                restore(record)
                continue  # somebody has just taken the name; there are others
            except (OSError, checks.RefusalError) as fault:
                refusal = (
                    fault
                    if isinstance(fault, checks.RefusalError)
                    else checks.RefusalError.of(fault)
                )
                if refusal.reason.name != "refused_changed":  # a newer file has the name, and stays
                    restore(record)  # where that fails, the step stays open for `undo`
                journal.write({"step": number, "state": "failed", "reason": refusal.reason.name})
                raise refusal from None
            journal.write(replace(record, state="done").entry())
            return record.to
        raise checks.RefusalError("refused_fault", fault=os.strerror(errno.EEXIST))


def _record(
    number: int,
    step: checks.FileStep,
    plan: checks.ActionPlan,
    file: checks.HeldFile,
    digest: bytes,
) -> operations.StepRecord:
    path = step.file.path
    if plan.target is not None:
        to = moving.free_place(path, plan.root, plan.target)
        checks.ensure_way(to, plan.target)
    else:
        trash = moving.trash_of(path)
        ending = f".{secrets.token_hex(6)}{path.suffix}.trashinfo"
        to = trash / "files" / moving.shortened(path, ending).stem
        checks.ensure_way(to, trash)
    return operations.StepRecord(
        number,
        plan.how,
        path,
        step.file.root,
        file.status.st_size,
        digest,
        file.status.st_dev,
        file.status.st_ino,
        to,
        plan.target,
    )


def _act(record: operations.StepRecord, file: checks.HeldFile) -> None:
    if record.how == "trash":
        moving.write_info(record)
    try:
        moving.move_away(file, record)
    except checks.RefusalError:
        _forget_info(record)
        raise


def undo(
    home: Path,
    operation: str | None = None,
    progress: checks.Progress | None = None,
    step: int | None = None,
) -> checks.ActionOutcome:
    """Bring the files of an operation back, by default those of the last one that stands.

    Where a ``step`` is named, its file alone.

    It may be repeated: what was refused, say since another file has the name, is tried again.
    """
    with operations.alone(home):
        journal, past = _to_undo(home, operation)
        back, refused = [], []
        steps = [each for each in past.standing[::-1] if step in (None, each.number)]
        for number, record in enumerate(steps):
            if progress is not None:
                progress(number, len(steps), record.path)
            try:
                if record.state == "done":
                    journal.write({"step": record.number, "state": "undoing"})
                restore(record)
                journal.write({"step": record.number, "state": "undone"})
                back.append(checks.HandledFile(record.path, record.bytes, record.path))
            except checks.RefusalError as refusal:
                refused.append(checks.Refusal(record.path, refusal.reason))
        _remove_empty(past)
        if past.damaged:
            damage = checks.RefusalError("refused_damaged", n=past.damaged)
            refused.append(checks.Refusal(journal.path, damage.reason))
    return checks.ActionOutcome(past.id, past.how, tuple(back), tuple(refused))


def _to_undo(
    home: Path, operation: str | None
) -> tuple[operations.OperationJournal, operations.PastOperation]:
    known: list[str] = []
    for journal in operations.journals(home)[::-1]:
        past = journal.read()
        if journal.is_lost and operation in (None, journal.id):
            raise ReportError(
                f"{journal.path}: no line of this journal is as it was written, so its files "
                "cannot be brought back; look for them in the trash, or where they were moved to. "
                "To undo another operation, name it: --history lists them"
            )
        if past is None:
            continue
        is_open = past.standing or (past.damaged and not past.steps)
        if operation == past.id or (operation is None and is_open):
            return journal, past
        known.insert(0, past.id)
    if operation is None:
        raise ReportError("there is nothing to undo: no file was removed, or all are back")
    remedy = f"the last ones are {', '.join(known[-3:])}" if known else "nothing was done yet"
    raise PlanError([f"there is no operation '{operation}'; {remedy}"])


def _remove_empty(past: operations.PastOperation) -> None:
    """Remove the folders that a move has made and that are empty again."""
    if past.target is None:
        return
    folders = {folder for step in past.steps for folder in step.to.parents}
    inside = [folder for folder in folders if past.target in folder.parents]
    if past.made_target:
        inside.append(past.target)
    for folder in sorted(inside, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError, checks.RefusalError):
            checks.ensure_way(folder / "x", past.target)
            folder.rmdir()


def history(home: Path) -> list[operations.PastOperation]:
    """All operations, the latest first."""
    past = [journal.read() for journal in operations.journals(home)]
    return [operation for operation in past if operation is not None][::-1]


def restore(record: operations.StepRecord) -> None:
    """Bring a file back, unless it is in its place; raises `RefusalError` where it cannot be."""
    try:
        checks.ensure_way(record.path, record.root)
        checks.ensure_way(record.to, record.target or record.to.parent.parent)
        if not os.path.lexists(record.path):
            _bring_back(record)
        elif not _is_there(record.path, record):
            raise checks.RefusalError("refused_in_the_way")
        elif record.state != "done":  # a kill may have come between its new name and the old one
            if record.is_at(record.to) and _is_there(record.to, record):
                moving.forget(record.to)
            _forget_info(record)
    except FileExistsError:
        raise checks.RefusalError("refused_in_the_way") from None
    except OSError as fault:
        raise checks.RefusalError.of(fault) from None


def _bring_back(record: operations.StepRecord) -> None:
    # A step that is known to be done has made that place its own. Otherwise a file with the same
    # bytes may be there by another operation, which will want it back.
    is_ours = record.state != "begun" or record.is_at(record.to)
    if not is_ours or not _is_there(record.to, record):
        raise checks.RefusalError("refused_not_found")
    record.path.parent.mkdir(parents=True, exist_ok=True)
    rename_to_free(record.to, record.path)
    sync_folder(record.path.parent)
    _forget_info(record)


def _is_there(path: Path, record: operations.StepRecord) -> bool:
    return checks.has_content(path, record.bytes, record.digest)


def _forget_info(record: operations.StepRecord) -> None:
    if record.how == "trash" and not os.path.lexists(record.to):
        moving.forget(record.info)
