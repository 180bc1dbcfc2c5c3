"""The figures of the presets, which ``twinset list presets`` prints.

    python benchmarks/judging.py --only-columns default,preset
    python benchmarks/presets.py [corpus.jsonl ...]

Quality is taken from the results of ``judging.py``, where *default* is what the preset ``training``
says. Each corpus that is named is searched with every preset, and CPU time and memory are noted;
not with ``files``, which is for folders and is measured by ``folders.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
JUDGED = HERE / "results" / "judging.json"
FIGURES = HERE.parent / "src" / "twinset" / "plan" / "preset_figures.json"
COLUMNS = {"text": "preset", "training": "default"}
QUALITY, SPEED = "python benchmarks/judging.py", "python benchmarks/presets.py c20k.jsonl"


def quality(rows: dict[str, Any], column: str) -> dict[str, Any]:
    """F1 of every collection that was judged, those of people and made ones apart."""
    lists: dict[str, Any] = {"command": QUALITY, "real": [], "made": []}
    for name, row in rows.items():
        if column in row:
            figures = {key: row[column][key] for key in ("precision", "recall", "f1")}
            kind = "real" if row["about"]["real"] else "made"
            lists[kind].append({"collection": name, **figures})
    return lists


def speed(corpus: Path, preset: str) -> dict[str, Any]:
    """One run in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report"
        command = [sys.executable, "-m", "twinset", "find", corpus, "-o", out, "--preset", preset]
        subprocess.run([*map(str, command), "-q"], check=True, stdout=subprocess.DEVNULL)
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    return {
        "documents": manifest["counts"]["documents"],
        "megabytes": round(os.path.getsize(corpus) / 1e6),
        "cpu_seconds": round(manifest["cpu_seconds"], 1),
        "peak_memory_mb": round(manifest["peak_memory_mb"]),
    }


def main(corpora: list[str]) -> None:
    """Write the figures; speeds of corpora that are not named stay as they are."""
    rows = json.loads(JUDGED.read_text("utf-8"))["rows"]
    figures = json.loads(FIGURES.read_text("utf-8"))["presets"]
    for preset in ("text", "training", "copies"):
        entry = figures.setdefault(preset, {})
        if preset in COLUMNS:
            entry["quality"] = quality(rows, COLUMNS[preset])
        if corpora:
            entry["speed"] = {"command": SPEED, "rows": [speed(Path(c), preset) for c in corpora]}
    FIGURES.write_text(json.dumps({"presets": figures}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
