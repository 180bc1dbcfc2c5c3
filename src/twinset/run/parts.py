"""Finished parts of a run in a folder, so that another one goes on from there after a kill.

``run.json`` says which plan, inputs and version they belong to: they serve no other work. The
folder is locked while a run uses it, and goes when the report is complete. ``NAME-000001.part`` is
the first of one kind: the digest of what follows, and a value. One that a power cut has left in
pieces, or of which a bit has changed, does not count, and neither do those behind it.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import pickle
import weakref
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.errors import PartsWarning, ReportError, warn
from twinset.result.places import MANIFEST
from twinset.system.files import read_object, write_file
from twinset.system.temporary import ATTEMPTS, is_at, lock, remove

RUN = "run.json"
FORMAT = 4
MOST_BYTES = 1 << 30
REMEDY = "repeat the run as it was, give --force to begin again, or remove the folder"
_DIGEST_BYTES = 16
_PLAIN = {
    "builtins": ("set", "frozenset", "bytearray"),
    "collections": ("Counter", "OrderedDict", "defaultdict"),
    "numpy": ("dtype", "ndarray"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
    "numpy.core.multiarray": ("_reconstruct", "scalar"),
    "numpy.core.numeric": ("_frombuffer",),
}
"""What values are made of, besides classes of our own: nothing else is made again."""


class _Pickler(pickle.Pickler):
    """Writes arrays of Arrow without what lies around them."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, pa.Array):
            return _column, (_stream(pa.table({"": value})),)
        return (_table, (_stream(value),)) if isinstance(value, pa.Table) else NotImplemented


class _Unpickler(pickle.Unpickler):
    """Makes values of our own classes alone: a file of parts may be somebody else's."""

    def find_class(self, module: str, name: str) -> Any:
        if name in _PLAIN.get(module, ()):
            return super().find_class(module, name)
        found = getattr(import_module(module), name) if module.startswith("twinset.") else None
        if isinstance(found, type) or found in (_column, _table):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no class of values")


def packed(value: Any) -> bytes:
    """The bytes of a value."""
    file = io.BytesIO()
    _Pickler(file, 5).dump(value)
    return file.getvalue()


def unpacked(data: bytes) -> Any:
    """The value again."""
    return _Unpickler(io.BytesIO(data)).load()


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _table(content: bytes) -> pa.Table:
    with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
        return reader.read_all()


def _column(content: bytes) -> pa.Array:
    return _table(content).column(0).combine_chunks()


def load(path: Path) -> Any:
    """The value of a part."""
    try:
        return unpacked(path.read_bytes()[_DIGEST_BYTES:])
    except (OSError, pickle.UnpicklingError, *_OTHER_CODE) as fault:
        raise ReportError(
            f"{path} cannot be used: {fault}; give --force to begin again, or remove the folder"
        ) from None


_OTHER_CODE = (TypeError, KeyError, AttributeError, ImportError, ValueError, pa.ArrowException)
"""What goes wrong where a class has other fields than it had."""


def _is_whole(path: Path) -> bool:
    try:
        content = memoryview(path.read_bytes())
    except OSError:
        return False
    return _digest_of(content[_DIGEST_BYTES:]) == content[:_DIGEST_BYTES]


def _digest_of(content: bytes | memoryview) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()


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
        self._release = weakref.finalize(self, os.close, self._lock())
        run = {"format": FORMAT, **run}
        known = read_object(self.path / RUN, MOST_BYTES)
        if known is None and not all(_is_part(path.name) for path in self.path.iterdir()):
            raise ReportError(
                f"{self.path} is needed for the parts of the run and holds something else: "
                "name another folder for the report, or move it away"
            )
        if known is not None:
            # how large batches are decides nothing, and parts go on with the cuts of before
            now = run | {"batch_bytes": known.get("batch_bytes")}
            difference = next(differences(known, now), None)
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

    def whole(self, name: str) -> list[Path]:
        """The parts of one kind up to one that is missing or damaged; all behind it are removed."""
        named = (self._path(name, number) for number in itertools.count(1))
        good = list(itertools.takewhile(_is_whole, named))
        for path in {*self.path.glob(f"{name}-*")}.difference(good):
            path.unlink()
        return good

    def keep(self, name: str, number: int, value: Any) -> None:
        """Keep a part of one kind. On a full disk it and all later ones are left out."""
        if self._is_full:
            return
        content, draft = packed(value), self.path / "draft.part"
        try:
            with draft.open("wb") as file:
                file.write(_digest_of(content))
                file.write(content)
            os.replace(draft, self._path(name, number))
        except OSError as fault:
            self._is_full = True
            with suppress(OSError):
                draft.unlink()
            warn(
                f"cannot keep more parts in {self.path}: {fault.strerror or fault}; the run goes "
                "on, and after a kill it could resume from those that are there",
                PartsWarning,
            )

    def _path(self, name: str, number: int) -> Path:
        return self.path / f"{name}-{number:06}.part"

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
                self.path.mkdir(0o700, parents=True, exist_ok=True)
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


def _is_part(name: str) -> bool:
    return name == RUN or name.startswith(f".{RUN}.") or ".part" in name


def differences(known: dict[str, Any], run: dict[str, Any], of: str = "") -> Iterator[str]:
    """What differs between two descriptions of runs, a clause each, the weightiest first."""
    for name in run | known:
        before, now, called = known.get(name), run.get(name), of + name
        if isinstance(before, dict) and isinstance(now, dict):
            below = of if name in ("plan", "read", "inputs") else f"{name}: "
            yield from differences(before, now, below)
        elif name not in known or name not in run:
            yield f"{called} is {'new' if name in run else 'missing'}"
        elif before != now:
            yield f"{called} was {before} and is {now}"
