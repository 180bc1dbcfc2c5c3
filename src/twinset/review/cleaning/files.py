"""The plain files behind the documents of a report, as arrays; names become text when shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import flags, numbers, text
from twinset.review.index import ReportIndex
from twinset.system.remote import is_remote

Marks = NDArray[np.bool_]
_ODD_PATH = r"(?s)^$|^[^/]|/$|/\.{0,2}/|/\.{1,2}$|\x00"
COLUMNS = ["file", "part", "bytes", "modified", "digest"]


@dataclass(frozen=True)
class FolderFiles:
    """For each document its file; ``whole`` marks those that are a file and no part of one.

    ``content`` is the first document with the same bytes, itself where there is none or where
    nobody has looked.
    """

    path: pa.Array
    part: pa.Array
    whole: Marks
    bytes: Ints
    modified: Ints
    content: Ints
    digest: pa.Array

    @classmethod
    def of(cls, index: ReportIndex) -> FolderFiles | None:
        """The files of a report; None where its documents are no plain files."""
        table = index.report.columns("documents", COLUMNS)
        if "file" not in table.column_names or table["file"].null_count == len(table):
            return None
        columns = {name: table[name].combine_chunks() for name in table.column_names}
        file, digest = columns["file"].cast(pa.large_binary()), columns["digest"].cast(pa.binary())
        if os.sep == "/":
            _ensure_paths(file, index)
        whole = flags(pc.and_(pc.is_valid(file), pc.is_null(columns["part"])))
        size, modified = numbers(columns["bytes"]), numbers(columns["modified"])
        content = _first_equal(digest, whole & (size > 0))
        return cls(file, columns["part"], whole, size, modified, content, digest)

    def __len__(self) -> int:
        return len(self.whole)

    def path_of(self, document: int) -> Path:
        """Where the file of a document lies."""
        return Path(os.fsdecode(self.path[document].as_py()))

    @cached_property
    def root(self) -> Path:
        """The innermost folder that holds all files."""
        folders = {os.path.dirname(path) for path in self.path.drop_null().to_pylist()}
        return Path(os.fsdecode(os.path.commonpath(folders)))

    @cached_property
    def names(self) -> pa.Array:
        """Paths below the root in small letters, for searches; empty where there is no file."""
        try:
            decoded = pc.fill_null(self.path, b"").cast(pa.large_string())
        except pa.ArrowInvalid:  # a name that is no UTF-8
            names = [(path or b"").decode("utf-8", "replace") for path in self.path.to_pylist()]
            decoded = text(names).cast(pa.large_string())
        root = os.path.join(os.fsencode(self.root), b"").decode("utf-8", "replace")
        decoded = pc.utf8_slice_codeunits(decoded, len(root), 1 << 30)
        return pc.utf8_lower(decoded)

    @cached_property
    def name_ranks(self) -> Ints:
        """The place of each document by the name of its file, folders left out."""
        return _ranks(pc.replace_substring_regex(self.names, r"(?s)^.*/", ""))

    @cached_property
    def folder_ranks(self) -> Ints:
        """The place of each document by its folder; the files of one folder have the same."""
        return _ranks(pc.replace_substring_regex(self.names, r"/?[^/]*$", ""))

    @cached_property
    def holders(self) -> dict[int, list[int]]:
        """Files that are documents and have parts that are documents, with these parts."""
        parts = np.flatnonzero(flags(pc.is_valid(self.part)) & ~self.whole)
        by_path: dict[Any, list[int]] = {}
        for part in parts.tolist():
            by_path.setdefault(self.path[part].as_py(), []).append(part)
        if not by_path:
            return {}
        among = pa.array(list(by_path), self.path.type)
        held = np.flatnonzero(flags(pc.is_in(self.path, among)) & self.whole).tolist()
        return {whole: by_path[self.path[whole].as_py()] for whole in held}


@dataclass(frozen=True)
class OnDisk:
    """What the disk says of files now: which are there, and which names share one file.

    ``link`` is the first document of the same file; ``links`` counts the names that the file has,
    in the searched folders or elsewhere. Documents that nobody asked about count as there.
    """

    present: Marks
    link: Ints
    links: Ints

    @classmethod
    def of(cls, files: FolderFiles, documents: Ints) -> OnDisk:
        """Look at the files of these documents."""
        present, link = np.ones(len(files), bool), np.arange(len(files))
        links = np.ones(len(files), np.int64)
        first: dict[tuple[int, int], int] = {}
        paths = files.path.take(pa.array(documents)).to_pylist()
        for document, path in zip(documents.tolist(), paths, strict=True):
            try:
                status = os.stat(path, follow_symlinks=False)
            except OSError:
                present[document] = False
                continue
            if status.st_nlink > 1:
                links[document] = status.st_nlink
                link[document] = first.setdefault((status.st_dev, status.st_ino), document)
        return cls(present, link, links)

    def freed(self, files: FolderFiles, removed: Marks) -> Ints:
        """The bytes that go with each removed document: none while its file keeps a name."""
        names = np.bincount(self.link[removed], minlength=len(removed))
        # If every name of a file goes, its first name stands for all.
        is_first = self.link == np.arange(len(removed))
        return np.where(removed & is_first & (names >= self.links), files.bytes, 0)


def _ensure_paths(file: pa.Array, index: ReportIndex) -> None:
    """Refuse a report with other paths than whole ones: files would be looked for elsewhere."""
    odd = pc.fill_null(pc.match_substring_regex(file, _ODD_PATH), False)
    if pc.any(odd).as_py():
        name = file.filter(odd)[0].as_py().decode("utf-8", "replace")
        if is_remote(name):
            raise ReportError(
                f"{index.report.folder}: its documents lie elsewhere ({name}), and only files of "
                "this machine are removed; remove those that removals.csv lists there, or copy "
                "the folder here and search again"
            )
        raise ReportError(
            f"{index.report.folder}: {name!r} is not the whole path of a file; "
            "somebody has changed this report, so search again"
        )


def _first_equal(digest: pa.Array, taking_part: Marks) -> Ints:
    """For each document the first one with its digest; itself where it has none."""
    first = np.arange(len(taking_part))
    coded = pc.dictionary_encode(digest)
    rows = np.flatnonzero(taking_part & flags(pc.is_valid(coded.indices)))
    codes = numbers(coded.indices).astype(np.int64)[rows]
    _, where, back = np.unique(codes, return_index=True, return_inverse=True)
    first[rows] = rows[where][back]
    return first


def _ranks(values: pa.Array) -> Ints:
    coded = pc.dictionary_encode(values)
    order = numbers(pc.sort_indices(coded.dictionary)).astype(np.int64)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[numbers(coded.indices).astype(np.int64)]
