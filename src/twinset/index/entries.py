"""What an index keeps of documents: their keys, and their texts, by which matches are verified."""

from __future__ import annotations

import threading
from collections.abc import Container
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import zstandard
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError, TwinsetError
from twinset.finding.candidates.cosine import TermLinks
from twinset.finding.methods.base import Search, links_of
from twinset.index.contents import Contents
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged
from twinset.model.columns import byte_rows, taken, utf8
from twinset.plan import Resources
from twinset.run.searching import judge_of
from twinset.text.arrow import Texts, arrow_text
from twinset.text.wording import reworded, rewriter_of

Bodies = Ragged[np.uint8]
ID_KEY = np.uint64(0xA0761D6478BD642F)
"""What keeps the key of an id apart from those of texts."""
LEVEL = 1
"""Higher levels take more time than they save space on short texts."""
MOST_TEXT = 1 << 30
"""Bytes of the longest text that is kept: what claims to be longer is not unpacked."""
EQUAL_COUNTS = np.full(1 << 16, 2, np.uint16)
"""All features are equally frequent, and none is alone: then the order of prefixes is that of their
hashes, whatever documents come later."""


class DamagedDocumentError(TwinsetError):
    """What is kept of a document is not what was written."""


@dataclass(slots=True)
class Entries:
    """Documents as an index keeps them; one row of each column is a document.

    ``digests`` are those of the texts, ``sizes`` the numbers of features.
    """

    ids: pa.Array
    digests: Features
    sizes: NDArray[np.uint32]
    keys: FeatureLists
    bodies: Bodies

    def __len__(self) -> int:
        return len(self.digests)

    def take(self, rows: NDArray[np.int64]) -> Entries:
        """Some of the documents."""
        if len(rows) == len(self):
            return self
        return Entries(
            taken(self.ids, rows),
            self.digests[rows],
            self.sizes[rows],
            self.keys.take(rows),
            self.bodies.take(rows),
        )


def id_keys(ids: pa.Array) -> Features:
    """The keys by which documents are found by their ids."""
    keys: Features = _kernels.text_digests(*arrow_text(ids), 1) ^ ID_KEY
    return keys


class EntryMaker:
    """Makes entries of texts, and the features back out of bodies; threads may share it."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self._resources = Resources.make(threads=1)
        self.rewriter = rewriter_of(contents.plan)
        self._search = self._begin()
        self.has_judge = judge_of(contents.plan, self._resources) is not None
        self.is_simple = self._search.measured and not self.has_judge
        """Whether counts of shared features decide, and nothing else."""
        self.by_terms = isinstance(self._search, TermLinks) and not self.has_judge
        self.by_rooms = not (self.is_simple or self.by_terms)
        """Whether all texts asked about are compared with all candidates."""
        self.has_threshold = "threshold" in getattr(contents.plan.method, "uses", ())
        self.goal = self._search.goal

    @property
    def search(self) -> Search:
        """A search by the plan; one that keeps documents is begun anew for every batch."""
        return self._search if self._search.side_by_side else self._begin()

    def _begin(self) -> Search:
        search = self.contents.search(self._resources)
        links_of(search).count_by(EQUAL_COUNTS)
        return search

    def keys_and_features(self, texts: Texts, kept: bool) -> tuple[FeatureLists, FeatureLists]:
        """The keys that texts are ``kept`` or asked about by, and their features."""
        search = self.search
        features, _ = search.extract(reworded(texts, self.rewriter, 1), 1)
        links = links_of(search)
        return (links.links if kept else links.asked_links)(features, 1), features

    def features(self, texts: Texts) -> FeatureLists:
        """The features of the texts."""
        return self.search.extract(reworded(texts, self.rewriter, 1), 1)[0]

    def prepare(self, ids: pa.Array, texts: pa.Array) -> Entries:
        """The entries of documents that are to be kept."""
        keys, features = self.keys_and_features(texts, kept=True)
        sizes = features.lengths.astype(np.uint32)
        return Entries(ids, digests_of(texts), sizes, keys, packed(texts))

    def features_of(self, bodies: Bodies, wanted: Ints) -> FeatureLists:
        """The features of documents that are kept; those which nobody wants may have none."""
        return self.features(byte_rows(_unpacked(bodies, {*wanted.tolist()})))

    def decided(
        self, texts: Texts, bodies: Bodies, sides: tuple[Ints, Ints], least: float | None
    ) -> Floats:
        """The scores of pairs of a text and a kept document, NaN for those that are none."""
        (left, right), search = sides, self._begin()
        for some in (texts, byte_rows(_unpacked(bodies, {*right.tolist()}))):
            search.extract(reworded(some, self.rewriter, 1), 1)
        links = links_of(search)
        assert isinstance(links, TermLinks)
        return links.decided(left, right + len(texts), least)

    def ensure_least(self, least: float | None) -> None:
        """Raise where no other similarity may stand in place of the threshold."""
        if least is None:
            return
        if not least > 0:
            raise PlanError([f"least must be above 0, not {least:g}: give a similarity"])
        if not self.has_threshold or not (self.is_simple or self.by_terms):
            raise PlanError(["this index has one boundary for all questions: leave least out"])


def digests_of(texts: Texts) -> Features:
    """Equal for equal texts."""
    return _kernels.text_digests(*arrow_text(texts), 1)


class _Zstandard(threading.local):
    """What compresses and what takes apart, one of each for a thread: they are slow to make."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        self.decompressor = zstandard.ZstdDecompressor()


_own = _Zstandard()


def packed(texts: pa.Array) -> Bodies:
    """Each text compressed by itself, with a checksum."""
    data, offsets = arrow_text(texts)
    if np.diff(offsets).max(initial=0) > MOST_TEXT:
        raise PlanError([f"a text is longer than {MOST_TEXT:,} bytes: cut it, or leave it out"])
    pieces = (data[begin:end] for begin, end in pairwise(offsets.tolist()))
    return byte_rows(
        [_own.compressor.compress(some.tobytes()) if len(some) else b"" for some in pieces]
    )


def unpacked(bodies: Bodies) -> pa.Array:
    """The texts that were packed."""
    return utf8(_unpacked(bodies, range(len(bodies))))


def _unpacked(bodies: Bodies, wanted: Container[int]) -> list[bytes]:
    """The texts; nothing for a row that is not wanted."""
    data, ends = bodies.flat.tobytes(), (bodies.offsets - bodies.offsets[0]).tolist()
    try:
        return [
            _text_in(data[begin:end]) if begin < end and row in wanted else b""
            for row, (begin, end) in enumerate(pairwise(ends))
        ]
    except zstandard.ZstdError as fault:
        raise DamagedDocumentError(
            f"a kept text is damaged ({fault}): 'twinset index check' says what can be saved"
        ) from None


def _text_in(frame: bytes) -> bytes:
    # Frames of up to 64 KB say their length in two bytes, which no text of a GiB can.
    if frame[4:5] >= b"\x80" and not 0 <= zstandard.frame_content_size(frame) <= MOST_TEXT:
        raise zstandard.ZstdError("it does not say its length, or too large a one")
    return _own.decompressor.decompress(frame)
