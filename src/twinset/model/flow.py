"""The data that flows between the rooms.

Documents travel as `Batch`es of Arrow arrays; inside a run a document is its number in reading
order, and its id is a string only at the edges. What the rooms make of them (images, pairs,
clusters) is NumPy arrays of such numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from twinset.model.files import FileFacts
from twinset.model.ragged import FeatureLists, Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa

MARKUP = (
    "html_cleaned",
    "html_main",
    "html_whole",
    "html_stripped",
    "html_empty",
    "repeated_pages",
    "repeated_lines",
    "repeated_left",
    "markup_left",
    "boilerplate_documents",
    "boilerplate_paragraphs",
    "boilerplate_left",
    "code_left",
)
"""What is counted of texts that change: of mark-up, of boilerplate and of programs."""
MASKED = "masked "
"""What stands before a mask in the name of the count of what it has left out."""
PASSED_OVER = (
    "links_not_followed",
    "hard_links",
    "named_twice",
    "special_files",
    "lists_of_documents",
    "own_files",
    "hidden_files",
    "other_records",
)
"""What readers count of files and records that are not documents, and so are not read."""
SORTS = (
    "pictures",
    "films",
    "sounds",
    "archives",
    "programs",
    "unread_documents",
    "other_files",
)
"""What readers count of files without a reader, which are compared byte for byte."""
HEAD = 160  # bytes of a document that are shown where its beginning stands for it
Kind = Literal[
    "equal-bytes", "equal-words", "equal-layout", "revision", "part", "same-form", "same-meaning"
]
"""What a document is to another one, the closest first."""
KINDS: tuple[Kind, ...] = get_args(Kind)
NOT_ASKED, LEFT_OUT = -1, -2
"""Pairs of which no kind was asked for, and those beyond the bound of what is compared."""
Codes = NDArray[np.int8]
"""Places in `KINDS`, or one of the above."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with the input that did not stop the run: where, what kind, in words."""

    source: str
    line: int | None
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Position:
    """Where a pass goes on behind a batch.

    Of the sources those before number ``source`` are over, and of this one the first ``batches``
    that hold documents. A reader that can begin in the middle of a file does so at byte ``offset``,
    behind ``records`` lines or records; ``digest`` is the state of the digest of what is before.
    """

    source: int = -1
    batches: int = 0
    offset: int | None = None
    records: int = 0
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents of one source in reading order.

    ``ids`` (string) is null where the input names none; ``texts`` (large_string) is null where a
    document could not be read. ``places`` counts lines or records from 1. ``order`` holds the
    numbers of the field that decides which copy is kept, NaN where there is none. ``counts`` says
    how often something was done or passed over on the way here that is no fault. ``raw``
    (large_binary) has the bytes that the texts were made of, where the plan asks for them.
    ``vectors`` is the column of lists of numbers that the plan asks for, and behind the reader a
    matrix of single precision: its rows are 0 for documents without a vector.
    ``pages`` are the rows of HTML pages whose repeated lines are still to be dropped. ``files`` has
    what is known of documents that are plain files. Documents of a reference are only compared with
    others, not with each other. ``end`` is where a pass can go on behind this batch, if it holds
    documents.
    """

    ids: pa.Array
    texts: pa.Array
    source: str
    places: Ints
    order: Floats | None = None
    faults: tuple[Fault, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    raw: pa.Array | None = None
    vectors: Any = None
    pages: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    files: FileFacts | None = None
    is_reference: bool = False
    end: Position = Position()

    def __len__(self) -> int:
        return len(self.texts)


class Documents(Protocol):
    """Anything that yields batches; ``total_bytes`` (0 when unknown) serves progress bars."""

    total_bytes: int

    def batches(self) -> Iterator[Batch]:
        """Stream the documents, in an order that is always the same."""
        ...


@dataclass
class WritingMeter:
    """How many documents were written, of so many: what is read once more counts again."""

    done: float = 0.0
    planned: float = 0.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Verified pairs of document numbers, ``left < right``, sorted, each once."""

    left: Ints
    right: Ints
    shared: Ints
    score: Floats

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters as parallel arrays, one row per member, sorted by cluster, then by member.

    ``anchor`` is the document a member is held against (-1 where the kind of cluster has none) and
    ``score`` its similarity to it. ``weakest`` has one row per cluster: the lowest similarity
    inside as far as it was computed, NaN where it is not known; ``chained`` says that a pair
    inside is below the threshold; ``shared``, where it is known, is the number of features that
    all members share.
    """

    cluster: Ints
    member: Ints
    anchor: Ints
    score: Floats
    weakest: Floats = field(default_factory=lambda: np.empty(0))
    chained: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    shared: Ints | None = None

    def __len__(self) -> int:
        return int(self.cluster[-1]) + 1 if len(self.cluster) else 0


class SetMeasure(Protocol):
    """A similarity of two sets as a formula over (shared, size, size)."""

    number: ClassVar[int]

    def score(self, shared: Ints, left: Ints, right: Ints) -> Floats:
        """Similarity of each pair from its counts."""
        ...

    def least_jaccard(self, threshold: float) -> float | None:
        """The lowest Jaccard similarity of a pair that reaches the threshold, if there is one."""
        ...


class Judge(Protocol):
    """Checks the pairs that a method has found, on what it has kept of the documents."""

    threshold: float
    name: str

    def add(self, texts: pa.Array) -> None:
        """Keep what is needed of a batch."""
        ...

    def scores(self, left: Ints, right: Ints) -> Floats:
        """The similarity of each pair; below the threshold it may be 0."""
        ...

    def copy_scores(self) -> Floats:
        """The similarity of each document with an exact copy of it."""
        ...


class Sketch(Protocol):
    """An image of fixed width; a place agrees with the probability of the Jaccard similarity."""

    size: int

    def sketch(self, features: FeatureLists, threads: int) -> NDArray[np.uint64]:
        """One row of ``size`` values for each feature list."""
        ...

    def narrowed(self, size: int) -> Sketch:
        """The same image in another size."""
        ...


class SetImage(Protocol):
    """An image that is a set: a sorted sample of the permuted features.

    ``most_promised`` is the largest ``common`` for which `chance` may be above 0.
    """

    @property
    def most_promised(self) -> int:
        """The size of the sample, or 1 where it has none."""
        ...

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list for each feature list."""
        ...

    def chance(self, common: int, similarity: float) -> float:
        """P(at least ``common`` values shared) for two long documents of this similarity."""
        ...
