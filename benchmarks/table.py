"""The result of a race in print: the table, the ratios, and the machine it ran on."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import pages
from contenders import PACKAGES
from quality import Quality


@dataclass(frozen=True)
class Row:
    """The best run of a contender, with all its times; ``fault`` says why there is none."""

    name: str
    kind: str
    seconds: float = float("inf")
    cpu: float = 0.0
    peak_mb: float = 0.0
    runs: tuple[float, ...] = ()
    quality: Quality | None = None
    fault: str = ""

    @property
    def finished(self) -> bool:
        return not self.fault

    def as_json(self) -> dict[str, object]:
        told = asdict(self)
        return told if self.finished else told | dict.fromkeys(("seconds", "cpu", "peak_mb"))


def ratios(rows: list[Row]) -> dict[str, float | str]:
    """Our time and memory over those of the fastest peer that finished, and over the reading."""
    found: dict[str, float | str] = {}
    ours = next((row for row in rows if row.kind == "ours" and row.finished), None)
    if ours is None:
        return found
    peers = [row for row in rows if row.kind == "peer" and row.finished]
    if peers:
        fastest = min(peers, key=lambda row: row.seconds)
        found["fastest peer"] = fastest.name
        found["time / fastest peer"] = ours.seconds / fastest.seconds
        found["CPU / fastest peer"] = ours.cpu / fastest.cpu
        found["memory / leanest peer"] = ours.peak_mb / min(row.peak_mb for row in peers)
    for reader in (row for row in rows if row.kind == "reader" and row.finished):
        found["time / reading"] = ours.seconds / reader.seconds
    for exact in (row for row in rows if row.kind == "exact" and row.finished):
        found["exact / default"] = exact.seconds / ours.seconds
    return found


def markdown(rows: list[Row], told: dict[str, float | str]) -> str:
    """A table for the README and a line with the ratios."""
    parts = (f"{k} {v:.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in told.items())
    heads = ("", "seconds", "CPU seconds", "peak MB", "recall", "precision", "pairs")
    told_as = f"Ratios: {', '.join(parts)}."
    return f"{pages.table(heads, map(_cells, rows), '---:')}\n\n{told_as}"


def _cells(row: Row) -> list[str]:
    name = PACKAGES.get(row.name, row.name)
    if not row.finished:
        return [name, row.fault, *[""] * 5]
    cells = [name, f"{row.seconds:.2f}", f"{row.cpu:.2f}", f"{row.peak_mb:,.0f}"]
    quality = row.quality
    if quality is None:
        return [*cells, "", "", ""]
    known = (quality.recall, quality.precision) if quality.true else ()
    return [*cells, *([f"{share:.4f}" for share in known] or ["", ""]), f"{quality.found:,}"]


def machine() -> dict[str, str | int]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "system": platform.platform(),
        "python": platform.python_version(),
        "twinset": version("twinset"),
        "pyarrow": version("pyarrow"),
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
