"""Options as frozen dataclasses, checked once; a plan holds everything that decides a result.

`Resources` (threads, memory, a folder for temporary files) decide nothing but speed and space, and
so are not part of the plan.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, get_args

from twinset.bounded import PLAN_BYTES, read_regular
from twinset.errors import PlanError
from twinset.spec import split

# Part of Python from 3.11 on; before, a package of the same interface.
tomllib: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

Html = Literal["auto", "yes", "no"]
OnError = Literal["skip", "stop"]
Unit = Literal["word", "char"]
OWN_MEMORY = 300 << 20
"""What a run takes whatever it is given: Python and its libraries (100 MB), and the batches, tables
and sorting room without which nothing moves. A smaller ``memory`` could not be kept."""
CUT = ("bands", "rows")  # how a sketch is cut, where that is not solved for the recall
CLOSED = ("k", "t")  # what documents of a closed set share: a number, or a share of each


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What to take from the input: field names (dotted for nested ones) and how to treat it.

    A record larger than ``max_document_bytes`` is refused as a fault: it bounds the memory that one
    endless line can take. Where ``within`` names folders, nothing outside them is read, not even
    through a link, and nothing but regular files; this binds the files that a plan names, too.
    Where more than ``max_unread`` of the rows of record files cannot be read, a command ends with a
    fault.
    """

    id: str = "id"
    text: str = "text"
    html: Html = "auto"
    on_error: OnError = "skip"
    order: str | None = None
    max_document_bytes: int = 256 << 20
    within: tuple[str, ...] = ()
    max_unread: float = 0.5

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        found = []
        if self.html not in get_args(Html):
            found.append(f"html must be auto, yes or no, not '{self.html}'")
        if self.on_error not in get_args(OnError):
            found.append(f"on-error must be skip or stop, not '{self.on_error}'")
        if not 0 <= self.max_unread <= 1:
            found.append(f"max-unread must lie between 0 and 1, not {self.max_unread:g}")
        return found + [f"{n} must name a field" for n in ("id", "text") if not getattr(self, n)]


@dataclass(frozen=True, slots=True)
class Resources:
    """What a run may use; the result is the same whatever stands here.

    Files that the plan names (a model, word counts) must lie in one of ``within``, if any.
    """

    threads: int = 0
    memory: int = 2 << 30
    folder: str = ""
    within: tuple[str, ...] = ()

    @classmethod
    def make(cls, threads: int = 0, memory: int | str = 2 << 30, folder: str = "") -> Resources:
        """Fill in what is not given: all cores, and the system's folder for temporary files."""
        bytes_ = parse_bytes(memory) if isinstance(memory, str) else int(memory)
        if threads < 0:
            raise PlanError([f"threads must not be negative, as {threads} is"])
        if bytes_ < OWN_MEMORY:
            amount = memory if isinstance(memory, str) else f"of {memory:,} bytes"
            raise PlanError(
                [
                    f"memory {amount} is below what the program itself needs, "
                    f"{OWN_MEMORY >> 20}MB: give that or more"
                ]
            )
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return cls(threads or cores or 1, bytes_, folder or tempfile.gettempdir())

    @property
    def batch_bytes(self) -> int:
        """How much input a batch holds."""
        return min(max(self.memory // 64, 1 << 20), 16 << 20)


def parse_bytes(text: str) -> int:
    """``2GB``, ``500MB``, ``1.5g`` or a plain number of bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    if not match:
        raise PlanError([f"'{text}' is not an amount of memory: write 500MB or 2GB"])
    power = " kmgt".index(match[2]) if match[2] else 0
    return int(float(match[1]) * 1024**power)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a result: same input and same plan, same answer.

    ``method`` is a name or ``name:option=value,...``; ``shingle``, ``offset``, ``unit`` and
    ``image`` are handed to methods that take them. ``verify`` is ``none``, ``edit:0.8``,
    ``jaccard:0.8`` or another measure; without it a method checks its pairs as it is used to.
    ``statistics`` is a file of word counts to use in place of the collection's own.
    """

    method: str = "minhash"
    threshold: float = 0.8
    recall: float = 0.99
    measure: str = "jaccard"
    shingle: int = 5
    offset: int = 1
    unit: Unit = "word"
    image: str = "oph:size=128"
    clusters: str = "anchored"
    keep: str = "first"
    never_remove: str | None = None
    seed: int = 1
    dense: int = 1000
    max_pairs: int = 10_000_000
    verify: str | None = None
    statistics: str | None = None
    read: ReadOptions = field(default_factory=ReadOptions)

    @classmethod
    def make(
        cls, *, exact: bool = False, plan: str | os.PathLike[str] | None = None, **options: Any
    ) -> Plan:
        """A checked plan; options of reading (id, text, html, on_error) stand beside the others.

        So do ``k`` and ``t`` of closed sets, which become a part of ``clusters``. ``plan`` is a
        TOML file of options; those given beside it come first.
        """
        options = {key: value for key, value in options.items() if value is not None}
        if plan is not None:
            options = options_of(plan, options.get("within", ())) | options
        reading = {f.name for f in dataclasses.fields(ReadOptions)}
        known = {f.name for f in dataclasses.fields(cls)} | reading | set(CLOSED)
        unknown = sorted(set(options) - known)
        if unknown:
            raise PlanError(
                [
                    f"there is no option '{name}'; known: {', '.join(sorted(known))}"
                    for name in unknown
                ]
            )
        if exact:
            options.setdefault("method", "exact")
        keep = options.get("keep", "first")
        if ":" in keep:
            options.setdefault("order", keep.rpartition(":")[0])
        read = ReadOptions(**{key: options.pop(key) for key in reading & set(options)})
        sharing = {name: options.pop(name) for name in CLOSED if name in options}
        made = cls(**options, read=read)
        found = made.faults()
        if sharing:
            clusters, faults = with_sharing(made.clusters, sharing)
            made, found = dataclasses.replace(made, clusters=clusters), found + faults
        if "recall" in options:
            found += _recall_faults(made)
        if found:
            raise PlanError(found)
        return made

    def faults(self) -> list[str]:
        """What is wrong with this plan, as sentences, all of it at once."""
        found = self.read.faults()
        if self.threshold <= 0 or (self.threshold > 1 and self.measure != "overlap"):
            found.append(f"threshold must lie above 0 and not above 1, not {self.threshold:g}")
        if not 0 < self.recall < 1:
            found.append(
                f"recall must lie between 0 and 1, not {self.recall:g} (--exact misses nothing)"
            )
        for name, least in (
            ("shingle", 1),
            ("offset", 1),
            ("dense", 1),
            ("max_pairs", 0),
            ("seed", 0),
        ):
            value = getattr(self, name)
            if value < least:
                found.append(f"{name.replace('_', '-')} must be at least {least}, not {value}")
        if self.unit not in get_args(Unit):
            found.append(f"unit must be word or char, not '{self.unit}'")
        policy, colon, way = self.keep.rpartition(":")
        if colon and (way not in ("max", "min") or not policy):
            found.append(
                f"keep must be first, longest, shortest, FIELD:max or FIELD:min, not '{self.keep}'"
            )
        if not colon and self.keep not in ("first", "longest", "shortest"):
            found.append(
                f"keep must be first, longest, shortest, FIELD:max or FIELD:min, not '{self.keep}'"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the manifest and for files."""
        return dataclasses.asdict(self)

    def as_toml(self) -> str:
        """The options that differ from the defaults, as a file that `make` reads."""
        usual = Plan()
        told = [_line(self, usual, f.name) for f in dataclasses.fields(self) if f.name != "read"]
        reading = [_line(self.read, usual.read, f.name) for f in dataclasses.fields(self.read)]
        return "".join(line for line in [*told, *reading] if line)


def _recall_faults(plan: Plan) -> list[str]:
    """What is wrong with asking for a recall where the method's options decide on it."""
    _, written = split(plan.method)
    cut = [f"{key}={value}" for key, value in written if key in CUT and value != "0"]
    if not any(part.startswith("bands=") for part in cut):
        return []
    return [
        f"a recall of {plan.recall:g} cannot be asked for beside {' and '.join(cut)}, which decide "
        "on it: leave out --recall, or leave out bands and rows to have them solved"
    ]


def _line(options: Any, usual: Any, name: str) -> str:
    value = getattr(options, name)
    # JSON's strings and numbers are TOML's too.
    return f"{name} = {json.dumps(value)}\n" if value != getattr(usual, name) else ""


def options_of(path: str | os.PathLike[str], within: Sequence[str] = ()) -> dict[str, Any]:
    """The options in a TOML file, which must lie in one of the folders ``within`` if any."""
    try:
        told: dict[str, Any] = tomllib.loads(read_regular(path, PLAN_BYTES, within).decode())
    except OSError as fault:
        raise PlanError([f"cannot read the plan {os.fspath(path)}: {fault.strerror}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise PlanError([f"{os.fspath(path)} is not a plan in TOML: {fault}"]) from None
    wrong = [f"{os.fspath(path)}: {fault}" for fault in _kind_faults(told)]
    if wrong:
        raise PlanError(wrong)
    return told


def _kind_faults(told: dict[str, Any]) -> list[str]:
    """Values of another kind than the default's; names are checked with the other options."""
    usual = {**dataclasses.asdict(Plan()), **dataclasses.asdict(ReadOptions()), "k": 1, "t": 1.0}
    found = []
    for name, value in told.items():
        if name == "read" or isinstance(value, dict | list):
            found.append(f"{name} must be no table: write every option on a line of its own")
            continue
        if name not in usual:
            continue
        like = usual[name]
        if isinstance(like, float) and type(value) in (int, float):
            continue
        kind = "" if like is None else like
        if type(value) is not type(kind):
            found.append(f"{name} must be {_KINDS[type(kind)]}, not {value!r}")
    return found


_KINDS = {str: "a text in quotes", int: "a whole number", float: "a number", bool: "true or false"}


def with_sharing(clusters: str, sharing: dict[str, Any]) -> tuple[str, list[str]]:
    """The kind of clusters with the options k and t written into it, and what is wrong with them.

    Their values are checked with the other options of the kind.
    """
    kind, _, inside = clusters.partition(":")
    written = [f"{name}={value}" for name, value in sharing.items()]
    if kind != "closed":
        asked = " and ".join(written)
        return clusters, [f"{asked} is for closed sets, not for {kind}: add --clusters closed"]
    parts = [part for part in inside.split(",") if part]
    told = [part for part in parts if part.partition("=")[0].strip() in CLOSED] + written
    if len(told) > 1:
        return clusters, [
            f"closed sets take one of k and t, not {' and '.join(told)}: k is a number of shared "
            "features, t a share of each document's"
        ]
    return f"closed:{','.join(parts + written)}", []
