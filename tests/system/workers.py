"""Functions that other processes compute in tests: these have to find them in a module."""

from __future__ import annotations

import os
import time
from pathlib import Path

from twinset.errors import ReadError
from twinset.reading import files
from twinset.reading.file_groups import FileGroup, HowToRead, ReadGroup
from twinset.text.page_texts import ReadTexts, read_texts

DEADLY = b"this page ends its reader"


def doubled(number: int) -> int:
    return 2 * number


def slow_double(number: int) -> int:
    time.sleep(0.05 * (number % 3 == 0))
    return 2 * number


def ended(number: int) -> int:
    if number == 3:
        os._exit(1)
    return number


def failing() -> None:
    raise ValueError("a fault of the function")


def unread() -> None:
    raise ReadError("in.warc", 3, "a fault of three arguments")


def without_memory() -> None:
    raise MemoryError


def endless() -> None:
    while True:
        pass


def hungry(size: int) -> int:
    return len(bytearray(size))


def own_number() -> int:
    return os.getpid()


def mortal_read_files(how: HowToRead, group: FileGroup) -> ReadGroup:
    """As the real one, but that a file can end the process."""
    if any(DEADLY in Path(name).read_bytes() for name in group.names):
        os._exit(1)
    return files.read_group(how, group)


def mortal_read_texts(data: memoryview, *arguments: object) -> ReadTexts:
    """As the real one, but that a page can end the process."""
    if DEADLY in bytes(data):
        os._exit(1)
    return read_texts(data, *arguments)  # type: ignore[arg-type]
