"""What can be wrong with input, and what is done about it: counted and skipped, or stopped at."""

from __future__ import annotations

from twinset.errors import ReadError
from twinset.model import Fault
from twinset.plan import OnError

# kind of fault -> what to do about it, printed when the run stops at the fault
REMEDIES: dict[str, str] = {
    "syntax": "correct the record",
    "damaged": "save it again without a password",
    "empty": "fetch the file again",
    "missing": "name the field with --text",
    "no-files": "name a folder that holds documents",
    "type": "name a field that holds text",
    "encoding": "convert the input to UTF-8",
    "binary": "leave files that hold no text out",
    "irregular": "name a regular file",
    "format": "leave files of this format out",
    "columns": "put quotes around fields that hold the delimiter",
    "truncated": "fetch the file again",
    "too-long": "split the record, or raise max_document_bytes and memory",
    "unreadable": "check the permissions",
    "package": "install it",
    "failed": "leave the document out",
    "no-text": "leave what shows no text out",
    "outside": "name its folder with --within",
    "loop": "remove the link",
    "vector": "make it by the model that made the others",
    "order": "correct the value, or name another field with --keep",
}
FAILED = "reading it takes too much memory or time, or ends its reader"
"""Detail of a fault of the kind ``failed``."""
_READ_ON = {"truncated": "use what is there"}


class Faults:
    """Collects the faults of one source until a batch takes them over; may stop at the first."""

    def __init__(self, source: str, on_error: OnError) -> None:
        self.source = source
        self._stop = on_error == "stop"
        self._held: list[Fault] = []

    def add(
        self,
        line: int | None,
        kind: str,
        detail: str,
        source: str | None = None,
        remedy: str | None = None,
    ) -> None:
        """Note a fault, or raise `ReadError` with the remedy where the options say stop.

        ``remedy`` takes the place of that of the kind; reading on is always offered as well.
        """
        where = source or self.source
        if self._stop:
            otherwise = f"{_READ_ON.get(kind, 'read on')} with --on-error skip"
            raise ReadError(where, line, f"{detail}; {remedy or REMEDIES[kind]}, or {otherwise}")
        self._held.append(Fault(where, line, kind, detail))

    def apart(self) -> Faults:
        """For the same source, with nothing held yet: for work beside other work on it."""
        return Faults(self.source, "stop" if self._stop else "skip")

    def take(self) -> tuple[Fault, ...]:
        """The faults since the last call."""
        faults, self._held = tuple(self._held), []
        return faults

    def __bool__(self) -> bool:
        return bool(self._held)
