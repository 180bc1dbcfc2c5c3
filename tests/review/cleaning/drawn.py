"""Drawn folders: a few files with few contents, and pairs of all kinds between them."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from tests.review.cleaning.made import Listed, MadeFile, report
from twinset.model.flow import KINDS
from twinset.plan import CopyKind
from twinset.review.cleaning.cleaning import FolderCleaning

FOLDERS = ("x", "y", "keep")
PROPOSED = ("equal-bytes", "equal-words", "equal-layout")
"""Kinds of copies that go without being asked for."""


@dataclass(frozen=True)
class Drawn:
    """Files and pairs; those in the folder ``keep`` are protected."""

    files: tuple[MadeFile, ...]
    pairs: tuple[Listed, ...]

    def kinds(self) -> dict[tuple[str, str], str]:
        """By the definition: the closest kind listed between files of the same two contents."""
        content = {file.path: file.content for file in self.files}
        kinds: dict[tuple[str, str], str] = {}
        for left, right, kind, _ in self.pairs:
            assert kind is not None
            for one, other in itertools.permutations(content, 2):
                alike = (content[one], content[other])
                if alike in ((content[left], content[right]), (content[right], content[left])):
                    known = kinds.get((one, other), "same-form")
                    kinds[one, other] = min(known, kind, key=KINDS.index)
        for one, other in itertools.permutations(content, 2):
            if content[one] == content[other]:
                kinds[one, other] = "equal-bytes"
        return kinds

    def protected(self, path: str) -> bool:
        """Whether a file is never to be removed."""
        return path.startswith("keep/")


@st.composite
def folders(draw: st.DrawFn, most: int = 7) -> Drawn:
    """A folder of up to so many files."""
    count = draw(st.integers(2, most))
    places = draw(st.lists(st.sampled_from(FOLDERS), min_size=count, max_size=count))
    contents = draw(st.lists(st.sampled_from("pqrstu"), min_size=count, max_size=count))
    times = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    files = tuple(
        MadeFile(f"{place}/{number}", content * 5, time)
        for number, (place, content, time) in enumerate(zip(places, contents, times, strict=True))
    )
    pairs = []
    for one, other in itertools.combinations(files, 2):
        kind = draw(st.sampled_from((None, None, *KINDS[1:])))
        if kind is not None and one.content != other.content:
            score = draw(st.sampled_from((0.7, 0.8, 0.9)))
            pairs.append((one.path, other.path, kind, score))
    return Drawn(files, tuple(pairs))


@contextmanager
def cleaned(drawn: Drawn, kind: CopyKind | None = None) -> Iterator[FolderCleaning]:
    """The list of a drawn folder, in a place of its own."""
    place = Path(tempfile.mkdtemp())
    try:
        index = report(place, drawn.files, drawn.pairs, plan={"never_remove": "keep/*"})
        yield FolderCleaning.of(index, place / "home", kind)
    finally:
        shutil.rmtree(place)


def grouping(drawn: Drawn, grounds: Collection[str] = PROPOSED) -> dict[str, str]:
    """The twin of the proposal: each file that can go, with the one that stays, file by file.

    ``grounds`` are the kinds of copies that can go.
    """
    kinds = drawn.kinds()
    best = {(pair[0], pair[1]): pair[3] for pair in drawn.pairs}
    content = {file.path: file.content for file in drawn.files}

    def score(one: str, other: str) -> float:
        # Of several listed pairs of two contents the closest kind counts, then the highest score.
        listed = [
            (KINDS.index(kind), -value)
            for left, right, kind, value in drawn.pairs
            if kind is not None
            and {content[left], content[right]} == {content[one], content[other]}
        ]
        return -min(listed)[1] if listed else 1.0

    assert len(best) == len(drawn.pairs)
    order = sorted((file.path for file in drawn.files), key=lambda path: not drawn.protected(path))
    # The first file of each content speaks for the content.
    leads = list({content[path]: path for path in reversed(order)}.values())
    leads.sort(key=order.index)
    stays: list[str] = []
    target: dict[str, str] = {}
    for path in leads:
        near = [keeper for keeper in stays if kinds.get((path, keeper)) in grounds]
        if near and not drawn.protected(path):
            target[path] = min(
                near,
                key=lambda keeper: (
                    KINDS.index(kinds[path, keeper]),  # type: ignore[arg-type]
                    -score(path, keeper),
                    order.index(keeper),
                ),
            )
        else:
            stays.append(path)
    by_content = {content[path]: target.get(path, path) for path in leads}
    return {
        path: by_content[content[path]]
        for path in order
        if not drawn.protected(path) and kinds.get((path, by_content[content[path]])) in grounds
    }
