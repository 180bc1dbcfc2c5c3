"""Searches: the choices made in the steps, saved in a file from the first click on."""

from __future__ import annotations

import dataclasses
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinset.errors import PlanError
from twinset.plan import Plan, used_options
from twinset.plan import options as plan_options
from twinset.plan.making import GOAL
from twinset.spec import as_value
from twinset.system.files import read_object, write_file, write_json
from twinset.web.faults import GoneError
from twinset.web.filled import DECIDED_BY_PAGE
from twinset.web.settings import Settings

PLAN = "plan.toml"
FILE = "search.json"
KINDS = ("find", "dedup")
NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
SEARCH_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search; ``job`` is empty until it is started, and nothing changes after that.

    ``options`` are those of its plan that differ from the defaults, as in a TOML file. ``way`` is
    "clean" for a search of the first page, whose result is what can go, and else "steps".
    """

    name: str
    title: str = ""
    created: float = 0.0
    paths: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    kind: str = "find"
    out: str = ""
    job: str = ""
    way: str = "steps"

    def plan(self, within: tuple[str, ...] = ()) -> Plan:
        """The plan, bound to folders; raises with all that is wrong with its options."""
        # The form has fields that the method may not use.
        options = used_options(self.options)
        return Plan.make(**options | {"within": within})

    def changed(self, options: Mapping[str, Any]) -> SavedSearch:
        """The search with other options; raises with all that is wrong with them."""
        options = _at_its_level(self, options)
        plan = dataclasses.replace(self, options=dict(options)).plan()
        # Another method may use them again: a visitor has not chosen to lose them.
        unused = {name: options[name] for name in ignored(options) if _is_usable(name, options)}
        return dataclasses.replace(self, options=options_in(plan) | unused)

    def command(self, plan: Path | None, settings: Settings, language: str = "en") -> list[str]:
        """The command line that runs this search, bound to the folders that the page may read.

        Its options come from the file of a plan or, for people to read, stand in it.
        """
        bounds = [part for root in settings.bounds for part in ("--within", root)]
        options = self.plan().arguments() if plan is None else ["--plan", str(plan)]
        return [
            self.kind,
            *self.paths,
            "-o",
            self.out,
            *options,
            *in_language(language),
            *bounds,
            "--json",
        ]


def in_language(language: str) -> list[str]:
    """The option that makes a command write its page in a language; English needs none."""
    return [] if language == "en" else ["--language", language]


class Searches:
    """The searches of one home folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.home / "searches"

    def new(self, **chosen: Any) -> SavedSearch:
        """A search with the usual choices, saved."""
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
        search = SavedSearch(name, created=time.time(), **chosen)
        self.save(search)
        return search

    def again(self, search: SavedSearch) -> SavedSearch:
        """A copy to change and run; the old search and its report stay."""
        chosen = dataclasses.asdict(search) | {"job": "", "out": "", "way": "steps"}
        return self.new(**{k: v for k, v in chosen.items() if k not in ("name", "created")})

    def find(self, name: str) -> SavedSearch:
        """A search by its name."""
        file = self.home(name) / FILE
        if not file.is_file():
            raise GoneError("there is no such search any more; begin a new one")
        try:
            return _read(file)
        except ValueError as fault:
            raise GoneError(
                f"the search {Path(name).name} cannot be read: {file} {fault}; delete that "
                "folder and begin a new search, its report is not lost by that"
            ) from None

    def all(self) -> list[SavedSearch]:
        """Every search that can be read, the newest first."""
        return [search for search in self._read().values() if search is not None]

    def damaged(self) -> list[Path]:
        """The files of searches that cannot be read."""
        return [file for file, search in self._read().items() if search is None]

    def _read(self) -> dict[Path, SavedSearch | None]:
        searches: dict[Path, SavedSearch | None] = {}
        for file in sorted(self._folder.glob(f"*/{FILE}"), reverse=True):
            try:
                searches[file] = _read(file)
            except ValueError:
                searches[file] = None
        return searches

    def save(self, search: SavedSearch) -> None:
        """Write a search to its file, whole or not at all."""
        folder = self.home(search.name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(folder / FILE, dataclasses.asdict(search), indent=1)

    def write_plan(self, search: SavedSearch) -> Path:
        """The plan of a search as a file, which its job reads."""
        plan = search.plan(self._settings.bounds)
        return write_file(self.home(search.name) / PLAN, plan.as_toml())

    def remove(self, search: SavedSearch) -> None:
        """Forget a search and the documents that were uploaded for it; its report stays."""
        import shutil

        shutil.rmtree(self.home(search.name), ignore_errors=True)

    def home(self, name: str) -> Path:
        """The folder of a search, which holds its uploads, too."""
        if not NAME.fullmatch(name):
            raise GoneError("there is no such search any more; begin a new one")
        return self._folder / name

    def report_folder(self, search: SavedSearch) -> Path:
        """A new folder for the report, named after the search."""
        title = re.sub(r"[^\w.-]+", "-", search.title).strip("-.") or "search"
        return self._settings.home / "reports" / f"{title[:60]}-{search.name[:15]}"


def _at_its_level(search: SavedSearch, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options of a form, less what its fields had only because of the level they were drawn at.

    A form gives every option. Where another level is chosen in it, what is usual for the level
    before was chosen by nobody: units are compared by equality unless something else is.
    """
    before, after = search.options.get("level"), options.get("level")
    if _splits(before) == _splits(after):
        return options
    former = {name: value for name, value in options.items() if name != "level"}
    chosen = dataclasses.replace(search, options=former | _given(level=before)).plan().changes()
    usual = Plan.make(level=before).changes()
    chosen = {name: value for name, value in chosen.items() if usual.get(name) != value}
    return chosen | _given(level=after)


def _splits(level: Any) -> bool:
    return bool(level) and Plan.make(level=level).by_units


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value}


def ignored(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The options of the goal that have no effect with the method among these options."""
    used = used_options({**options, **dict.fromkeys(GOAL)})
    return tuple(name for name in GOAL if name not in used)


def _is_usable(name: str, options: Mapping[str, Any]) -> bool:
    """Whether an option is given, with a value that a form can show again."""
    option = plan_options()[name]
    if name not in options:
        return False
    try:
        return not option.fault(as_value(option, options[name]))
    except (ValueError, PlanError):
        return False


def options_in(plan: Plan) -> dict[str, Any]:
    """The options of a plan that a search keeps."""
    return {name: value for name, value in plan.changes().items() if name not in DECIDED_BY_PAGE}


def _read(file: Path) -> SavedSearch:
    """A search from what `Searches.save` has written; raises ValueError for anything else."""
    entry = read_object(file, SEARCH_BYTES) or {}
    if "own" in entry and "options" not in entry:
        raise ValueError("was saved by an earlier version")
    usual = SavedSearch("")
    known = {each.name: getattr(usual, each.name) for each in dataclasses.fields(SavedSearch)}
    fields = {name: value for name, value in entry.items() if name in known}
    if isinstance(fields.get("paths"), list):
        fields["paths"] = tuple(fields["paths"])
    are_alike = all(_is_alike(value, known[name]) for name, value in fields.items())
    if not {"name", "paths", "options"} <= fields.keys() or not are_alike:
        raise ValueError("is damaged")
    search = SavedSearch(**fields)
    unknown = search.options.keys() - plan_options().keys()
    if search.name != file.parent.name or unknown or not _are_texts(search.paths):
        raise ValueError("is damaged")
    try:
        search.plan()
    except PlanError as fault:
        raise ValueError(f"is damaged: {fault}") from None
    return search


def _is_alike(value: object, usual: object) -> bool:
    """Whether a value is of the same kind as the usual one; a whole number may be a float."""
    if isinstance(usual, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is type(usual)


def _are_texts(values: tuple[Any, ...]) -> bool:
    return all(isinstance(value, str) for value in values)
