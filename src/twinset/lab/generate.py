"""`generate`: a test collection with known truth from any documents.

A recipe is operations in a sequence; what it makes of one document is a family, the source with its
variants and every true pair. A collection takes two passes over the input, neither of which holds
all of it. The first chooses the documents with the smallest keys (a sample that does not depend on
the reading order) and keeps a few texts as material for the operations; the second makes the
variants of each.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from twinset._version import VERSION
from twinset.errors import PlanError
from twinset.finding.features import Shingles
from twinset.finding.verify.edit import edit_similarity
from twinset.finding.verify.measures import Jaccard
from twinset.lab.operations import Operation, Setting
from twinset.lab.options import FORMATS, GenerateOptions, Originals
from twinset.lab.sheet import Draw, Others, Sheet, has_words, key_of
from twinset.model import Documents, Fault
from twinset.model.spreadsheet import Writer, read_rows
from twinset.plan import (
    Plan,
    Reading,
    ReadOptions,
    Resources,
    read_toml,
    reading_arguments,
    reads_documents,
    spec,
)
from twinset.plan.spec import checked_values
from twinset.reading import open_inputs
from twinset.result import ensure_free, ensure_local
from twinset.result.places import MANIFEST
from twinset.result.staging import staged
from twinset.run import Progress
from twinset.run.documents import ids_of
from twinset.run.opening import open_documents
from twinset.run.progress import Silent
from twinset.text.tokens import WHOLE

KIND = "operation"
EMPTY = "the document has no words: nothing was changed"


@dataclass(frozen=True, slots=True)
class Step:
    """An operation as it was done to one document, for the log."""

    name: str
    parameters: dict[str, Any]
    strength: float | None
    changed: dict[str, int]
    notes: tuple[str, ...] = ()

    @property
    def is_idle(self) -> bool:
        return not any(number for name, number in self.changed.items() if name != "of")


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant and its source, both opened for editing."""

    source: Sheet
    sheet: Sheet
    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """The text of the variant."""
        return self.sheet.source

    @property
    def log(self) -> dict[str, Any]:
        """What was done, as plain values."""
        return {
            "operations": [
                {**dataclasses.asdict(step), "notes": list(step.notes)} for step in self.steps
            ],
            "statistics": {
                "source": dataclasses.asdict(self.source.statistics),
                "made": dataclasses.asdict(self.sheet.statistics),
            },
        }


@dataclass(frozen=True, slots=True)
class Recipe:
    """Operations in sequence, each applied to the result of the one before."""

    operations: tuple[Operation, ...]
    names: tuple[str, ...] = field(default=())

    @classmethod
    def parse(cls, specs: Sequence[str]) -> Recipe:
        """Parse specs such as ``replace-words:2%,dictionary=words.txt``; report all faults."""
        return cls._checked([partial(spec.make, KIND, text) for text in specs])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recipe:
        """A recipe from a TOML file: a table ``[[operation]]`` with a ``name`` for each."""
        document = read_toml(path, "a recipe", "write a table [[operation]] for each operation")
        unknown = sorted(set(document) - {"operation"})
        tables = document.get("operation", [])
        if unknown or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
            wrong = f"'{unknown[0]}' is" if unknown else "'operation' is"
            raise PlanError(
                [f"{path}: {wrong} not expected; write a table [[operation]] for each operation"]
            )
        makers = [partial(_from_table, table) for table in tables]
        return cls._checked(makers, where=f"{path}: ")

    @classmethod
    def chosen(cls, specs: Sequence[str] | None, recipe: Recipe | str | None) -> Recipe:
        """The recipe from specs, from a file, or the recipe itself."""
        if specs and recipe is not None:
            raise PlanError(["give operations or a recipe, not both"])
        if isinstance(recipe, Recipe):
            return recipe
        return cls.load(recipe) if recipe is not None else cls.parse(list(specs or ()))

    @classmethod
    def _checked(cls, makers: Sequence[Callable[[], Operation]], where: str = "") -> Recipe:
        faults, operations = [], []
        for number, make in enumerate(makers, 1):
            try:
                operations.append(make())
            except PlanError as fault:
                faults += [f"{where}operation {number}: {message}" for message in fault.faults]
        if not makers:
            known = ", ".join(spec.names(KIND))
            faults.append(f"{where}there is no operation; give at least one of {known}")
        if faults:
            raise PlanError(faults)
        names = tuple(spec.name_of(KIND, operation) for operation in operations)
        return cls(tuple(operations), names)

    def make(
        self,
        text: str,
        *,
        seed: int = 1,
        id: str = "",
        variant: int = 1,
        others: Sequence[str] | Others = (),
    ) -> Variant:
        """A near-duplicate of a text; the same one for the same seed, id, variant and others.

        ``others`` are texts of other documents, from which add-paragraphs and replace-words take
        new text (never from the text itself).
        """
        store = others if isinstance(others, Others) else Others(others)
        first = sheet = Sheet.of(text)
        steps = []
        for number, (name, operation) in enumerate(zip(self.names, self.operations, strict=True)):
            draw = Draw(seed, id, variant, number, name)
            opened = Sheet.of(sheet.source, getattr(operation, "by", "paragraph"))
            done = operation.apply(opened, Setting(draw, store, Draw(seed, "site"), text))
            notes = done.notes or (() if sheet.parts else (EMPTY,))
            steps.append(Step(name, operation.parameters, operation.strength, done.changed, notes))
            sheet = Sheet.of(done.source)
        return Variant(first, sheet, tuple(steps))

    def specs(self) -> list[str]:
        """The specs that make this recipe again, with every parameter spelt out."""
        return [spec.spell(KIND, operation, full=True) for operation in self.operations]


@dataclass(frozen=True, slots=True)
class Making(GenerateOptions):
    """A recipe with the options of ``generate``: everything that determines a collection."""

    recipe: Recipe = field(kw_only=True)


def _from_table(table: Mapping[str, Any]) -> Operation:
    """An operation from a table of TOML."""
    values = {key.replace("-", "_"): str(value) for key, value in table.items()}
    name = values.pop("name", "")
    if not name:
        known = ", ".join(spec.names(KIND))
        raise PlanError([f'it has no name; write name = "..." with one of {known}'])
    operation: Operation = spec.from_values(KIND, name, values)
    return operation


SHINGLE = 5


class Document(NamedTuple):
    """A document of a generated collection; ``source`` is the id of the document it comes from."""

    id: str
    text: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Similarity:
    """Jaccard similarity of the sets of 5-word shingles, and 2·LCS/(a+b) of the words' letters."""

    jaccard: float
    edit: float


class TruePair(NamedTuple):
    """Two documents of one family and how similar they are."""

    left: str
    right: str
    similarity: Similarity


@dataclass(frozen=True, slots=True)
class Family:
    """A source document and its variants; a document that only stays has none.

    ``pairs`` are those of its members that have words; ``similarity`` is that of each variant to
    the source.
    """

    source: Document
    variants: tuple[tuple[Document, Variant], ...] = ()
    pairs: tuple[TruePair, ...] = ()
    similarity: tuple[Similarity, ...] = ()

    def kept(self, making: Making) -> Iterator[Document]:
        """The documents that go into the collection."""
        if making.originals != "none":
            yield self.source
        yield from (document for document, _ in self.variants)

    def log(self) -> Iterator[dict[str, Any]]:
        """What was done to make each variant, as plain values."""
        for (document, variant), similarity in zip(self.variants, self.similarity, strict=True):
            told = {"id": document.id, "source": self.source.id, **variant.log}
            yield {**told, "similarity": dataclasses.asdict(similarity)}


def make_family(
    source: Document, making: Making, name: Callable[[int], str], others: Others, threads: int
) -> Family:
    """The variants of a document, called by ``name``, and every pair with words on both sides."""
    variants = []
    for number in range(1, making.variants + 1):
        variant = making.recipe.make(
            source.text, seed=making.seed, id=source.id, variant=number, others=others
        )
        variants.append((Document(name(number), variant.text, source.id), variant))
    members = [source, *(document for document, _ in variants)]
    numbers = list(itertools.combinations(range(len(members)), 2))
    measured = similarities([member.text for member in members], numbers, threads)
    first = 1 if making.originals == "none" else 0
    pairs = tuple(
        TruePair(members[a].id, members[b].id, similarity)
        for (a, b), similarity in zip(numbers, measured, strict=True)
        if a >= first and has_words(members[a].text) and has_words(members[b].text)
    )
    return Family(source, tuple(variants), pairs, tuple(measured[: len(variants)]))


def similarities(
    texts: Sequence[str], pairs: Iterable[tuple[int, int]], threads: int = 1
) -> list[Similarity]:
    """The similarity of each pair of plain texts, as the rest of twinset computes it."""
    sets, _ = Shingles(SHINGLE).extract(list(texts), threads)
    tokens = WHOLE.tokens(list(texts), threads)
    canonical = [tokens.text(number).decode() for number in range(len(texts))]
    measured = []
    for left, right in pairs:
        shared = len(np.intersect1d(sets[left], sets[right], assume_unique=True))
        counts = (np.array([n]) for n in (shared, len(sets[left]), len(sets[right])))
        jaccard = float(Jaccard().score(*counts)[0])
        measured.append(Similarity(jaccard, edit_similarity(canonical[left], canonical[right])))
    return measured


if TYPE_CHECKING:
    from typing_extensions import Unpack

OTHERS = 200  # documents that paragraphs and words may be drawn from
TOO_SMALL = "its share of so short a document rounds to zero"
# Only ids that end like this can equal an id that is made here.
_LIKE_MADE = re.compile(r"[#~]\d+'*$")


class UniqueIds:
    """Gives every document an id that no other document of the collection has."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def learn(self, id: str) -> None:
        """Remember an id of the input."""
        if _LIKE_MADE.search(id):
            self._used.add(id)

    def original(self, id: str, nth: int) -> str:
        """The id itself the first time, ``id#2`` the second."""
        return id if nth == 1 else self._free(f"{id}#{nth}")

    def variant(self, id: str, number: int) -> str:
        """``id~1``."""
        return self._free(f"{id}~{number}")

    def _free(self, name: str) -> str:
        while name in self._used:
            name += "'"
        self._used.add(name)
        return name


@dataclass
class Stream:
    """Makes the families of one collection and fills ``counts``, ``faults`` and ``idle``.

    ``idle`` counts operations that changed nothing in a document, by name and reason.
    """

    documents: Documents
    making: Making
    threads: int
    progress: Progress
    counts: dict[str, int] = field(default_factory=lambda: {"made": 0, "pairs": 0, "ignored": 0})
    faults: list[Fault] = field(default_factory=list)
    idle: Counter[tuple[str, str]] = field(default_factory=Counter)
    _names: UniqueIds = field(default_factory=UniqueIds)

    def families(self) -> Iterator[Family]:
        """Every document that stays or has variants, in reading order."""
        chosen, others = self._choose()
        left = self.counts["sources"]
        self.progress.stage("making", left)
        for number, id, nth, text in self._rows(is_first=False):
            is_source = has_words(text) if chosen is None else number in chosen
            if not is_source and self.making.originals != "all":
                continue
            source = Document(self._names.original(id, nth), text)
            if is_source:
                name = partial(self._names.variant, source.id)
                family = make_family(source, self.making, name, others, self.threads)
                self._count(family)
                yield family
                self.progress.advance(1)
                left -= 1
            else:
                yield Family(source)
            if left == 0 and self.making.originals != "all":
                return

    def is_true(self, pair: TruePair) -> bool:
        """Whether a pair is similar enough for the truth."""
        return pair.similarity.jaccard >= self.making.least_similarity

    def _count(self, family: Family) -> None:
        self.counts["made"] += len(family.variants)
        for pair in family.pairs:
            self.counts["pairs" if self.is_true(pair) else "ignored"] += 1
        for _, variant in family.variants:
            for step in variant.steps:
                if step.is_idle and step.strength != 0:
                    self.idle[step.name, (*step.notes, TOO_SMALL)[0]] += 1

    def notes(self) -> list[str]:
        """Which operations changed nothing, as sentences."""
        return [
            f"Unchanged by {name}: {count:,} of {self.counts['made']:,} documents; {reason}."
            for (name, reason), count in self.idle.items()
        ]

    def _choose(self) -> tuple[set[int] | None, Others]:
        """The numbers of the sources (None for all documents with words) and the other texts."""
        limit, seed = self.making.limit, self.making.seed
        sources: list[tuple[int, int, str]] = []
        others: list[tuple[int, int, str]] = []
        documents = full = 0
        self.progress.stage("reading", self.documents.total_bytes or None)
        for number, id, nth, text in self._rows(is_first=True):
            documents += 1
            self._names.learn(id)
            if has_words(text):
                full += 1
                key = key_of(seed, "choose", id, nth)
                _keep_smallest(sources, (-key, -number, ""), limit or 0)
                _keep_smallest(others, (-key, -number, text), OTHERS)
        self.counts |= {"documents": documents, "empty": documents - full}
        self.counts["sources"] = full if limit is None else len(sources)
        chosen = None if limit is None else {-number for _, number, _ in sources}
        return chosen, Others([text for _, _, text in sorted(others, reverse=True)])

    def _rows(self, is_first: bool) -> Iterator[tuple[int, str, int, str]]:
        """Number, id, occurrence of the id (1 for the first) and text of each readable document."""
        occurrences: Counter[str] = Counter()
        number, before = -1, 0
        for batch in self.documents.batches():
            if is_first:
                self.faults += batch.faults
                done = int(getattr(self.documents, "bytes_read", before))
                self.progress.advance(done - before)
                before = done
            for id, text in zip(ids_of(batch).to_pylist(), batch.texts.to_pylist(), strict=True):
                number += 1
                if text is not None:
                    occurrences[id] += 1
                    yield number, id, occurrences[id], text


def _keep_smallest(
    kept: list[tuple[int, int, str]], entry: tuple[int, int, str], room: int
) -> None:
    """Add an entry (with a negative key) to a heap of limited size."""
    if len(kept) < room:
        heapq.heappush(kept, entry)
    elif room:
        heapq.heappushpop(kept, entry)


_ROWS = 4096  # documents that are written at once
SCHEMA = pa.schema([("id", pa.string()), ("text", pa.large_string())])


class DocumentWriter:
    """Writes documents as JSON lines, CSV or Parquet."""

    def __init__(self, path: Path, form: str) -> None:
        import pyarrow.parquet as pq
        from pyarrow import csv as arrow_csv

        self._file = pa.output_stream(str(path), compression="gzip" if "." in form else None)
        self._rows: list[dict[str, str]] = []
        self._tables: Any = None
        if form == "parquet":
            self._tables = pq.ParquetWriter(self._file, SCHEMA, compression="zstd")
        elif form.startswith("csv"):
            self._tables = arrow_csv.CSVWriter(self._file, SCHEMA)

    def __enter__(self) -> DocumentWriter:
        return self

    def __exit__(self, *details: object) -> None:
        self._flush()
        if self._tables is not None:
            self._tables.close()
        self._file.close()

    def add(self, document: Document) -> None:
        """Collect a document; thousands are written at once."""
        self._rows.append({"id": document.id, "text": document.text})
        if len(self._rows) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._tables is not None:
            self._tables.write_table(pa.Table.from_pylist(self._rows, SCHEMA))
        else:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self._rows)
            self._file.write("".join(lines).encode())
        self._rows = []


def check_format(form: str) -> None:
    """Raise a `PlanError` for an unknown format."""
    if form not in FORMATS:
        raise PlanError([f"there is no format '{form}'; give one of {', '.join(FORMATS)}"])


def _write(
    folder: str | os.PathLike[str],
    families: Iterator[Family] | Sequence[Family],
    stream: Stream,
    form: str,
    force: bool,
    inputs: Sequence[str] = (),
) -> Path:
    """Write the documents, the truth, the log and the manifest of families as they come."""
    ensure_local(folder, "a collection is made in", "name one")
    making = stream.making
    with staged(os.fspath(folder), force, inputs) as staging, ExitStack() as files:

        def opened(name: str) -> IO[str]:
            return files.enter_context(open(staging / name, "w", encoding="utf-8", newline=""))

        documents = files.enter_context(DocumentWriter(staging / f"documents.{form}", form))
        log, truth = opened("log.jsonl"), Writer(opened("truth.csv"))
        ignored = Writer(opened("ignore.csv")) if making.least_similarity else truth
        for table in {truth, ignored}:
            table.writerow(["left", "right", "jaccard", "edit"])
        for family in families:
            for document in family.kept(making):
                documents.add(document)
            log.writelines(json.dumps(told, ensure_ascii=False) + "\n" for told in family.log())
            for pair in family.pairs:
                row = (pair.left, pair.right, pair.similarity.jaccard, pair.similarity.edit)
                (truth if stream.is_true(pair) else ignored).writerow(row)
        manifest = {
            "kind": "generated",
            "twinset": VERSION,
            "documents": f"documents.{form}",
            "operations": making.recipe.specs(),
            "limit": making.limit,
            "variants": making.variants,
            "originals": making.originals,
            "seed": making.seed,
            "least": making.least_similarity,
            "counts": stream.counts,
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        (staging / MANIFEST).write_text(text, encoding="utf-8")
    return Path(folder)


@dataclass(frozen=True)
class Generated:
    """Documents with their near-duplicates, the true pairs and the log.

    ``counts`` has the numbers of documents read, empty documents, sources, variants and pairs;
    ``notes`` says which operations changed nothing. Where the collection was written to a folder
    at once, ``documents``, ``truth`` and ``log`` are read from there.
    """

    stream: Stream
    folder: Path | None = None
    families: tuple[Family, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        return self.stream.counts

    @property
    def faults(self) -> list[Fault]:
        return self.stream.faults

    @property
    def notes(self) -> list[str]:
        return self.stream.notes()

    @cached_property
    def documents(self) -> list[Document]:
        """Originals and variants, in the order of the collection."""
        if self.place is None:
            making = self.stream.making
            return [document for family in self.families for document in family.kept(making)]
        sources = {told["id"]: told["source"] for told in self.log}
        return [
            Document(id, text, sources.get(id))
            for batch in open_inputs(self.place, ReadOptions(html="no")).batches()
            for id, text in zip(batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True)
        ]

    @cached_property
    def truth(self) -> list[TruePair]:
        """The true pairs."""
        if self.folder is None:
            pairs = [pair for family in self.families for pair in family.pairs]
            return [pair for pair in pairs if self.stream.is_true(pair)]
        with open(self.folder / "truth.csv", encoding="utf-8", newline="") as file:
            return [
                TruePair(r["left"], r["right"], Similarity(float(r["jaccard"]), float(r["edit"])))
                for r in read_rows(file)
            ]

    @cached_property
    def log(self) -> list[dict[str, Any]]:
        """What was done to each variant."""
        if self.folder is None:
            return [told for family in self.families for told in family.log()]
        with open(self.folder / "log.jsonl", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    @property
    def place(self) -> Path | None:
        """What `twinset.find` reads: the documents in the folder, without truth and log."""
        return None if self.folder is None else next(self.folder.glob("documents.*"))

    def save(
        self, folder: str | os.PathLike[str], *, format: str = "jsonl", force: bool = False
    ) -> Path:
        """Write the collection with its truth and log into a new folder."""
        check_format(format)
        if self.folder is not None:
            raise ValueError(f"the collection is in {self.folder} already")
        return _write(folder, self.families, self.stream, format, force)

    def __repr__(self) -> str:
        place = f" in {self.folder}" if self.folder else ""
        return (
            f"<Generated: {self.counts['made']} documents made of {self.counts['sources']}, "
            f"{self.counts['pairs']} true pairs{place}>"
        )


@reads_documents
def generate(
    documents: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    ops: Sequence[str] | None = None,
    recipe: Recipe | str | None = None,
    limit: int | None = None,
    variants: int = 1,
    originals: Originals = "sources",
    seed: int = 1,
    least_similarity: float = 0.0,
    format: str = "jsonl",
    force: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Generated:
    """Make near-duplicates of documents, with the true pairs and a log of the edits.

    >>> collection = generate({"note": "one two three four five six"}, ops=["truncate:50%"])
    >>> [document.text for document in collection.documents]
    ['one two three four five six', 'one two three']
    >>> [(pair.left, pair.right) for pair in collection.truth]
    [('note', 'note~1')]

    ``documents`` is anything that `twinset.find` accepts; what is edited is the text that it
    compares. ``ops`` are specs such as ``delete-paragraphs:5%``; ``recipe`` is a TOML file or a
    `Recipe`. ``limit`` documents get ``variants`` each. With ``out`` the collection is written to
    that folder as it is made; otherwise it stays in memory. The other parameters are fields of
    `Making` and options of ``twinset.read``.
    """
    given = reading_arguments(reading, "generate")
    chosen = Recipe.chosen(ops, recipe)
    making = Making(limit, variants, originals, seed, least_similarity, recipe=chosen)
    making = checked_values(making)
    check_format(format)
    given_paths = documents if isinstance(documents, list | tuple) else [documents]
    inputs = [os.fspath(path) for path in given_paths if isinstance(path, os.PathLike)]
    if isinstance(documents, str):
        inputs = [documents]
    if out is not None:
        ensure_local(out, "a collection is made in", "name one")
        ensure_free(os.fspath(out), force, inputs)
    resources = Resources.make(threads, memory)
    opened, _ = open_documents(documents, Plan.make(**given), resources)
    stream = Stream(opened, making, resources.threads, progress or Silent())
    if out is None:
        return Generated(stream, None, tuple(stream.families()))
    return Generated(stream, _write(out, stream.families(), stream, format, force, inputs))
