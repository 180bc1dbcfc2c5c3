"""A disk that fills up in the middle: one sentence, nothing half-written, nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disks import disk_of

COLLECTION = Path(__file__).parents[2] / "examples" / "collection"


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system of 48 kB, or another size."""
    with disk_of(getattr(request, "param", "48k"), tmp_path) as place:
        yield place


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from twinset.cli import main; main()", *arguments]
    environment = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    "command",
    [
        ["dedup", COLLECTION],
        ["spans", COLLECTION / "licenses.jsonl", "--least", "10", "--remove"],
        ["reuse", COLLECTION, COLLECTION],
    ],
    ids=["dedup", "spans", "reuse"],
)
def test_no_room_for_the_report(small_disk: Path, command: list[str | Path]) -> None:
    done = run(*map(str, command), "-o", str(small_disk / "report"))
    assert done.returncode == 1
    assert "full" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(small_disk.iterdir()) == []


def test_no_room_for_temporary_files(small_disk: Path, tmp_path: Path) -> None:
    output = tmp_path / "report"
    done = run("find", str(COLLECTION), "-o", str(output), TMPDIR=str(small_disk))
    assert done.returncode == 1
    assert "full" in done.stderr
    assert "Traceback" not in done.stderr
    assert not output.exists()


@pytest.mark.parametrize("small_disk", ["2m"], indirect=True)
@pytest.mark.parametrize("how", [[], ["--dedup"]])
def test_what_an_index_has_taken_in_stays(small_disk: Path, tmp_path: Path, how: list[str]) -> None:
    index, corpus = str(small_disk / "index"), tmp_path / "corpus.jsonl"
    rows = ({"id": str(number), "text": os.urandom(300).hex(" ")} for number in range(6000))
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert run("index", "create", index).returncode == 0
    done = run("index", "add", index, str(corpus), "-q", *how)
    assert done.returncode == 1
    assert "disk is full" in done.stderr
    assert "nothing was written" not in done.stderr
    assert "as it was before" not in done.stderr
    told = json.loads(run("index", "info", index, "--json").stdout)
    assert told["documents"] >= (1000 if how else 0)
    assert run("index", "check", index).stdout.endswith("is whole\n")
