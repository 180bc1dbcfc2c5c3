"""Folders and patterns of addresses: the files that they name, in the order of local ones.

A folder elsewhere is listed as a whole, since a request for each of its folders would take longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

from twinset.errors import MissingFileError
from twinset.reading.compression import HEAD
from twinset.reading.walked import PassedOver, WalkedFile, documents_of, is_hidden
from twinset.system.fetching import hold, let_go
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath
from twinset.system.schemes import WEB, masked
from twinset.system.threads import in_order

AT_ONCE = 16
"""Files of which the first bytes, or all of them where they are few, are fetched together."""


def place_at(address: str) -> RemotePath | None:
    """The file or folder of an address; None where there is none and it may be a pattern."""
    place = RemotePath.of(address)
    try:
        place.status()
    except FileNotFoundError:
        if _has_magic(place):
            return None
        raise MissingFileError(masked(address), "file or folder", "check the address") from None
    return place


def _has_magic(place: RemotePath) -> bool:
    """Whether the path is a pattern; a question mark begins the query of a web address."""
    return re.search(r"[*\[]" if place.scheme in WEB else r"[*?\[]", place.path) is not None


def matching(address: str) -> list[RemotePath]:
    """What matches a pattern, sorted; hidden files only where the pattern names them."""
    pattern = RemotePath.of(address)
    try:
        places = [place for place in pattern.matches() if not _is_hidden(place, pattern)]
    except FileNotFoundError:  # no such bucket
        places = []
    if not places:
        raise MissingFileError(masked(address), "file", "nothing matches this pattern: check it")
    return sorted(places, key=lambda place: place.path)


def _is_hidden(place: RemotePath, pattern: RemotePath) -> bool:
    named = {part for part in pattern.path.split("/") if part.startswith(".")}
    parts = place.path.split("/")
    return any(part.startswith(".") and part not in named for part in parts if part != ".")


def walk(folder: RemotePath, passed_over: list[PassedOver]) -> Iterator[WalkedFile]:
    """The files below a folder, sorted by path; hidden ones and what twinset wrote are not."""
    tree: dict[str, Any] = {}
    for file in folder.files_below():
        *above, name = file.relative_to(folder).parts
        branch = tree
        for part in above:
            branch = branch.setdefault(part, {})
            if isinstance(branch, RemotePath):  # an object and a folder of the same name
                break
        else:
            # Consoles of object stores make empty objects to stand for folders.
            if not (file.status().is_folder or isinstance(branch.get(name), dict)):
                branch[name] = file
    yield from _walk(folder, tree, passed_over, is_input=True)


def _walk(
    folder: RemotePath, tree: dict[str, Any], passed_over: list[PassedOver], is_input: bool
) -> Iterator[WalkedFile]:
    documents = documents_of(folder, tree, is_input)
    for name in sorted(tree):
        entry = tree[name]
        if is_hidden(name):
            passed_over.append(PassedOver(str(folder / name), "hidden_files"))
        elif documents is not None and name not in documents:
            passed_over.append(PassedOver(str(folder / name), "own_files"))
        elif isinstance(entry, RemotePath):
            yield WalkedFile.elsewhere(entry)
        else:
            yield from _walk(folder / name, entry, passed_over, is_input=False)


def heads(files: Iterable[RemotePath]) -> dict[RemotePath, bytes]:
    """The first bytes of files; none of those that cannot be read, which the reader reports."""
    files = list(files)
    return dict(zip(files, in_order(_head, files, _at_once(files)), strict=True))


def _at_once(files: Sequence[RemotePath]) -> int:
    """How many of them are fetched together: the system may serve one at a time."""
    return AT_ONCE if files and files[0].system.async_impl else 1


def _head(file: RemotePath) -> bytes:
    try:
        with open_place(file) as opened:
            return opened.read(HEAD)
    except OSError:
        return b""


def fetched_ahead(files: Sequence[Place]) -> Iterator[Place]:
    """The files, small ones among them that lie elsewhere fetched before they are opened."""
    elsewhere = [file for file in files if isinstance(file, RemotePath)]
    if _at_once(elsewhere) == 1:
        yield from files
        return
    with closing(in_order(_held, elsewhere, AT_ONCE)) as fetched:
        for file in fetched:
            yield file
            let_go(file)


def _held(file: RemotePath) -> RemotePath:
    with suppress(OSError):  # whoever opens it meets the same fault and reports it
        hold(file)
    return file
