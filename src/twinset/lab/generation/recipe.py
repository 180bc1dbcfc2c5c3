"""A recipe: operations in a sequence, from specs (``delete-paragraphs:5%``) or a TOML file."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from twinset import spec
from twinset.errors import MissingFileError, PlanError, ReadError
from twinset.lab.generation.draw import Draw
from twinset.lab.generation.material import Others
from twinset.lab.generation.operation import Operation, Setting
from twinset.lab.generation.options import GenerateOptions
from twinset.lab.generation.sheet import Sheet
from twinset.lab.generation.splitting import open_sheet
from twinset.plan import tomllib
from twinset.system.bounded import PLAN_BYTES, read_regular
from twinset.text.pages import is_marked_up

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
        """Whether the operation changed nothing."""
        return not any(number for name, number in self.changed.items() if name != "of")

    def as_dict(self) -> dict[str, Any]:
        """Plain values; notes only where there are any."""
        values = dataclasses.asdict(self)
        values["notes"] = list(self.notes)
        return values if self.notes else {k: v for k, v in values.items() if k != "notes"}


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant and its source, both opened for editing; sizes are counted at first use."""

    source: Sheet
    sheet: Sheet
    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """The text, or the mark-up, of the variant."""
        return self.sheet.source

    @property
    def is_html(self) -> bool:
        """Whether the document was read as HTML."""
        return self.sheet.is_html

    @property
    def log(self) -> dict[str, Any]:
        """What was done, as plain values."""
        return {
            "operations": [step.as_dict() for step in self.steps],
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
        html: bool | None = None,
    ) -> Variant:
        """A near-duplicate of a text; the same one for the same seed, id, variant and others.

        ``others`` are texts of other documents, from which add-paragraphs and replace-words take
        new text (never from the text itself). With ``html`` None the text decides.
        """
        is_html = is_marked_up(text) if html is None else html
        store = others if isinstance(others, Others) else Others(others)
        first = sheet = open_sheet(text, is_html)
        steps = []
        for number, (name, operation) in enumerate(zip(self.names, self.operations, strict=True)):
            draw = Draw(seed, id, variant, number, name)
            done = operation.apply(sheet, Setting(draw, store, Draw(seed, "site"), text))
            notes = done.notes or (() if sheet.paragraphs else (EMPTY,))
            steps.append(Step(name, operation.parameters, operation.strength, done.changed, notes))
            sheet = open_sheet(done.source, is_html)
        return Variant(first, sheet, tuple(steps))

    def specs(self) -> list[str]:
        """The specs that make this recipe again, with every parameter spelt out."""
        return [spec.spell(KIND, operation, full=True) for operation in self.operations]


@dataclass(frozen=True, slots=True)
class Making(GenerateOptions):
    """A recipe with the options of ``generate``: everything that determines a collection."""

    recipe: Recipe = field(kw_only=True)


def _from_table(table: Mapping[str, Any]) -> Operation:
    """An operation from a table of TOML; pairs may be a table of its own."""
    values = {key.replace("-", "_"): _text(value) for key, value in table.items()}
    name = values.pop("name", "")
    if not name:
        known = ", ".join(spec.names(KIND))
        raise PlanError([f'it has no name; write name = "..." with one of {known}'])
    operation: Operation = spec.from_values(KIND, name, values)
    return operation


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return " ".join(f"{_coded(str(old))}>{_coded(str(new))}" for old, new in value.items())
    return str(value)


def _coded(text: str) -> str:
    return "".join(f"U+{ord(c):04X}" if c in " ,>" or c.isspace() else c for c in text)


def _toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        document: dict[str, Any] = tomllib.loads(read_regular(path, PLAN_BYTES).decode())
        return document
    except FileNotFoundError:
        raise MissingFileError(path, remedy="give the path of a TOML file") from None
    except OSError as fault:
        remedy = f"cannot be read ({fault.strerror}); give the path of a TOML file"
        raise ReadError(str(path), None, remedy) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ReadError(str(path), None, f"is not TOML: {fault}") from None
