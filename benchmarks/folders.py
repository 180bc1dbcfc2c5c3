"""What can go in folders of a person: twinset beside the tools that such a person uses today.

    python benchmarks/folders.py [--seeds 1 2 3] [--out FILE]

Folders are made from seeds (``tests/folders``), and the truth is how their files came to be. Each
tool proposes what to remove at its defaults: twinset by ``find --preset files`` and ``clean``, and
by ``dedup``; dupeGuru (Debian's package, where it is installed) by contents and by file name; and
equal bytes, which is what czkawka's search for duplicates compares by its documentation, with its
choice "all except oldest". Counted are copies that are proposed, groups whose right file stays,
older versions that are proposed, and files that are proposed wrongly.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.folders.maker import make_folder  # noqa: E402
from tests.folders.truth import Score, score  # noqa: E402

import pages  # noqa: E402

RESULTS = HERE / "results" / "folders.json"
SYSTEM_PYTHON = "/usr/bin/python3"
Proposal = dict[str, str]
"""Each file to remove, with the one that is kept."""


def proposed_by_clean(folder: Path) -> Proposal:
    """The proposal of the page and of ``twinset clean``."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report"
        _twinset("find", str(folder), "--preset", "files", "-o", str(report), "-q")
        _twinset("clean", str(report), "--csv", str(Path(scratch) / "proposal.csv"), "-q")
        with (Path(scratch) / "proposal.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    return {_below(folder, row["path"]): _below(folder, row["keeper"]) for row in rows}


def removed_by_dedup(folder: Path) -> Proposal:
    """What ``twinset dedup`` would leave out, without any option."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "clean"
        _twinset("dedup", str(folder), "-o", str(out), "-q")
        rows = pq.read_table(out / "documents.parquet").to_pylist()
    return {row["id"]: row["kept_as"] for row in rows if row["kept_as"] is not None}


def equal_bytes(folder: Path) -> Proposal:
    """All but the oldest of the files with equal bytes."""
    by_digest: dict[bytes, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            by_digest.setdefault(hashlib.blake2b(path.read_bytes()).digest(), []).append(path)
    proposal: Proposal = {}
    for paths in by_digest.values():
        oldest, *others = sorted(paths, key=lambda path: path.stat().st_mtime)
        kept = oldest.relative_to(folder).as_posix()
        proposal |= {path.relative_to(folder).as_posix(): kept for path in others}
    return proposal


def dupeguru(kind: str) -> Callable[[Path], Proposal]:
    """What dupeGuru marks, by contents or by file name."""

    def proposal(folder: Path) -> Proposal:
        command = [SYSTEM_PYTHON, str(HERE / "dupeguru_scan.py"), str(folder), kind]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return dict(json.loads(done.stdout))

    return proposal


TOOLS: dict[str, Callable[[Path], Proposal]] = {
    "twinset clean": proposed_by_clean,
    "twinset dedup": removed_by_dedup,
    "equal bytes (czkawka)": equal_bytes,
    "dupeGuru, contents": dupeguru("contents"),
    "dupeGuru, file names": dupeguru("filename"),
}


def measured(seeds: list[int]) -> dict[str, Any]:
    """The figures of each tool over the folders of all seeds."""
    totals = {name: Score() for name in TOOLS}
    files = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "folder"
            truth = make_folder(folder, seed)
            files += len(truth.files)
            for name in list(totals):
                try:
                    totals[name].add(score(truth, TOOLS[name](folder)))
                except (OSError, subprocess.CalledProcessError) as fault:
                    print(f"{name} cannot run: {fault}", file=sys.stderr)
                    del totals[name]
    rows = {name: figures(total) for name, total in totals.items()}
    return {"files": files, "seeds": seeds, "tools": rows}


def figures(result: Score) -> dict[str, Any]:
    """A score as plain numbers, with the first few faults."""
    return {
        "copies": result.copies,
        "proposed": result.proposed,
        "groups": result.groups,
        "right_keepers": result.right_keepers,
        "versions": result.versions,
        "proposed_versions": result.proposed_versions,
        "wrong": len(result.wrong),
        "examples": {name: getattr(result, name)[:5] for name in ("wrong", "missed", "misjudged")},
    }


def _twinset(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "twinset", *words], check=True, capture_output=True, text=True
    )
    return done.stdout


def _below(folder: Path, path: str) -> str:
    return Path(path).resolve().relative_to(folder.resolve()).as_posix()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    result = measured(chosen.seeds)
    heads = ("", "copies proposed", "right file stays", "wrongly proposed", "older versions")
    rows = [
        [
            name,
            f"{row['proposed']} of {row['copies']}",
            f"{row['right_keepers']} of {row['groups']}",
            str(row["wrong"]),
            f"{row['proposed_versions']} of {row['versions']}",
        ]
        for name, row in result["tools"].items()
    ]
    print(pages.table(heads, rows))
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    chosen.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
