"""All labelled collections: the real ones that are at hand, and the made ones.

    from judging.collections import collections
    for collection in collections(["guide", "forms"]):
        print(collection.name, len(collection.ids), len(collection.truth))

Made collections are built once, from local material and a fixed seed, into a folder of their own
(`material.FOLDER`, one for all checkouts). One whose material is missing is skipped, and standard
error says what to get.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from judging import material
from judging.labelled import Collection, Figures, f1, load, save
from judging.made import MADE
from judging.material import MissingError
from judging.real import FOLDERS, REAL

__all__ = ["Collection", "Figures", "collection", "collections", "f1", "kind_of", "names"]

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT.parent / "shared" / "data"
FOLDER = material.FOLDER
# Raised when the making of a collection changes, so that a stored one is made again.
VERSION = 1


def names(*, real: bool | None = None) -> list[str]:
    """The names of all collections, those of people first; or only the real or made ones."""
    return [*(REAL if real is not False else ()), *(MADE if real is not True else ())]


def kind_of(name: str) -> str:
    """The kind of a collection; what is learnt for it comes from other kinds."""
    return name if name in REAL else MADE[name].kind


def collections(
    chosen: Sequence[str] | None = None,
    *,
    real: bool | None = None,
    data: Path = DATA,
    folder: Path = FOLDER,
) -> Iterator[Collection]:
    """The collections of these names, or all; missing ones are skipped and named."""
    for name in names(real=real) if chosen is None else chosen:
        try:
            yield collection(name, data=data, folder=folder)
        except MissingError as fault:
            print(f"skipped {name}: {fault}", file=sys.stderr)


def collection(name: str, *, data: Path = DATA, folder: Path = FOLDER) -> Collection:
    """One collection; a made one is built where it is not yet in the folder."""
    if name in REAL:
        if not (data / FOLDERS[name]).is_dir():
            raise MissingError(f"there is no {data / FOLDERS[name]}")
        return REAL[name](data)
    if name not in MADE:
        raise SystemExit(f"no collection is named {name}; there are {', '.join(names())}")
    home = stored(name, folder)
    if not (home / "facts.json").is_file():
        save(MADE[name].make(), home)
    return load(home)


def stored(name: str, folder: Path = FOLDER) -> Path:
    """Where a made collection is kept."""
    return folder / f"{name}-{VERSION}-{MADE[name].version}"
