"""Brings one file back, wherever its step has ended: it looks at the files, not at hopes.

A step that began may have happened, or not, or half. The file lies under its own name, under a name
of ours beside it, at its new place or in the trash; its digest says which file it is. Nothing that
has taken the name meanwhile is overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from twinset.review.cleaning.actions.linking import take_link_back
from twinset.review.cleaning.actions.looking import has_content
from twinset.review.cleaning.actions.model import LINKS, RefusalError
from twinset.review.cleaning.actions.moving import draft_beside, forget, put_back
from twinset.review.cleaning.actions.operations import StepRecord
from twinset.review.cleaning.actions.trash import find_in_trash, keeps_books, lies_in_trash


def restore(record: StepRecord) -> bool:
    """Whether the file was brought back; False where it is in its place already.

    Raises `RefusalError` with the reason where neither can be.
    """
    try:
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
    for place, info, take in _places(record):
        if has_content(place, record.bytes, record.digest):
            put_back(place, record, take)
            if info is not None and take:
                forget(info)
            _clean_up(record)
            return True
    if record.how == "trash" and not keeps_books():
        raise RefusalError("refused_by_hand")
    raise RefusalError("refused_not_found")


def _places(record: StepRecord) -> Iterator[tuple[Path, Path | None, bool]]:
    """Where the file may lie, with its line in the books of the trash, and whether it is ours.

    A step that is known to be done has made that place its own. Otherwise a file with the same
    bytes may be there by another operation, which will want it back.
    """
    yield record.aside, None, True
    if record.to is not None and (record.how != "trash" or lies_in_trash(record)):
        yield record.to, record.info, record.state != "begun" or _is_ours(record.to, record)
    if record.how == "trash" and keeps_books():
        trashed = find_in_trash(record)
        if trashed is not None:
            yield trashed.file, trashed.info, True


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
    if record.info is not None and lies_in_trash(record) and not os.path.lexists(str(record.to)):
        forget(record.info)
