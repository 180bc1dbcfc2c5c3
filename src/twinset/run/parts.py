"""Finished parts of a run in a folder, so that another one goes on from there after a kill.

``run.json`` says which plan, inputs and version they belong to: they serve no other work. The
folder is locked while a run uses it, and goes when the report is complete. Of each kind of parts
there is a `Chain` of files: ``NAME-000001.part`` holds values and, at the end, what is known after
them. It gets its name when it has reached the disk; one of which a bit has changed does not count.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import weakref
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from twinset._kernels import Digest
from twinset.errors import PartsWarning, ReportError, warn
from twinset.result.places import MANIFEST
from twinset.system.files import read_object, sync_folder, write_file
from twinset.system.temporary import ATTEMPTS, is_at, lock, remove

RUN = "run.json"
FORMAT = 3
MOST_BYTES = 1 << 30
REMEDY = "repeat the run as it was, give --force to begin again, or remove the folder"
_PLACE = struct.Struct("<Q")
"""A part closes with the place at which its end begins, and the digest of all before."""
_PIECE = 1 << 20
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


class Chain:
    """The files of one kind, one ended after the other."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self.files = self.drafted = 0
        self._file: IO[bytes] | None = None
        self._beside = ThreadPoolExecutor(1, "twinset-parts")
        self._ending: Future[None] | None = None

    def ends(self) -> list[Any]:
        """What is known after each whole file; what lies behind these is removed."""
        ends = []
        with suppress(OSError, struct.error, pickle.UnpicklingError, *_OTHER_CODE):
            while True:
                ends.append(_end_of(self._path(self.files + 1)))
                self.files += 1
        for path in self._folder.glob(f"{self._name}-*"):
            if path.name > self._path(self.files).name:
                path.unlink(missing_ok=True)
        return ends

    def values(self) -> Iterator[Any]:
        """All values of the files that `ends` has looked at."""
        for path in (self._path(number) for number in range(1, self.files + 1)):
            with path.open("rb") as file:
                past = _end_and_digest(file)[0]
                file.seek(0)
                while file.tell() < past:
                    yield self._value(file)

    def add(self, value: Any) -> None:
        """Write a value, which counts once its file has ended."""
        if self._file is None:
            self._file = self._path(self.files + 1).with_suffix(".part-draft").open("w+b")
        content = packed(value)
        self._file.write(content)
        self.drafted += len(content)

    def end_file(self, end: Any) -> None:
        """End the file, which reaches the disk in the background: `wait` for that."""
        self.wait()
        place = self.drafted
        self.add(end)
        file, self._file, self.drafted = self._file, None, 0
        self.files += 1
        self._ending = self._beside.submit(_finish, file, self._path(self.files), place)

    def wait(self) -> None:
        """Until the last file has ended; raises what went wrong."""
        ending, self._ending = self._ending, None
        if ending is not None:
            ending.result()

    def give_up(self) -> None:
        """Forget the file that is being written; those before it stay."""
        with suppress(OSError):
            self.wait()
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            Path(self._file.name).unlink(missing_ok=True)
            self._file = None

    def _value(self, file: IO[bytes]) -> Any:
        try:
            return _Unpickler(file).load()
        except (pickle.UnpicklingError, *_OTHER_CODE) as fault:
            raise ReportError(
                f"{file.name} cannot be used: {fault}; give --force to begin again, or remove the "
                "folder"
            ) from None

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number:06}.part"


_OTHER_CODE = (TypeError, KeyError, AttributeError, ImportError, ValueError, pa.ArrowException)
"""What goes wrong where a class has other fields than it had."""


def _finish(file: Any, path: Path, end: int) -> None:
    """Let a part reach the disk, and give it its name."""
    draft = Path(file.name)
    try:
        with file:
            place = _PLACE.pack(end)
            file.write(place)
            file.write(_PLACE.pack(_digest_of(file)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        sync_folder(path.parent)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _end_of(path: Path) -> Any:
    """What ends a part; raises where it is damaged."""
    with path.open("rb") as file:
        place, digest = _end_and_digest(file)
        if digest != _digest_of(file, _PLACE.size):
            raise OSError("damaged")
        file.seek(place)
        return _Unpickler(file).load()


def _end_and_digest(file: IO[bytes]) -> tuple[int, int]:
    """Where the end of a part begins, and the digest of all before that digest."""
    file.seek(-2 * _PLACE.size, os.SEEK_END)
    place, digest = (_PLACE.unpack(file.read(_PLACE.size))[0] for _ in range(2))
    return place, digest


def _digest_of(file: IO[bytes], without: int = 0) -> int:
    """The digest of a file, but for its last bytes."""
    digest, left = Digest(), file.seek(0, os.SEEK_END) - without
    file.seek(0)
    while piece := file.read(min(left, _PIECE)):
        digest.update(np.frombuffer(piece, np.uint8))
        left -= len(piece)
    return digest.value()


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
