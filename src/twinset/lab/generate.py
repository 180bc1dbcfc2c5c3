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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
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
from twinset.lab.options import GenerateOptions, Originals
from twinset.lab.sheet import Draw, Others, Sheet, has_words, key_of
from twinset.model import Documents, Fault
from twinset.model import compute as pc
from twinset.model.spreadsheet import Writer, read_rows
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents, spec
from twinset.plan.spec import checked_values
from twinset.result import ensure_free, ensure_local
from twinset.result.places import MANIFEST
from twinset.result.staging import staged
from twinset.run import Progress
from twinset.run.documents import distinct_ids, free_name, ids_of
from twinset.run.manifest import inputs_of
from twinset.run.opening import open_documents
from twinset.run.progress import Silent
from twinset.system.files import write_json
from twinset.system.temporary import TemporaryFolder
from twinset.text.tokens import WHOLE

KIND = "operation"
DOCUMENTS, TRUTH, LOG = "documents.jsonl", "truth.csv", "log.jsonl"
EMPTY = "the document has no words: nothing was changed"


@dataclass(frozen=True, slots=True)
class Step:
    """An operation as it was done to one document, for the log."""

    name: str
    parameters: dict[str, Any]
    strength: float | None
    of: int
    changed: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """The text of a variant, and what was done to its source."""

    text: str
    steps: tuple[Step, ...]

    @property
    def log(self) -> list[dict[str, Any]]:
        """What was done, as plain values."""
        return [{**dataclasses.asdict(step), "notes": list(step.notes)} for step in self.steps]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Operations in sequence, each applied to the result of the one before."""

    operations: tuple[Operation, ...]
    names: tuple[str, ...] = field(default=())

    @classmethod
    def parse(cls, specs: Sequence[str]) -> Recipe:
        """Parse specs such as ``replace-words:2%,dictionary=words.txt``; report all faults."""
        faults, operations = [], []
        for number, text in enumerate(specs, 1):
            try:
                operations.append(spec.make(KIND, text))
            except PlanError as fault:
                faults += [f"operation {number}: {message}" for message in fault.faults]
        if not specs:
            known = ", ".join(spec.names(KIND))
            faults.append(f"there is no operation; give at least one of {known}")
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
        source, steps = text, []
        for number, (name, operation) in enumerate(zip(self.names, self.operations, strict=True)):
            draw = Draw(seed, id, variant, number, name)
            sheet = Sheet.of(source, getattr(operation, "by", "paragraph"))
            done = operation.apply(sheet, Setting(draw, store, Draw(seed, "site"), text))
            notes = done.notes or (() if sheet.parts else (EMPTY,))
            own = (name, operation.parameters, operation.strength)
            steps.append(Step(*own, done.of, done.changed, notes))
            source = done.source
        return Variant(source, tuple(steps))

    def specs(self) -> list[str]:
        """The specs that make this recipe again, with every parameter spelt out."""
        return [spec.spell(KIND, operation, full=True) for operation in self.operations]


@dataclass(frozen=True, slots=True)
class Making(GenerateOptions):
    """A recipe with the options of ``generate``: everything that determines a collection."""

    recipe: Recipe = field(kw_only=True)


SHINGLE = 5


class Document(NamedTuple):
    """A document of a generated collection."""

    id: str
    text: str


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
            told = {"id": document.id, "source": self.source.id, "operations": variant.log}
            yield {**told, "similarity": dataclasses.asdict(similarity)}


def make_family(
    source: Document, making: Making, used: set[str], others: Others, threads: int
) -> Family:
    """The variants of a document, and every pair with words on both sides.

    Variants are called ``id~1`` and so on, with another sign where an id is ``used``.
    """
    variants = []
    for number in range(1, making.variants + 1):
        variant = making.recipe.make(
            source.text, seed=making.seed, id=source.id, variant=number, others=others
        )
        name = free_name(f"{source.id}~{number}", used)
        variants.append((Document(name, variant.text), variant))
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


@dataclass
class Stream:
    """Makes the families of one collection and fills ``counts``, ``faults`` and ``idle``.

    ``idle`` counts operations that changed nothing in a document, by name and reason; ``ids`` are
    those of the documents, by batch.
    """

    documents: Documents
    making: Making
    threads: int
    progress: Progress
    counts: dict[str, int] = field(default_factory=lambda: {"made": 0, "pairs": 0})
    faults: list[Fault] = field(default_factory=list)
    idle: Counter[tuple[str, str]] = field(default_factory=Counter)
    ids: list[pa.Array] = field(default_factory=list)

    def families(self) -> Iterator[Family]:
        """Every document that stays or has variants, in reading order."""
        chosen, others = self._choose()
        nothing = pa.array([], pa.large_string())
        ids, _ = distinct_ids(pa.concat_arrays([nothing, *self.ids]), self.threads)
        used = set(ids.filter(pc.match_substring(ids, "~")).to_pylist())
        left = self.counts["sources"]
        self.progress.stage("making", left)
        for number, _, text in self._rows():
            is_source = has_words(text) if chosen is None else number in chosen
            if not is_source and self.making.originals != "all":
                continue
            source = Document(ids[number].as_py(), text)
            if is_source:
                family = make_family(source, self.making, used, others, self.threads)
                self._count(family)
                yield family
                self.progress.advance(1)
                left -= 1
            else:
                yield Family(source)
            if left == 0 and self.making.originals != "all":
                return

    def _count(self, family: Family) -> None:
        self.counts["made"] += len(family.variants)
        self.counts["pairs"] += len(family.pairs)
        for _, variant in family.variants:
            for step in variant.steps:
                if not step.changed and step.strength != 0:
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
        for number, id, text in self._rows(is_first=True):
            documents += 1
            if has_words(text):
                full += 1
                key = key_of(seed, "choose", id, 1)
                _keep_smallest(sources, (-key, -number, ""), limit or 0)
                _keep_smallest(others, (-key, -number, text), OTHERS)
        self.counts |= {"documents": documents, "empty": documents - full}
        self.counts["sources"] = full if limit is None else len(sources)
        chosen = None if limit is None else {-number for _, number, _ in sources}
        return chosen, Others([text for _, _, text in sorted(others, reverse=True)])

    def _rows(self, is_first: bool = False) -> Iterator[tuple[int, str, str]]:
        """Number, id and text of each readable document."""
        number = before = 0
        for batch in self.documents.batches():
            if is_first:
                self.faults += batch.faults
                done = int(getattr(self.documents, "bytes_read", before))
                self.progress.advance(done - before)
                before = done
            readable = pc.is_valid(batch.texts)
            ids, texts = ids_of(batch).filter(readable), batch.texts.filter(readable)
            if is_first:
                self.ids.append(ids)
            for id, text in zip(ids.to_pylist(), texts.to_pylist(), strict=True):
                yield number, id, text
                number += 1


def _keep_smallest(
    kept: list[tuple[int, int, str]], entry: tuple[int, int, str], room: int
) -> None:
    """Add an entry (with a negative key) to a heap of limited size."""
    if len(kept) < room:
        heapq.heappush(kept, entry)
    elif room:
        heapq.heappushpop(kept, entry)


def _write(
    folder: str | os.PathLike[str], stream: Stream, force: bool, inputs: Sequence[str] = ()
) -> Path:
    """Write the documents, the truth, the log and the manifest of families as they come."""
    making = stream.making
    with staged(os.fspath(folder), force, inputs) as staging, ExitStack() as files:

        def opened(name: str) -> IO[str]:
            return files.enter_context(open(staging / name, "w", encoding="utf-8", newline=""))

        documents, log, truth = opened(DOCUMENTS), opened(LOG), Writer(opened(TRUTH))
        truth.writerow(["left", "right", "jaccard", "edit"])
        for family in stream.families():
            documents.writelines(_line(document._asdict()) for document in family.kept(making))
            log.writelines(map(_line, family.log()))
            truth.writerows((*pair[:2], *dataclasses.astuple(pair[2])) for pair in family.pairs)
        manifest = {
            "kind": "generated",
            "twinset": VERSION,
            "inputs": inputs_of(stream.documents),
            "documents": DOCUMENTS,
            "operations": making.recipe.specs(),
            "limit": making.limit,
            "variants": making.variants,
            "originals": making.originals,
            "seed": making.seed,
            "counts": stream.counts,
        }
        write_json(staging / MANIFEST, manifest, indent=2)
    return Path(folder)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Generated:
    """Documents with their near-duplicates, the true pairs and the log, read from a folder.

    ``counts`` has the numbers of documents read, empty documents, sources, variants and pairs;
    ``notes`` says which operations changed nothing. A collection without a folder of its own lies
    in a temporary one, for as long as this object does.
    """

    folder: Path
    counts: dict[str, int]
    faults: list[Fault]
    notes: list[str]
    temporary: TemporaryFolder | None = None

    @cached_property
    def documents(self) -> list[Document]:
        """Originals and variants, in the order of the collection."""
        with open(self.place, encoding="utf-8") as lines:
            return [Document(**json.loads(line)) for line in lines]

    @cached_property
    def truth(self) -> list[TruePair]:
        """The true pairs."""
        with open(self.folder / TRUTH, encoding="utf-8", newline="") as file:
            return [
                TruePair(r["left"], r["right"], Similarity(float(r["jaccard"]), float(r["edit"])))
                for r in read_rows(file)
            ]

    @cached_property
    def log(self) -> list[dict[str, Any]]:
        """What was done to each variant."""
        with open(self.folder / LOG, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    @property
    def place(self) -> Path:
        """What `twinset.find` reads: the documents in the folder, without truth and log."""
        return self.folder / DOCUMENTS

    def __repr__(self) -> str:
        return (
            f"Generated({self.counts['made']} documents made of {self.counts['sources']}, "
            f"{self.counts['pairs']} true pairs{'' if self.temporary else f' in {self.folder}'})"
        )


@reads_documents
def generate(
    documents: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    ops: Sequence[str] | None = None,
    limit: int | None = None,
    variants: int = 1,
    originals: Originals = "sources",
    seed: int = 1,
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
    compares. ``ops`` are specs such as ``delete-paragraphs:5%``. ``limit`` documents get
    ``variants`` each. ``out`` is the folder of the collection; without one it is temporary. The
    other parameters are fields of `Making` and options of ``twinset.read``.
    """
    given = reading_arguments(reading, "generate")
    recipe = Recipe.parse(ops or ())
    making = checked_values(Making(limit, variants, originals, seed, recipe=recipe))
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
    temporary = None
    if out is None:
        temporary = TemporaryFolder(resources.folder)
        out = temporary.path / "made"
    folder = _write(out, stream, force, inputs)
    return Generated(folder, stream.counts, stream.faults, stream.notes(), temporary)
