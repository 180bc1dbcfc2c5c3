"""The folder in which a run keeps what it has finished, so that another one can go on from there.

What is kept serves only the same work: ``run.json`` says which plan, which inputs and which version
it belongs to. The folder is locked while a run uses it, and goes when the report is complete.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from twinset.engine.parts.chain import Chain
from twinset.errors import PartsWarning, ReportError, warn
from twinset.report.places import MANIFEST
from twinset.system.files import read_object, write_file
from twinset.system.temporary import ATTEMPTS, is_at, lock, remove

RUN = "run.json"
FORMAT = 1
MOST_BYTES = 1 << 30
REMEDY = "repeat the run as it was, give --force to begin again, or remove the folder"


class PartsFolder:
    """Parts of one run; ``force`` throws away those of another."""

    def __init__(self, folder: str | os.PathLike[str], force: bool = False) -> None:
        self.path, self.force = Path(folder).absolute(), force
        self._release: Any = None
        self._is_full = False

    def begin(self, run: dict[str, Any]) -> dict[str, Any]:
        """Lock the folder; how the run was described that left parts here, or this one.

        Raises where another run is at work here, or the parts are those of another one.
        """
        descriptor = self._lock()
        self._release = weakref.finalize(self, os.close, descriptor)
        run = {"format": FORMAT, **run}
        known = read_object(self.path / RUN, MOST_BYTES)
        if known is None and any(self.path.iterdir()) and not self._is_ours():
            raise ReportError(
                f"{self.path} is needed for the parts of the run and holds something else: "
                "name another folder for the report, or move it away"
            )
        if known is not None:
            difference = next(differences(known, run), None)
            if difference is None:
                return known
            if not self.force:
                raise ReportError(
                    f"the parts in {self.path} are of another run: {difference}; {REMEDY}"
                )
        self._clear()
        write_file(self.path / RUN, json.dumps(run))  # ASCII: names of files need not be Unicode
        return run

    def ends_with(self, report: Path) -> bool:
        """Whether these are parts of a report that is complete: the kill came after it.

        They are removed then, unless another run uses them.
        """
        try:
            begun, ended = (self.path / RUN).stat(), (report / MANIFEST).stat()
        except OSError:
            return False
        if ended.st_mtime_ns < begun.st_mtime_ns:
            return False
        self._release = weakref.finalize(self, os.close, self._lock())
        self.remove()
        return True

    def chain(self, name: str) -> Chain:
        """The parts of one kind."""
        return Chain(self.path, name)

    def say_full(self, fault: OSError) -> None:
        """Warn that nothing more is kept, once."""
        if not self._is_full:
            self._is_full = True
            warn(
                f"cannot keep more parts in {self.path}: {fault.strerror or fault}; the run goes "
                "on, and after a kill it could resume from those that are there",
                PartsWarning,
            )

    def remove(self) -> None:
        """The report is complete: the parts have served."""
        if self._release is not None and self._release.alive:
            self._clear()
            with suppress(OSError):  # somebody keeps a file of his own there
                self.path.rmdir()
            self._release()

    def _lock(self) -> int:
        for _ in range(ATTEMPTS):
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(self.path, os.O_RDONLY)
            except FileNotFoundError:  # removed by the run that has just ended
                continue
            except OSError as fault:
                raise ReportError(
                    f"cannot keep parts in {self.path}: {fault.strerror}; choose another folder "
                    "for the report, or run without --resume"
                ) from None
            if lock(descriptor) is False:
                os.close(descriptor)
                raise ReportError(
                    f"another run keeps its parts in {self.path}; wait for it, or choose another "
                    "folder for the report"
                )
            if is_at(self.path, descriptor):
                return descriptor
            os.close(descriptor)
        raise ReportError(f"{self.path} is removed again and again; choose another folder")

    def _clear(self) -> None:
        """Remove the parts, and last what says whose they are: a kill may come in between."""
        for path in sorted(self.path.iterdir(), key=lambda path: path.name == RUN):
            if _is_part(path.name):
                remove(path)

    def _is_ours(self) -> bool:
        return all(_is_part(path.name) for path in self.path.iterdir())


def _is_part(name: str) -> bool:
    return name == RUN or name.startswith(f".{RUN}.") or ".part" in name


def differences(known: dict[str, Any], run: dict[str, Any]) -> Iterator[str]:
    """What differs between two descriptions of runs, a clause each, the weightiest first."""
    for name, word in (("format", "the format of the parts"), ("twinset", "twinset")):
        if known.get(name) != run[name]:
            yield f"{word} was {known.get(name)} and is {run[name]}"
    if known.get("command") != run["command"]:
        yield f"it was '{known.get('command')}' and this is '{run['command']}'"
    before, now = known.get("plan") or {}, run["plan"]
    yield from _options(before | (before.get("read") or {}), now | now["read"])
    if known.get("forms") != run["forms"]:
        yield "the word forms are those of other packages"
    files = known.get("files") or {}
    for name in sorted({*files, *run["files"]}):
        if files.get(name) != run["files"].get(name):
            yield f"{name} has changed"
    yield from _inputs(known.get("inputs") or [], run["inputs"])


def _options(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*before, *now} - {"read", "preset"}):
        if before.get(name) != now.get(name):
            yield f"{name.replace('_', '-')} was {before.get(name)} and is {now.get(name)}"


def _inputs(before: list[Any], now: list[Any]) -> Iterator[str]:
    known = {entry.get("source"): entry for entry in before}
    for entry in now:
        old = known.pop(entry["source"], None)
        if old is None:
            yield f"the input {entry['source']} is new"
        elif old.get("bytes") != entry["bytes"]:
            yield f"{entry['source']} has {entry['bytes']:,} bytes and had {old.get('bytes'):,}"
        elif old != entry:
            yield f"{entry['source']} has changed since then"
    yield from (f"the input {name} is missing" for name in known)
    if [entry.get("source") for entry in before] != [entry["source"] for entry in now]:
        yield "the inputs have another order"
