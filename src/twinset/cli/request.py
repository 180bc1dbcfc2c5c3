"""What ``find`` and ``dedup`` were asked for, whichever engine answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twinset.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from twinset.cli.options import OutputOptions, ReportTarget


@dataclass(frozen=True)
class RunRequest:
    """A command line that was parsed.

    ``options`` are those of the library that were given, ``form`` how documents are written.
    """

    name: str
    inputs: list[str]
    target: ReportTarget
    output: OutputOptions
    options: dict[str, Any]
    form: dict[str, Any]
