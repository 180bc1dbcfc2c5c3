"""What a run found: Arrow tables with ids, and the manifest."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, field
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.outcomes import outcomes_of
from twinset.engine.selection import OffersSelection
from twinset.errors import ReportError, TwinsetError
from twinset.lazy_dataclass import dataclass
from twinset.model import Ints
from twinset.model.columns import text
from twinset.model.outcomes import Outcomes
from twinset.plan.output import OutputForm
from twinset.report.notebook import OffersViews
from twinset.report.pair_signals import OffersSignals
from twinset.text.arrow import arrow_text

if TYPE_CHECKING:
    from twinset.clusters.base import ImageClusters
    from twinset.engine.parts import PartsFolder
    from twinset.report import ReportPlaces
    from twinset.report.lattices import LatticeDrawing
    from twinset.report.numbered import KnownNumbers
    from twinset.system.remote import Place

Export = Callable[[], Iterable[bytes | memoryview]]
"""A file of the report, part by part."""


@dataclass(frozen=True)
class Findings(OffersSignals, OffersSelection, OffersViews):
    """The result of `find` or `dedup`: ``documents``, ``pairs`` and ``clusters`` as Arrow tables.

    ``keep`` has one entry per document in reading order and is there only after `dedup`. ``more``
    holds tables that not every run makes: ``groups`` of documents that share a key, the word
    ``statistics`` of the collection, the lines that were ``repeated`` on pages, the ``boilerplate``
    of documents, and what a kind of cluster adds, as the ``components`` that closed sets lie in.
    ``exports`` are files of the report that are written only when it is saved. ``image_clusters``
    is what was found in the images, where clusters are searched there, ``row_numbers`` are those of
    the documents that the tables name. The ``parts`` that a run has kept for another one go when
    the report is saved. ``writers`` is how many threads may write the report: each holds a piece of
    a table in memory. ``older`` are the documents that these were held against, which are not among
    ``documents``.
    """

    documents: pa.Table
    pairs: pa.Table
    clusters: pa.Table
    manifest: dict[str, Any]
    keep: NDArray[np.bool_] | None = None
    head: Callable[[int], str] = field(repr=False, default=lambda number: "")
    source: Any = field(repr=False, default=None)
    more: dict[str, pa.Table] = field(repr=False, default_factory=dict)
    exports: dict[str, Export] = field(repr=False, default_factory=dict)
    image_clusters: ImageClusters | None = field(repr=False, default=None)
    saved: dict[str, Any] = field(repr=False, default_factory=dict)
    row_numbers: KnownNumbers | None = field(repr=False, default=None)
    parts: PartsFolder | None = field(repr=False, default=None)
    writers: int | None = field(repr=False, default=None)
    older: Any = field(repr=False, default=None)

    @property
    def repeated(self) -> pa.Table | None:
        """The lines that were dropped from pages; None where none were."""
        return self.more.get("repeated")

    @property
    def boilerplate(self) -> pa.Table | None:
        """The paragraphs that were left out of documents; None where none were."""
        return self.more.get("boilerplate")

    @cached_property
    def lattices(self) -> list[LatticeDrawing]:
        """With clusters that lie in a lattice: those most worth a look."""
        from twinset.report.lattices import LatticeDrawing

        if self.image_clusters is None:
            return []
        lattices = self.image_clusters.lattices(self.documents["id"].combine_chunks())
        return [LatticeDrawing(drawn.lattice, drawn.names, drawn.worst) for drawn in lattices]

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, read again."""
        from twinset.reading import Inputs
        from twinset.report.texts import picked, places_of

        places, source = places_of(self, ids), self.source
        if isinstance(source, Inputs):
            source = copy.copy(source)
            source.sources = [opened for opened in source.sources if opened.name in places]
        return dict(picked(source.batches(), places)) if places else {}

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The first lines of these documents."""
        heads: dict[str, str] = {}
        for known, rows in self._named():
            missing = [id for id in ids if id not in heads]
            if missing:
                places = _places_of(missing, known)
                heads |= {known[place].as_py(): self.head(int(rows[place])) for place in places}
        return {id: heads[id] for id in ids if id in heads}

    def _named(self) -> Iterator[tuple[pa.ChunkedArray, Ints]]:
        """Columns of ids with the rows of their documents, those most asked for first."""
        if self.row_numbers is not None:
            yield self.clusters["id"], self.row_numbers.member
        yield self.documents["id"], np.arange(len(self.documents))

    def save(
        self,
        folder: str | Place,
        force: bool = False,
        language: str = "en",
        *,
        annotate: bool = False,
        no_split: bool = False,
        to: str | None = None,
        shards: int | None = None,
    ) -> Place:
        """Write the report folder, whole or not at all; ``force`` replaces an older report.

        ``folder`` may be an address, such as ``s3://bucket/report``. ``language`` is that of
        ``report.html``: ``en`` or ``ru``.

        After `dedup` of files it also holds the kept and the removed documents, in their format,
        unless ``no_split`` leaves them away. ``annotate`` writes all documents, with the fields
        ``twinset_cluster``, ``twinset_keep``, ``twinset_kept_id`` and ``twinset_score``; ``shards``
        is the number of files, ``to`` another format (``jsonl.gz``).
        """
        from twinset.report import write

        form = OutputForm.make(annotate=annotate, no_split=no_split, to=to, shards=shards)
        if form != OutputForm() and not hasattr(self.source, "write"):
            raise ReportError(
                "annotate, no_split, to and shards are for documents of files, and these were "
                "handed over in memory: take findings.kept and findings.to_pandas(), and save with "
                "the folder alone"
            )
        place = write(self, folder, force, lambda places: self._add(places, form), language)
        self.saved["folder"] = place
        if self.parts is not None:
            self.parts.remove()
        return place

    @property
    def place(self) -> Place | None:
        """Where the report was saved last; None before."""
        return self.saved.get("folder")

    def write_to(
        self, file: IO[bytes], *, annotate: bool = False, to: str | None = None
    ) -> dict[str, Any]:
        """Write the kept documents to a file that is open for bytes, all inputs as one.

        With ``annotate`` it is all documents, with what was decided on each, and with ``to``
        another format. In their own format they are not compressed. What was written is returned
        as the manifest of a report has it; ``unread`` counts records that cannot be read and are
        left out of another format.
        """
        form = OutputForm.make(annotate=annotate, to=to)
        outcomes, write = self.outcomes(), getattr(self.source, "write_to", None)
        if write is None:
            raise TwinsetError("only documents of files are written; findings.kept has the others")
        written = write(outcomes, file, form)
        return {name: asdict(route) for name, route in written.items()}

    def outcomes(self) -> Outcomes:
        """What was decided on each document, after `dedup`."""
        return outcomes_of(self.documents, self.clusters, self.mask, self.members)

    def _add(self, places: ReportPlaces, form: OutputForm) -> None:
        for name, export in self.exports.items():
            with (places.files / name).open("wb") as file:
                file.writelines(export())
        write = getattr(self.source, "write", None)
        if self.keep is not None and write is not None:
            written = write(self.outcomes(), places.documents, form)
            self.manifest["written"] = written.described()
            self.saved.clear()
            self.saved.update({name: route.path for name, route in written.routes.items()})

    def __repr__(self) -> str:
        from twinset.report.words import headline

        return f"<twinset: {headline(self.manifest)}>"


def _places_of(ids: list[str], known: pa.ChunkedArray) -> list[int]:
    """Where the ids stand, and seldom another one."""
    wanted, digests = np.sort(_digests(text(ids))), _digests(known)
    nearest = np.minimum(np.searchsorted(wanted, digests), len(wanted) - 1)
    places: list[int] = np.flatnonzero(wanted[nearest] == digests).tolist()
    return places


def _digests(texts: pa.Array | pa.ChunkedArray) -> NDArray[np.uint64]:
    return _kernels.text_digests(*arrow_text(texts), 1)
