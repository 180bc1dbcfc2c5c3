"""Folders as a whole: which hold the same files, and whose files have copies elsewhere."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from twinset.lazy_dataclass import dataclass
from twinset.model import Ints, Ragged, offsets_of
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.review.cleaning.copies import GROUNDS, CopyGraph
from twinset.review.cleaning.files import FolderFiles
from twinset.review.cleaning.standing import Standing

MOST = 200
"""Folders that are listed."""


@dataclass(frozen=True, slots=True)
class SameFolders:
    """Folders that hold the same files, whatever these are called; figures are of one of them."""

    folders: tuple[Path, ...]
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder with all below it: how many files, and how many of them have a copy elsewhere."""

    folder: Path
    files: int
    bytes: int
    elsewhere: int
    elsewhere_bytes: int

    @property
    def is_spare(self) -> bool:
        """Whether every file of the folder has a copy elsewhere."""
        return self.elsewhere == self.files


@dataclass(frozen=True)
class FolderOverview:
    """Sets of folders that hold the same, and folders with copies elsewhere; the largest first."""

    same: tuple[SameFolders, ...]
    rows: tuple[FolderRow, ...]


def folder_overview(standing: Standing) -> FolderOverview:
    """Look at all folders below the one that holds all files."""
    tree = _Tree.of(standing)
    return FolderOverview(tuple(_same(tree)), tuple(_elsewhere(tree, standing.graph)))


@dataclass(frozen=True)
class _Tree:
    """Folders with the documents below them, sorted by content; ``parents`` has -1 for the root."""

    names: list[bytes]
    parents: list[int]
    held: Ragged[np.int64]
    content: Ints
    files: FolderFiles

    @classmethod
    def of(cls, standing: Standing) -> _Tree:
        files = standing.files
        documents = np.flatnonzero(files.whole & standing.disk.present)
        # All empty files are alike; the same number stands for them.
        content = np.where(files.bytes > 0, standing.graph.content, len(files))
        paths = files.path.take(pa.array(documents))
        coded = pc.dictionary_encode(pc.replace_substring_regex(paths, rb"/[^/]*$", b""))
        names, parents = _with_parents(coded.dictionary.to_pylist(), os.fsencode(files.root))
        folder = numbers(coded.indices).astype(np.int64)
        owners, members = [], []
        parent = np.array(parents, np.int64)
        while len(documents):
            owners.append(folder)
            members.append(documents)
            inside = parent[folder] >= 0
            documents, folder = documents[inside], parent[folder[inside]]
        owner, member = (np.concatenate([[], *rows]).astype(np.int64) for rows in (owners, members))
        order = np.lexsort((content[member], owner))
        counts = np.bincount(owner, minlength=len(names))
        return cls(names, parents, Ragged(member[order], offsets_of(counts)), content, files)

    def path(self, folder: int) -> Path:
        return Path(os.fsdecode(self.names[folder]))

    def size(self, folder: int) -> int:
        return int(self.files.bytes[self.held[folder]].sum())

    def above(self, folder: int) -> Iterator[int]:
        """The folders that hold this one, the innermost first."""
        while (folder := self.parents[folder]) >= 0:
            yield folder


def _with_parents(folders: list[bytes], root: bytes) -> tuple[list[bytes], list[int]]:
    """Folders and all between them and the root, with the place of each one's parent."""
    names = [name or b"/" for name in folders]
    place = {name: number for number, name in enumerate(names)}
    parents: list[int] = []
    for name in names:  # grows while it is read
        parent = os.path.dirname(name)
        if name == root or not parent.startswith(root):
            parents.append(-1)
            continue
        if parent not in place:
            place[parent] = len(names)
            names.append(parent)
        parents.append(place[parent])
    return names, parents


def _same(tree: _Tree) -> Iterator[SameFolders]:
    by_content: dict[bytes, list[int]] = defaultdict(list)
    for folder in range(len(tree.names)):
        held = tree.content[tree.held[folder]]
        if len(held) and held[0] < len(tree.files):  # more than empty files
            by_content[held.tobytes()].append(folder)
    sets = {folder: alike for alike in by_content.values() for folder in alike}
    outermost = []
    for alike in by_content.values():
        # A folder that holds nothing but another one is the same folder for our purpose.
        apart = [f for f in alike if sets.get(tree.parents[f]) is not alike]
        if len(apart) > 1:
            outermost.append(apart)
    listed = {folder for alike in outermost for folder in alike}
    rows = [
        (tree.size(alike[0]), len(tree.held[alike[0]]), alike)
        for alike in outermost
        if not all(any(above in listed for above in tree.above(folder)) for folder in alike)
    ]
    for size, files, alike in sorted(rows, key=lambda row: (-row[0], tree.names[row[2][0]]))[:MOST]:
        yield SameFolders(tuple(sorted(map(tree.path, alike))), files, size)


def _elsewhere(tree: _Tree, graph: CopyGraph) -> list[FolderRow]:
    """Folders by the bytes of their files that have a copy in no folder below them."""
    has_copy = _has_copy_elsewhere(tree, graph)
    sizes = tree.files.bytes[tree.held.values]
    owner = tree.held.owners()
    copied = np.bincount(owner, weights=has_copy * sizes, minlength=len(tree.names))
    counts = np.bincount(owner, weights=has_copy, minlength=len(tree.names))
    order = np.lexsort((-counts, -copied))
    rows = order[counts[order] > 0][:MOST].tolist()
    return [
        FolderRow(
            tree.path(folder),
            len(tree.held[folder]),
            tree.size(folder),
            int(counts[folder]),
            int(copied[folder]),
        )
        for folder in rows
    ]


def _has_copy_elsewhere(tree: _Tree, graph: CopyGraph) -> Ints:
    """For each folder and file below it 1 where a file outside is a copy of it, else 0."""
    count = len(tree.files) + 1
    owner, content = tree.held.owners(), tree.content[tree.held.values]
    total = np.bincount(tree.content[np.unique(tree.held.values)], minlength=count)
    keys, back, inside = np.unique(owner * count + content, return_inverse=True, return_counts=True)
    of_content = keys % count
    copied = (total[of_content] > inside) & (of_content < len(tree.files))
    ground = GROUNDS[graph.kind]
    ends = graph.left[ground], graph.right[ground]
    near, other = np.concatenate(ends), np.concatenate(ends[::-1])
    order = np.argsort(near, kind="stable")
    near, other = near[order], other[order]
    first, last = np.searchsorted(near, of_content), np.searchsorted(near, of_content, "right")
    row = np.repeat(np.arange(len(keys)), last - first)
    edge = np.arange(len(row)) - np.repeat(offsets_of(last - first)[:-1] - first, last - first)
    asked = (keys[row] // count) * count + other[edge]
    at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    within = np.where(keys[at] == asked, inside[at], 0) if len(keys) else np.empty(0, np.int64)
    np.logical_or.at(copied, row, total[other[edge]] > within)
    marks: Ints = copied[back].astype(np.int64)
    return marks
