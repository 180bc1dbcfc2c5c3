"""The members of a ZIP or TAR archive, each a document of its own; the archive has no text.

They are taken out one by one, so that an archive may be larger than memory, and nothing is written
to a disk. An archive inside an archive stays closed. Names that begin with a dot, and what systems
of Apple add, are passed over as in a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath
from tarfile import TarError, TarFile
from typing import IO, Any, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from twinset.documents.base import MAIL, OfficeError
from twinset.documents.mailbox import InnerDocument, inside, mail_format
from twinset.documents.mime import DistinctNames, file_name
from twinset.system.threads import ChunkedFile

MOST_MEMBERS = 10_000
"""As many as a letter may have parts; folders and links count."""
MOST_LISTED = 4 << 20
"""Bytes of a ZIP's list of members: Python takes some ten times as much memory for it."""
MOST_RATIO = 200
"""How many times its size an archive may hold, beside one longest file: as for Parquet."""
_ENCRYPTED = 1
_STEP = 1 << 20


def zip_members(file: BinaryIO, size: int, limit: int) -> Iterator[InnerDocument]:
    """The documents of a ZIP archive of this size, itself first; none is longer than ``limit``."""
    members, left, listed = _Members(), limit + MOST_RATIO * size, _BoundedReads(file)
    yield InnerDocument(None, None, None)
    try:
        archive = ZipFile(cast("IO[bytes]", listed))
        listed.most = limit + 1
        for info in archive.infolist():
            if not members.takes("" if info.is_dir() else info.filename):
                continue
            if info.flag_bits & _ENCRYPTED:
                yield members.unread("damaged", "is protected by a password")
            elif info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                # Python bounds neither what bzip2 gives at a time nor the memory of LZMA.
                yield members.unread("format", "is packed by another way than Deflate")
            elif info.file_size > limit:
                yield members.unread("too-long", f"is longer than {limit:,} bytes")
            elif info.file_size > left:
                raise _trap()
            else:
                left -= info.file_size
                yield from members.documents(partial(_read, archive, info))
    except MemoryError:
        raise
    except Exception as fault:  # readers of a wild format meet everything that can happen
        yield _rest(fault)


def _read(archive: ZipFile, info: Any) -> bytes:
    """A member; not by `ZipFile.read`, which first unpacks what is beyond the stated size."""
    with archive.open(info) as member:
        return member.read(info.file_size)


def tar_members(chunks: Iterator[bytes], size: int, limit: int) -> Iterator[InnerDocument]:
    """The same of a TAR archive out of its unpacked bytes, which are ``size`` on the disk."""
    members, stream = _Members(), _InOrder(chunks, limit, limit + MOST_RATIO * size)
    yield InnerDocument(None, None, None)
    try:
        archive = TarFile(fileobj=cast("IO[bytes]", stream))
        for info in archive:
            if not members.takes(info.name if info.isreg() else ""):
                continue
            if info.size > limit:
                yield members.unread("too-long", f"is longer than {limit:,} bytes")
            else:
                content = cast("IO[bytes]", archive.extractfile(info))
                yield from members.documents(content.read)
        if stream.last.strip(b"\0"):  # Python ends without a word where it sees no header
            raise TarError
        for _ in chunks:  # so that the digest is that of the whole file
            pass
    except MemoryError:
        raise
    except Exception as fault:
        yield _rest(fault)


def _trap() -> OfficeError:
    detail = f"it unpacks to over {MOST_RATIO} times its bytes, which looks like a trap"
    return OfficeError("too-long", detail)


def _rest(fault: Exception) -> InnerDocument:
    """What stands for the members that are not reached."""
    if not isinstance(fault, OfficeError):
        fault = OfficeError("damaged", "it is damaged")
    detail = f"members of the archive are not read: {fault}"
    return InnerDocument("further ones", None, None, ((fault.kind, detail),))


class _Members:
    """Names the members of an archive, and makes documents of them."""

    def __init__(self) -> None:
        self._names, self._count, self._name = DistinctNames(), 0, ""

    def takes(self, name: str) -> bool:
        """Whether a member of this name is read next; raises where there are too many.

        The name leads nowhere: it is made a part of the id of the document, below the archive.
        """
        self._count += 1
        if self._count > MOST_MEMBERS:
            raise OfficeError("too-long", f"it has over {MOST_MEMBERS:,} members; unpack it")
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        pieces = [piece for piece in re.split(r"[/\\]", shown) if piece not in ("", ".", "..")]
        if not pieces or pieces[0] == "__MACOSX" or any(piece[0] == "." for piece in pieces):
            return False
        clean = "/".join(file_name(piece, self._count) for piece in pieces)
        self._name = self._names.distinct(clean)
        return True

    def documents(self, read: Callable[[], bytes]) -> Iterator[InnerDocument]:
        """A member as a document, mail with its attachments."""
        try:
            raw = read()
        except (OfficeError, MemoryError):
            raise
        except Exception:
            yield self.unread("damaged", "is damaged")
            return
        suffix = PurePosixPath(self._name).suffix.lower()
        format = mail_format(raw, suffix) if not suffix or suffix in MAIL else None
        if format is None:
            yield InnerDocument(self._name, None, raw)
        else:
            for inner in inside(raw, format):
                part = self._name if inner.part is None else f"{self._name}/{inner.part}"
                yield inner._replace(part=part)

    def unread(self, kind: str, why: str) -> InnerDocument:
        """A member without text, and why."""
        return InnerDocument(self._name, None, None, ((kind, f"the member {why}"),))


class _BoundedReads:
    """A ZIP file; Python reads its list of members at once, whatever length that states."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.most = file, MOST_LISTED
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        """So many bytes."""
        if size > self.most:
            raise OfficeError("too-long", f"it lists over {MOST_MEMBERS:,} members; unpack it")
        return self._file.read(size)


class _InOrder:
    """Unpacked bytes as a file that is read forwards, so many bytes at a time and in all."""

    def __init__(self, chunks: Iterator[bytes], limit: int, most: int) -> None:
        self._file, self._limit, self._most = ChunkedFile(chunks), limit, most
        self._at, self.last = 0, b""

    def tell(self) -> int:
        """How many bytes were read."""
        return self._at

    def seek(self, place: int) -> None:
        """Go forwards."""
        while self._at < place and self.read(min(_STEP, place - self._at)):
            pass

    def read(self, size: int) -> bytes:
        """So many bytes, fewer at the end."""
        if size > self._limit:
            raise TarError  # a header that long
        self.last = self._file.read(size) or b""
        self._at += len(self.last)
        if self._at > self._most:
            raise _trap()
        return self.last
