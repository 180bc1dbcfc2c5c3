"""Searches: what a person has chosen in the steps, kept in a file from the first click on."""

from __future__ import annotations

import dataclasses
import re
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, get_args

from twinset.errors import PlanError
from twinset.plan import Html, Plan, Unit, options
from twinset.spec import from_values, load, name_of, names, options_of
from twinset.spec.numerals import decimal, whole
from twinset.system.files import read_object, write_file, write_json
from twinset.web.faults import GoneError
from twinset.web.settings import Settings

SHARED = ("shingle", "offset", "unit", "image")  # options of methods with fields of their own
PLAN = "plan.toml"
FILE = "search.json"
_USUAL: dict[str, Any] = {
    name: option.usual or option.default for name, option in options().items()
}
KINDS = ("find", "dedup")
NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
SEARCH_BYTES = 4 << 20
CHOICES: dict[str, Callable[[], Collection[str]]] = {
    "kind": lambda: KINDS,
    "sharing": lambda: ("share", "k"),
    "html": lambda: get_args(Html),
    "unit": lambda: get_args(Unit),
    **{name: partial(names, name) for name in ("method", "image", "measure", "clusters")},
}
"""What the fields of a search with a list of choices may hold."""


@dataclass(frozen=True, slots=True)
class Search:
    """One search; ``job`` is empty until it was started, and nothing changes after that.

    ``own`` holds the method's own options as they are written on the command line.
    """

    name: str
    title: str = ""
    created: float = 0.0
    paths: tuple[str, ...] = ()
    html: str = "auto"
    id: str = "id"
    text: str = "text"
    method: str = "minhash"
    own: dict[str, str] = field(default_factory=dict)
    threshold: float = _USUAL["threshold"]
    recall: float = _USUAL["recall"]
    measure: str = _USUAL["measure"]
    shingle: int = _USUAL["shingle"]
    offset: int = _USUAL["offset"]
    unit: str = _USUAL["unit"]
    image: str = "oph"
    size: int = 128
    clusters: str = "anchored"
    sharing: str = "share"
    k: int = 85
    share: float = 0.85
    kind: str = "find"
    keep: str = _USUAL["keep"]
    out: str = ""
    job: str = ""

    def plan(self, within: tuple[str, ...] = ()) -> Plan:
        """The plan, bound to folders; raises with all that is wrong with the choices."""
        own = options_of(load("method", self.method))
        shared = {name: getattr(self, name) for name in SHARED if name in own}
        if "image" in shared:
            shared["image"] = self._image()
        chosen: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("html", "id", "text", "threshold", "recall", "measure", "clusters")
        }
        chosen["method"] = method = from_values("method", self.method, shared | self.own)
        of_clusters = options_of(load("clusters", self.clusters))
        if self.sharing in of_clusters:
            chosen[self.sharing] = getattr(self, self.sharing)
        if "image" in of_clusters and self.method == "exact":
            chosen["image"] = self._image()
        if self.kind == "dedup":
            chosen["keep"] = self.keep
        if getattr(method, "decides_recall", ""):
            del chosen["recall"]
        return Plan.make(**chosen, within=within)

    def _image(self) -> Any:
        return from_values("image", self.image, {"size": self.size})

    def cut_is_given(self) -> bool:
        """Whether the person has chosen bands and rows, from which the recall follows."""
        return any(self.own.get(name, "0") != "0" for name in ("bands", "rows"))

    def command(self, plan: Path | None, settings: Settings) -> list[str]:
        """The command line that runs this search, bound to the folders that the page may read.

        Its options come from the file of a plan or, for people to read, stand in it.
        """
        bounds = [part for root in settings.bounds for part in ("--within", root)]
        options = self.plan().arguments() if plan is None else ["--plan", str(plan)]
        return [self.kind, *self.paths, "-o", self.out, *options, *bounds, "--json"]


class Searches:
    """The searches of one home folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.home / "searches"

    def new(self, **chosen: Any) -> Search:
        """A search with the usual choices, saved."""
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
        search = Search(name, created=time.time(), **chosen)
        self.save(search)
        return search

    def again(self, search: Search) -> Search:
        """A copy to change and to run; the old search and its report stay."""
        chosen = dataclasses.asdict(search) | {"job": "", "out": ""}
        return self.new(**{k: v for k, v in chosen.items() if k not in ("name", "created")})

    def find(self, name: str) -> Search:
        """A search by its name."""
        file = self.home(name) / FILE
        if not file.is_file():
            raise GoneError("there is no such search any more; begin a new one")
        search = _search(read_object(file, SEARCH_BYTES))
        if search is None or search.name != self.home(name).name:
            raise GoneError(
                f"the search {Path(name).name} cannot be read: {file} is damaged; delete that "
                "folder and begin a new search, its report is not lost by that"
            )
        return search

    def all(self) -> list[Search]:
        """Every search that can be read, the newest first."""
        read = (_search(read_object(file, SEARCH_BYTES)) for file in self._files())
        return [search for search in read if search is not None]

    def damaged(self) -> list[Path]:
        """The files of searches that cannot be read."""
        return [file for file in self._files() if _search(read_object(file, SEARCH_BYTES)) is None]

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"*/{FILE}"), reverse=True)

    def save(self, search: Search) -> None:
        """Write a search down, whole or not at all."""
        folder = self.home(search.name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(folder / FILE, dataclasses.asdict(search), indent=1)

    def write_plan(self, search: Search) -> Path:
        """The plan of a search as a file, which its job reads."""
        plan = search.plan(self._settings.bounds)
        return write_file(self.home(search.name) / PLAN, plan.as_toml())

    def remove(self, search: Search) -> None:
        """Forget a search and the documents that were uploaded for it; its report stays."""
        import shutil

        shutil.rmtree(self.home(search.name), ignore_errors=True)

    def home(self, name: str) -> Path:
        """The folder of a search, where its uploads lie, too."""
        if not NAME.fullmatch(name):
            raise GoneError("there is no such search any more; begin a new one")
        return self._folder / name

    def report_folder(self, search: Search) -> Path:
        """A new folder for the report, named after the search."""
        title = re.sub(r"[^\w.-]+", "-", search.title).strip("-.") or "search"
        return self._settings.home / "reports" / f"{title[:60]}-{search.name[:15]}"


def changed(search: Search, form: Mapping[str, Any]) -> Search:
    """The search with the values of a form; raises with all values that cannot be read.

    Fields ``own.NAME`` are the method's own options; an empty one means the default.
    """
    values: dict[str, Any] = {}
    faults: list[str] = []
    for one in dataclasses.fields(Search):
        if one.name in form and one.name not in ("name", "paths", "own", "job", "created"):
            try:
                values[one.name] = _read(one.name, one.type, str(form[one.name]).strip())
            except ValueError as fault:
                faults.append(f"{one.name}: {fault}")
    own = {key[4:]: str(value).strip() for key, value in form.items() if key.startswith("own.")}
    faults += [
        f"{name}: '{value}' has a comma or a sign that cannot be written; leave it out"
        for name, value in own.items()
        if "," in value or not value.isprintable()
    ]
    if own or "method" in form:
        # Options that stand beside another method's name are still those of the one before.
        is_same = values.get("method", search.method) == search.method
        values["own"] = {name: value for name, value in own.items() if value and is_same}
    if faults:
        raise PlanError(faults)
    return dataclasses.replace(search, **values)


def from_plan(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a search that a plan decides."""
    plan = Plan.from_dict(values)
    method, own = plan.method, options_of(type(plan.method))
    chosen = {name: getattr(plan, name) for name in ("threshold", "recall")}
    chosen |= {"measure": name_of("measure", plan.measure), "method": name_of("method", method)}
    chosen |= {name: getattr(method, name) for name in ("shingle", "offset", "unit") if name in own}
    if "image" in own:
        image = getattr(method, "image")  # noqa: B009 - not every method has one
        chosen |= {"image": name_of("image", image), "size": image.size}
    rest = {name: getattr(method, name) for name in own if name not in SHARED}
    changed = {n: v for n, v in rest.items() if v != own[n].default and n != "seed"}
    return chosen | {"own": {name: str(value) for name, value in changed.items()}}


def _search(entry: dict[str, Any] | None) -> Search | None:
    """A search from what `Searches.save` has written; None where it is something else."""
    paths = entry.get("paths") if entry else None
    if entry is None or not isinstance(paths, list) or not isinstance(entry.get("name"), str):
        return None
    known = {one.name for one in dataclasses.fields(Search)}
    chosen = {key: value for key, value in entry.items() if key in known}
    search = Search(**(chosen | {"paths": tuple(paths)}))
    usual = Search("")
    are_alike = all(_is_alike(getattr(search, name), getattr(usual, name)) for name in known)
    texts = (*search.paths, *search.own, *search.own.values()) if are_alike else (None,)
    return search if all(isinstance(text, str) for text in texts) else None


def _is_alike(value: object, usual: object) -> bool:
    """Whether a value is of the same kind as the usual one; a whole number may be a float."""
    if isinstance(usual, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is type(usual)


def _read(name: str, kind: Any, text: str) -> Any:
    if kind in ("int", "float"):
        try:
            return whole(text) if kind == "int" else decimal(text.replace(",", "."))
        except ValueError:
            told = "whole number" if kind == "int" else "number"
            raise ValueError(f"'{text[:60]}' is not a number; write a {told}") from None
    if not text.isprintable():
        raise ValueError(f"{text!r:.60} has a sign that cannot be written; leave it out")
    # A method with its options is no name: they have fields of their own, where paths are checked.
    if name in CHOICES and text not in CHOICES[name]():
        raise ValueError(f"'{text[:60]}' is not one of {', '.join(CHOICES[name]())}")
    return text
