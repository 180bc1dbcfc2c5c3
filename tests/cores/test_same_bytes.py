"""The report of a run does not depend on threads, memory, the size of batches or instructions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cores.corpora import written
from twinset.plan import Plan, Resources
from twinset.run import run
from twinset.run.opening import open_documents

KINDS = ("jsonl", "gzip", "zstd", "parquet", "files", "pages")
PLANS: dict[str, dict[str, Any]] = {
    "usual": {},
    "exact": {"exact": True, "threshold": 0.4},
    "crowds": {"dense": 4, "threshold": 0.6},
    "edit": {"verify": "edit"},
    "sample": {"image": "bottom", "threshold": 0.5},
    "lexical": {"method": "lexical", "threshold": 0.5},
    "simhash": {"method": "simhash"},
    "keys": {"method": "supershingles"},
    "closed": {"clusters": "closed", "k": 3, "image": "bottom:size=20"},
    "forms": {"forms": "stem"},
}
LEAST = 1 << 20  # bytes: nothing fits, everything is spilled


def report(folder: Path, inputs: Path, given: dict[str, Any], means: Resources) -> dict[str, bytes]:
    """The files of a report; of the manifest what is not measured."""
    plan = Plan.make(**given)
    documents, plan = open_documents(str(inputs), plan, means, must_be_read=False)
    findings = run(documents, plan, dedup=True, resources=means)
    findings.save(folder)
    return dict(contents(folder))


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Relative names and bytes of all files."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("report.html", "manifest.json"):
            yield str(path.relative_to(folder)), path.read_bytes()
    manifest = json.loads((folder / "manifest.json").read_text())
    for measured in ("timings", "peak_memory_mb", "threads", "created", "cpu_seconds"):
        manifest.pop(measured, None)
    yield "manifest.json", json.dumps(manifest, sort_keys=True).encode()


def compare(tmp_path: Path, inputs: Path, given: dict[str, Any], means: list[Resources]) -> None:
    first = report(tmp_path / "first", inputs, given, Resources(1, 1 << 33, str(tmp_path)))
    assert len(first) > 4
    for number, other in enumerate(means):
        again = report(tmp_path / str(number), inputs, given, other)
        assert again.keys() == first.keys()
        differing = [name for name in first if first[name] != again[name]]
        assert differing == [], f"{other.threads} threads, {other.memory} bytes"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input(tmp_path: Path, kind: str) -> None:
    inputs = written(tmp_path / "input", kind, seed=3, count=180)
    means = [Resources(2, 1 << 33, str(tmp_path)), Resources(3, LEAST, str(tmp_path))]
    compare(tmp_path, inputs, {}, [*means, Resources(16, LEAST, str(tmp_path))])


@pytest.mark.parametrize("name", PLANS)
def test_every_kind_of_search(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Batches of a few lines: many are on their way at a time.
    monkeypatch.setattr(Resources, "batch_bytes", property(lambda self: 5000 + 777 * self.threads))
    inputs = written(tmp_path / "input", "jsonl", seed=4, count=330)
    means = [Resources(threads, LEAST, str(tmp_path)) for threads in (1, 3, 16)]
    compare(tmp_path, inputs, PLANS[name], means)
