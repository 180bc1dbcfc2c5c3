"""Carries plans out, undoes them, and lists what was done.

Before each step the file and its keeper are looked at, the journal is written, and only then the
file is touched; afterwards the keeper is looked at again, and without it the file comes back.

To bring a file back, wherever its step has ended, the files themselves are looked at: it lies under
its own name, under a name of ours beside it or at its new place, and its digest says which one it
is. Nothing that has taken the name meanwhile is overwritten.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from twinset.errors import PlanError, ReportError
from twinset.review.cleaning.actions.checks import (
    LINKS,
    ActionOutcome,
    ActionPlan,
    FileStep,
    HandledFile,
    HeldFile,
    Keepers,
    Progress,
    Refusal,
    RefusalError,
    ensure_unchanged,
    ensure_way,
    has_content,
    hold,
)
from twinset.review.cleaning.actions.moving import (
    draft_beside,
    ensure_trash,
    forget,
    free_place,
    keeps_books,
    move_away,
    put_back,
    put_link,
    send,
    shortened,
    take_link_back,
    trash_of,
    write_info,
)
from twinset.review.cleaning.actions.operations import (
    OperationJournal,
    PastOperation,
    StepRecord,
    alone,
    journals,
    new_journal,
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
        header = {"operation": plan.how, "report": plan.report, "root": str(plan.root)}
        journal = new_journal(plan.home, header | target | {"made_target": made_target})
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
    with hold(step.file.path, step.file.root) as file:
        digest = ensure_unchanged(step.file, file)
        keeper, keepers_digest = keepers.ensure(step.keeper, file)
        if (plan.how in LINKS or step.kind == "equal-bytes") and digest != keepers_digest:
            raise RefusalError("refused_other_bytes", keeper=str(step.keeper.path))
        for _ in range(ATTEMPTS):
            record = _record(number, step, plan, file, digest, keeper)
            journal.write(record.entry())
            try:
                _act(record, file, keeper, journal)
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
            journal.write(replace(record, state="done").entry())
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
    path, token = step.file.path, secrets.token_hex(6)
    to = None
    if plan.target is not None:
        to = free_place(path, plan.root, plan.target)
        ensure_way(to, plan.target)
    elif plan.how == "trash" and keeps_books():
        trash = trash_of(path)
        to = trash / "files" / shortened(path, f".{token}{path.suffix}.trashinfo").stem
        ensure_way(to, trash)
    return StepRecord(
        number,
        plan.how,
        path,
        step.file.root,
        step.keeper.path,
        file.status.st_size,
        file.status.st_mtime_ns,
        file.status.st_mode,
        digest,
        file.status.st_dev,
        file.status.st_ino,
        keeper.st_dev,
        keeper.st_ino,
        token,
        to,
        plan.target,
    )


def _act(
    record: StepRecord, file: HeldFile, keeper: os.stat_result, journal: OperationJournal
) -> None:
    def copied(status: os.stat_result) -> None:
        copy = [status.st_dev, status.st_ino]
        journal.write({"step": record.number, "state": "copied", "copy": copy})

    if record.how in LINKS:
        put_link(file, record, keeper)
    elif record.to is not None:
        if record.info is not None:
            write_info(record)
        try:
            move_away(file, record, copied)
        except RefusalError:
            _forget_info(record)
            raise
    else:
        if not file.is_at(record.path):
            raise RefusalError("refused_changed")
        send(record.path)
        sync_folder(record.path.parent)
        if file.is_at(record.path):
            raise RefusalError("refused_no_trash")


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
        if past.damaged:
            damage = RefusalError("refused_damaged", n=past.damaged)
            refused.append(Refusal(journal.path, damage.reason))
    return ActionOutcome(past.id, past.how, tuple(back), tuple(refused))


def _to_undo(home: Path, operation: str | None) -> tuple[OperationJournal, PastOperation]:
    known: list[str] = []
    for journal in journals(home)[::-1]:
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


def _remove_empty(past: PastOperation) -> None:
    """Remove the folders that a move has made and that are empty again."""
    if past.target is None:
        return
    folders = {folder for step in past.steps if step.to is not None for folder in step.to.parents}
    inside = [folder for folder in folders if past.target in folder.parents]
    if past.made_target:
        inside.append(past.target)
    for folder in sorted(inside, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError, RefusalError):
            ensure_way(folder / "x", past.target)
            folder.rmdir()


def history(home: Path) -> list[PastOperation]:
    """All operations, the latest first."""
    past = [journal.read() for journal in journals(home)]
    return [operation for operation in past if operation is not None][::-1]


def restore(record: StepRecord) -> bool:
    """Whether the file was brought back; False where it is in its place already.

    Raises `RefusalError` with the reason where neither can be.
    """
    try:
        ensure_way(record.path, record.root)
        if record.to is not None:
            ensure_way(record.to, record.target or record.to.parent.parent)
        return take_link_back(record) if record.how in LINKS else _bring_back(record)
    except FileExistsError:
        raise RefusalError("refused_in_the_way") from None
    except OSError as fault:
        raise RefusalError.of(fault) from None


def _bring_back(record: StepRecord) -> bool:
    forget(record.draft)  # drafts are copies: what they were made of is still there
    forget(draft_beside(record))
    if os.path.lexists(record.path):
        if not has_content(record.path, record.bytes, record.digest):
            raise RefusalError("refused_in_the_way")
        if record.state != "done":  # one that is done leaves nothing but the file itself
            _clean_up(record)
        return False
    for place, take in _places(record):
        if has_content(place, record.bytes, record.digest):
            put_back(place, record, take)
            _clean_up(record)
            return True
    if record.how == "trash" and not keeps_books():
        raise RefusalError("refused_by_hand")
    raise RefusalError("refused_not_found")


def _places(record: StepRecord) -> Iterator[tuple[Path, bool]]:
    """Where the file may lie, and whether it is ours.

    A step that is known to be done has made that place its own. Otherwise a file with the same
    bytes may be there by another operation, which will want it back.
    """
    yield record.aside, True
    if record.to is not None:
        yield record.to, record.state != "begun" or _is_ours(record.to, record)


def _is_ours(path: Path, record: StepRecord) -> bool:
    try:
        return record.is_ours(os.lstat(path))
    except OSError:
        return False


def _clean_up(record: StepRecord) -> None:
    """Remove what an unfinished step has left, now that the file is in its place."""
    for copy in (record.aside, record.to):
        if (
            copy is not None
            and _is_ours(copy, record)
            and has_content(copy, record.bytes, record.digest)
        ):
            forget(copy)
    _forget_info(record)


def _forget_info(record: StepRecord) -> None:
    if record.info is not None and not os.path.lexists(str(record.to)):
        forget(record.info)
