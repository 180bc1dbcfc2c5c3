"""The file of the answers beside a plan, for one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from twinset.errors import ReportError


@contextmanager
def own_journal(out: str, force: bool) -> Iterator[Path]:
    """The journal of the plan ``out``, locked; an empty one does not stay.

    A plan without a journal was made otherwise, and is replaced only by ``force``, which also
    puts older answers aside.
    """
    from twinset.lab.asking.answers import beside
    from twinset.report.files import ensure_free_file

    journal = beside(out)
    ensure_free_file(out, force or journal.is_file(), "plan.toml")
    file = os.open(journal, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(file, journal)
        if force and os.fstat(file).st_size:
            put_aside = journal.with_name(f"{journal.stem}.old.jsonl")
            put_aside.write_bytes(journal.read_bytes())
            os.ftruncate(file, 0)
        yield journal
    finally:
        if not os.fstat(file).st_size:
            with suppress(OSError):
                journal.unlink()
        os.close(file)


def _lock(file: int, journal: Path) -> None:
    try:
        import fcntl
    except ImportError:  # a system without locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ReportError(
            f"{journal} is in use by another 'twinset ask': end that one first, or choose "
            "another -o"
        ) from None
    except OSError:
        return  # some network file systems have none
