"""Tables of sentences as they were read, kept where Python keeps the bytecode of this package.

To read the TOML of a report's sentences takes longer than to find the duplicates of a few texts.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from twinset.plan import tomllib

FOLDER = Path(cache_from_source(__file__)).parent


def parsed(file: Path) -> dict[str, dict[str, str]]:
    """The tables of a TOML file; where Python may write no bytecode they are read every time."""
    raw = file.read_bytes()
    mark = [len(raw), zlib.crc32(raw)]
    place = FOLDER / f"sentences-{file.parent.name}-{file.stem}.cache"
    with suppress(OSError, ValueError, TypeError):
        known, tables = json.loads(place.read_bytes())
        if known == mark:
            return tables  # type: ignore[no-any-return]
    tables = tomllib.loads(raw.decode())
    if not sys.dont_write_bytecode:
        _keep(place, [mark, tables])
    return tables  # type: ignore[no-any-return]


def _keep(place: Path, value: Any) -> None:
    """Write the file as a whole, if that is possible: others may be reading it."""
    part = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        part.write_text(json.dumps(value), encoding="utf-8")
        part.replace(place)
