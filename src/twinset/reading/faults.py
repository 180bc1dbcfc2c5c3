"""What can be wrong with input, and what is done about it: counted and skipped, or stopped at."""

from __future__ import annotations

from twinset.errors import ReadError
from twinset.model import Fault
from twinset.plan import OnError

# kind -> what to do about it, told when the run stops at the fault
KINDS: dict[str, str] = {
    "syntax": "correct the record, or read on with --on-error skip",
    "missing": "name the field with --text, or read on with --on-error skip",
    "type": "name a field that holds text, or read on with --on-error skip",
    "encoding": "convert the input to UTF-8, or read on with --on-error skip",
    "binary": "leave files that hold no text out, or read on with --on-error skip",
    "irregular": "name a regular file, or read on with --on-error skip",
    "format": "leave files of this format out, or read on with --on-error skip",
    "columns": "put quotes around fields that hold the delimiter, or read on with --on-error skip",
    "truncated": "fetch the file again, or use what is there with --on-error skip",
    "too-long": "split the record or raise max_document_bytes, or read on with --on-error skip",
    "unreadable": "check the permissions, or read on with --on-error skip",
    "package": "install it, or read on with --on-error skip",
    "outside": "name its folder with --within, or read on with --on-error skip",
    "loop": "remove the link, or read on with --on-error skip",
}


class Faults:
    """Collects the faults of one source until a batch carries them off; may stop at the first."""

    def __init__(self, source: str, on_error: OnError) -> None:
        self.source = source
        self._stop = on_error == "stop"
        self._held: list[Fault] = []

    def add(self, line: int | None, kind: str, detail: str, source: str | None = None) -> None:
        """Note a fault, or raise `ReadError` with the remedy where the options say stop."""
        where = source or self.source
        if self._stop:
            raise ReadError(where, line, f"{detail}; {KINDS[kind]}")
        self._held.append(Fault(where, line, kind, detail))

    def take(self) -> tuple[Fault, ...]:
        """The faults since the last call."""
        held, self._held = tuple(self._held), []
        return held

    def __bool__(self) -> bool:
        return bool(self._held)
