"""Writing and reading a report folder."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from twinset.errors import MissingReportError, PlanError, ReportError, beside
from twinset.pages.language import ensure_known
from twinset.result.places import FOLDER, MANIFEST, ReportPlaces, ensure_local, is_table
from twinset.result.results import Results
from twinset.result.staging import recover, staged_places
from twinset.system.remote import Place, RemotePath, place_of
from twinset.system.schemes import masked
from twinset.system.temporary import TemporaryFolder
from twinset.system.threads import in_order

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.result.views import ClusterView, PairView, Plots, RunView


TABLES = ("documents", "pairs", "clusters")
MORE = (
    "groups",
    "statistics",
    "repeated",
    "boilerplate",
    "kept_apart",
    "older",
)  # of some runs; kinds of clusters add theirs
ROW = 0.1
"""What a row of a table counts where documents are written beside it, which take longer."""
SMALL = 10_000
"""Rows that one thread has written before several have got out of each other's way."""


def write(
    results: Results,
    folder: str | Place,
    force: bool = False,
    also: Callable[[ReportPlaces], None] | None = None,
    language: str = "en",
) -> Place:
    """Write a report folder, whole or not at all; ``also`` may add files and documents first.

    ``language`` is that of ``report.html``.
    """
    ensure_known(language)
    target = place_of(folder)
    inputs = [str(entry["source"]) for entry in results.manifest.get("inputs", [])]
    inputs += older_places(results.manifest)
    if results.writing is not None:
        results.writing.done, results.writing.planned = 0.0, _weight(results)
    with staged_places(target, force, inputs, results.writing) as places:
        if also is not None:
            also(places)
        fill(results, places.files, language)
    return target


def older_places(manifest: dict[str, Any]) -> list[str]:
    """Where the documents lie that these were held against."""
    against = manifest.get("against") or {}
    places = [str(entry["source"]) for entry in against.get("inputs", [])]
    index = str(against.get("index", "://"))
    return places if "://" in index else [*places, index]


def fill(results: Results, place: Path, language: str = "en") -> None:
    """Write the files of a report into an existing folder side by side, the manifest last."""
    # what takes longest comes first, so that the rest is written beside it
    threads = int(results.writers or results.manifest.get("threads") or 1)
    if len(results.documents) + len(results.pairs) <= SMALL:
        threads = 1
    files = (*_tables(results, place), *_lists(results, place, language))
    files = (files[0], partial(_write_page, results, place, language), *files[1:])
    for _ in in_order(lambda write: write(), files, min(threads, len(files))):
        if results.writing is not None:
            results.writing.done += _weight(results) / len(files)
    (place / MANIFEST).write_bytes(manifest_text(results.manifest))


def _weight(results: Results) -> float:
    return ROW * sum(len(table) for table in (results.documents, results.pairs, results.clusters))


def _tables(results: Results, place: Path) -> Iterator[Callable[[], None]]:
    from twinset.result.tables import write_parquet

    named = {name: getattr(results, name) for name in TABLES} | dict(results.more)
    return (
        partial(write_parquet, table, place / f"{name}.parquet") for name, table in named.items()
    )


def _lists(results: Results, place: Path, language: str) -> Iterator[Callable[[], None]]:
    from twinset.result import tables

    yield partial(tables.write_duplicates, results, place / "duplicates.txt")
    if "kept_as" in results.documents.column_names:
        # Not "removed.csv": that is the name of the removed documents of a CSV file.
        yield partial(tables.write_removed, results, place / "removals.csv")
    if (apart := results.more.get("kept_apart")) is not None:
        yield partial(tables.write_kept_apart, apart, place / "kept_apart.csv", language)


def _write_page(results: Results, place: Path, language: str) -> None:
    from twinset.result.page import page_and_lattices

    page, drawings = page_and_lattices(results, language)
    if drawings:
        from twinset.result import lattices

        lattices.write(drawings, place / lattices.FILE)
    (place / "report.html").write_bytes(page.encode("utf-8", "replace"))


def manifest_text(manifest: dict[str, Any]) -> bytes:
    """JSON with a line for each entry and each entry of an entry: to be read by people, too."""
    lines = (f" {json.dumps(key)}: {_entry(value)}" for key, value in manifest.items())
    text = masked("{\n" + ",\n".join(lines) + "\n}\n")
    # Names of files need not be UTF-8; with backslashes they are JSON for the same name.
    return text.encode("utf-8", "backslashreplace")


def _entry(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    lines = (f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
    return "{\n" + ",\n".join(lines) + "\n }"


def read(folder: str | Place, within: Sequence[str] = ()) -> Report:
    """Open a report folder; the tables load at first use.

    Where ``within`` names folders, files of the report that are links out of them are not read, and
    no address is opened. Elsewhere the tables are fetched.
    """
    if within:
        ensure_local(folder, "the page opens")
    place = place_of(folder)
    if isinstance(place, RemotePath):
        from twinset.result.sending import fetch

        fetched = fetch(place)
        return replace(_read_here(fetched.path, ()), address=place, fetched=fetched)
    return _read_here(place, within)


def _read_here(path: Path, within: Sequence[str]) -> Report:
    if not path.is_dir() and not recover(path):
        if path.is_file():
            raise MissingReportError(
                f"{path} is a file and no report; name the folder given to -o of find or dedup"
            )
        meant = "" if within else beside(str(path))
        raise MissingReportError(
            f"there is no report folder {path}; {meant}'twinset find IN... -o {path}' makes one"
        )
    from twinset.result.manifest import read_manifest

    manifest = read_manifest(path, within)
    path /= Path(str(manifest.get(FOLDER, ""))).name
    report = Report(path, manifest, tuple(within))
    missing = [f"{name}.parquet" for name in TABLES if not is_table(path / f"{name}.parquet")]
    if missing:
        raise ReportError(
            f"the report {path} is incomplete, it lacks {' and '.join(missing)}; "
            "run again with --force"
        )
    return report


DocumentName = str | SupportsIndex
"""An id, or the number of a document in reading order."""


class ShownResults(Results):
    """Results that show themselves in a notebook."""

    def __repr__(self) -> str:
        from twinset.result.words import headline

        return f"{type(self).__name__}({headline(self.manifest)})"

    def signals(self, left: str, right: str) -> dict[str, float]:
        """What can be said of two documents by themselves: docs/reference/signals.md."""
        from twinset.finding.signals import signals_of

        return signals_of(self._profiles(left, right), 0, 1)

    def in_words(self, left: str, right: str, language: str = "en") -> list[str]:
        """What is worth saying of two documents, the most telling first; ``en`` or ``ru``."""
        from twinset.finding.signals import in_words
        from twinset.pages.language import ensure_known

        profiles = self._profiles(left, right)
        return in_words(profiles, 0, 1, ensure_known(language), alone=True)

    def _profiles(self, left: str, right: str) -> Any:
        from twinset.result.pair_signals import profiles_of
        from twinset.result.texts import both_texts

        return profiles_of(both_texts(self, left, right))

    @overload
    def show(
        self, left: DocumentName, right: DocumentName, *, language: str = "en"
    ) -> PairView: ...

    @overload
    def show(self, *, cluster: int, language: str = "en") -> ClusterView: ...

    @overload
    def show(self, *, language: str = "en") -> RunView: ...

    def show(
        self,
        left: DocumentName | None = None,
        right: DocumentName | None = None,
        *,
        cluster: int | None = None,
        language: str = "en",
    ) -> RunView | ClusterView | PairView:
        """Two documents compared word by word, a cluster, or the whole run, to be displayed.

        A document is named by its id, as a string, or by its number in reading order, from 0.
        Notebooks show the result as HTML, terminals as text. ``language`` is ``en`` or ``ru``.
        """
        from twinset.pages.language import ensure_known
        from twinset.result.views import ClusterView, PairView, RunView

        ensure_known(language)
        if left is not None and right is not None and cluster is None:
            return PairView.of(self, self._id(left), self._id(right), language)
        if left is not None or right is not None:
            raise PlanError(
                ["show takes two documents, as show('a', 'b'), or one cluster, as show(cluster=3)"]
            )
        if cluster is not None:
            return ClusterView.of(self, operator.index(cluster), language)
        return RunView(self, language)

    @property
    def plot(self) -> Plots:
        """The charts of ``report.html``: ``s_curve()``, ``similarities()``, ``cluster_sizes()``."""
        from twinset.result.views import Plots

        return Plots(self)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def _id(self, document: DocumentName) -> str:
        ids = self.documents["id"]
        if isinstance(document, str):
            return document
        number = operator.index(document)
        if not 0 <= number < len(ids):
            raise ReportError(
                f"there is no document number {number}: the numbers go from 0 to {len(ids) - 1}; "
                "name a document by its id as a string, or by its number"
            )
        return str(ids[number].as_py())


def _loaded(name: str) -> Any:
    """A table that is read at first use."""
    return cached_property(lambda report: report.columns(name))


@dataclass(frozen=True, repr=False)
class Report(ShownResults):
    """A report folder opened for reading, with the attributes of the run that wrote it.

    ``folder`` has its tables: for a report elsewhere a temporary one, which lasts as long as the
    report is kept.
    """

    folder: Path
    manifest: dict[str, Any]
    within: tuple[str, ...] = ()
    address: RemotePath | None = None
    fetched: TemporaryFolder | None = field(default=None, repr=False)

    @property
    def place(self) -> Place:
        """The folder or the address that was opened."""
        return self.address or self.folder

    documents = _loaded("documents")
    pairs = _loaded("pairs")
    clusters = _loaded("clusters")

    @cached_property
    def more(self) -> dict[str, pa.Table]:
        """Tables that only some methods make: groups by key, word statistics."""
        from twinset.result.words import explained

        explanation = explained(self.manifest)
        names = MORE if explanation is None else (*MORE, *explanation.tables)
        return {n: self.columns(n) for n in names if is_table(self.folder / f"{n}.parquet")}

    @property
    def repeated(self) -> pa.Table | None:
        return self._if_there("repeated")

    @property
    def boilerplate(self) -> pa.Table | None:
        return self._if_there("boilerplate")

    def _if_there(self, name: str) -> pa.Table | None:
        return self.columns(name) if (self.folder / f"{name}.parquet").is_file() else None

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of these documents, read again from their sources."""
        from twinset.model import HEAD

        return {id: text[:HEAD] for id, text in self.texts(ids).items()}

    def quick_heads(self, ids: Sequence[str]) -> dict[str, str] | None:
        """The same; None where it would take long to read them again."""
        from twinset.result.texts import inputs_of, is_quick

        return self.heads(ids) if is_quick(inputs_of(self, ids)) else None

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of these documents, read again from their sources."""
        from twinset.result.texts import texts

        return texts(self, ids)

    def columns(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A table, or those of its columns that are there, checked as they are read."""
        from twinset.result.checked import read_table

        table = read_table(self.folder, name, columns, self.within)
        counted = self.manifest["counts"].get(name) if name in ("documents", "pairs") else None
        if counted is not None and table.num_rows != counted and table.num_columns:
            raise ReportError(
                f"{self.folder / name}.parquet has {table.num_rows:,} rows where {MANIFEST} counts "
                f"{counted:,}: they are of different runs; run again with --force"
            )
        return table
