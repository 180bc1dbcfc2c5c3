"""Recipes (operations in a sequence), and the family of variants that one makes of a document."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from twinset.errors import MissingFileError, PlanError, ReadError
from twinset.finding.features import Shingles
from twinset.finding.verify.edit import edit_similarity
from twinset.finding.verify.measures import Jaccard
from twinset.lab.operations import Operation, Setting
from twinset.lab.options import GenerateOptions
from twinset.lab.sheet import Draw, Others, Sheet, has_words
from twinset.plan import spec, tomllib
from twinset.system.bounded import PLAN_BYTES, read_regular
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
        document = _toml(path)
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
            done = operation.apply(sheet, Setting(draw, store, Draw(seed, "site"), text))
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


def _toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        document: dict[str, Any] = tomllib.loads(read_regular(path, PLAN_BYTES).decode())
        return document
    except FileNotFoundError:
        raise MissingFileError(path, remedy="give the path of a TOML file") from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ReadError(str(path), None, f"is not TOML: {fault}") from None


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
