"""The errors a user can meet. Each message states the fault, the value and the remedy."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Sequence

# The optional packages: what each extra brings, with the least version that will do. pyproject.toml
# says the same for installers; a test holds the two together. A remedy names these packages
# themselves, never an extra of ours: no package of our name need be what we wrote.
EXTRAS: dict[str, tuple[str, ...]] = {
    "mine": ("pyfim>=6.28",),
    "ui": (
        "fastapi>=0.133",
        "starlette>=1.3.1",
        "uvicorn>=0.29",
        "h11>=0.16",
        "python-multipart>=0.0.31",
    ),
    "service": (
        "fastapi>=0.133",
        "starlette>=1.3.1",
        "uvicorn>=0.29",
        "h11>=0.16",
        "httptools>=0.6.1",
        "uvloop>=0.19",
        "prometheus-client>=0.22",
    ),
    "pdf": ("pypdfium2>=5.4",),
    "office": ("python-calamine>=0.4",),
    "learn": ("scikit-learn>=1.5",),
    "stem": ("PyStemmer>=2.2",),
    "lemma": ("pymorphy3>=2.0", "pymorphy3-dicts-ru>=2.4", "simplemma>=1.1"),
    "remote": ("fsspec>=2024.2", "aiohttp>=3.13.3"),
    "s3": ("s3fs>=2024.2",),
    "hf": ("huggingface_hub>=0.23",),
    "spark": ("pyspark>=3.5",),
    "postgres": ("psycopg>=3.1", "psycopg-binary>=3.1"),
}


MOST_NAMES = 10_000
"""Names of a folder that are compared with that of a missing file."""


def remedy(extra: str) -> str:
    """The command that installs what an extra brings."""
    return " ".join(["pip install", *(f"'{package}'" for package in EXTRAS[extra])])


def nearest(name: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """The known name that a misspelt one is most like, whatever its case; None where none is.

    ``least`` is the share of the letters that the two have in common in their order.
    """
    from difflib import get_close_matches  # only where something is wrong

    names: dict[str, str] = {}
    for each in known:
        names.setdefault(_folded(each), each)
    folded = _folded(name)
    close = get_close_matches(folded, names, 1, least) or [
        each for each in names if each and (folded.startswith(each) or each.startswith(folded))
    ]
    return names[close[0]] if close and folded else None


def did_you_mean(name: str, known: Iterable[str], *, form: str = "'{}'") -> str:
    """The question whether the nearest name was meant, and a blank; empty where none is near.

    ``form`` is how the name is written: ``--{}`` for an option.
    """
    near = nearest(name, known)
    return "" if near is None else f"did you mean {form.format(near)}? "


_MOST_NAMED = 12
_LONGEST_NAME = 60


def some_of(names: Sequence[str]) -> str:
    """The first of some names for a message, and how many more there are; a table may have many."""
    shown = [
        name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
        for name in names[:_MOST_NAMED]
    ]
    more = len(names) - len(shown)
    return ", ".join([*shown, *([f"and {more:,} more"] if more else [])]) or "none"


def warn(message: str, category: type[Warning]) -> None:
    """A warning that points at the first line outside the package: that of whoever called us."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == "twinset" or module.startswith("twinset.")


def _folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-")


class TwinsetError(Exception):
    """Any fault that is not a bug in twinset; the command line prints it without a traceback."""


class PlanError(TwinsetError):
    """Options that do not fit; ``faults`` lists all of them, not only the first."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


class ReadError(TwinsetError):
    """An input that cannot be read, with the file and, where known, the line."""

    def __init__(self, source: str, line: int | None, fault: str) -> None:
        self.source, self.line, self.fault = source, line, fault
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {fault}")


class MissingFileError(ReadError):
    """A file or folder that was named and is not there: a mistake in the call, not in the data.

    Unless ``bounded`` to some folders, whoever named it may learn what lies beside it.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        kind: str = "file",
        remedy: str = "check the path",
        *,
        bounded: bool = False,
    ) -> None:
        meant = "" if bounded else beside(os.fspath(path))
        super().__init__(os.fspath(path), None, f"there is no such {kind}; {meant}{remedy}")


def beside(path: str) -> str:
    """The question whether the file or folder beside a missing one was meant, by their names."""
    folder, name = os.path.split(path.rstrip(os.sep))
    try:
        names = [name for name in os.listdir(folder or os.curdir)[:MOST_NAMES] if name[0] != "."]
    except (OSError, ValueError):
        return ""
    # Names are compared without their suffixes, of which the files of a folder share a few.
    near = nearest(name, sorted(names), 0.7)
    if near is None or nearest(name.split(".")[0], [near.split(".")[0]], 0.7) is None:
        return ""
    return f"did you mean '{os.path.join(folder, near)}'? "


class ReportError(TwinsetError):
    """A report folder that cannot be written or read."""


class MissingReportError(ReportError):
    """A report or the folder of an index that was named and is not there."""


class MissingExtraError(TwinsetError):
    """An optional package that is not installed, with the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: {remedy(extra)}")


class ModelError(TwinsetError):
    """A model file that cannot be used."""


class UnusedOption(UserWarning):
    """An option that says nothing to the chosen method; the run goes on without it."""


class PartsWarning(UnusedOption):
    """Parts of a run that cannot be kept; the run goes on without them."""


class MemoryWarning(UnusedOption):
    """A collection that takes more memory than was asked for; the run goes on."""


class Stopped(BaseException):
    """Work that was ended on request, by a signal or a `StopFlag`.

    Like ``KeyboardInterrupt`` it is no ``Exception``: what takes faults for results must not go on.
    """
