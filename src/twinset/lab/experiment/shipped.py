"""The experiments that come with the package: those of the papers."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from twinset.errors import PlanError
from twinset.lab.experiment.description import (
    Description,
    parse_description,
    read_description,
)
from twinset.spec import suggestion

SUFFIX = ".toml"


def shipped_names() -> list[str]:
    """The names of all of them."""
    folder = files("twinset.lab.experiment") / "papers"
    if not folder.is_dir():
        return []
    listed = (Path(entry.name) for entry in folder.iterdir())
    return sorted(path.stem for path in listed if path.suffix == SUFFIX)


def shipped_text(name: str) -> str:
    """The TOML file of an experiment, as it is written."""
    if name not in shipped_names():
        raise PlanError([f"there is no experiment '{name}'; {suggestion(name, shipped_names())}"])
    file = files("twinset.lab.experiment") / "papers" / f"{name}{SUFFIX}"
    return file.read_text(encoding="utf-8")


def open_description(source: str | os.PathLike[str] | Description) -> Description:
    """The experiment of a name, or that of a TOML file."""
    if isinstance(source, Description):
        return source
    name = os.fspath(source)
    if isinstance(source, str) and name in shipped_names():
        return parse_description(shipped_text(name), name)
    if Path(name).suffix == SUFFIX or os.sep in name or Path(name).is_file():
        return read_description(name)
    known = suggestion(name, shipped_names())
    raise PlanError([f"there is no experiment '{name}', nor a file {name}{SUFFIX}; {known}"])
