"""Parts that do not belong to a run are not used, and a sentence says why and what to do."""

from __future__ import annotations

import errno
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import twinset
from tests.resuming.conftest import documents, lines, pages
from twinset.errors import PartsWarning, PlanError, ReportError
from twinset.run import parts
from twinset.run.parts import PartsFolder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.jsonl").write_bytes(lines(documents(1, 30)))
    (tmp_path / "b.jsonl").write_bytes(lines(documents(2, 30)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


INPUTS = [Path("a.jsonl"), Path("b.jsonl")]


def find(**options: Any) -> Any:
    return twinset.find(INPUTS, **{"resume": "report.parts", "threads": 1, **options})


def left_by_a_run(**options: Any) -> None:
    """Parts of a run whose findings were never saved."""
    find(**options)


def test_findings_that_are_not_saved_leave_parts_and_those_that_are_do_not(place: Path) -> None:
    findings = find()
    assert sorted(os.listdir("report.parts")) == [
        "pairs-000001.part",
        "read-000001.part",
        "run.json",
    ]
    findings.save("report")
    assert sorted(os.listdir()) == ["a.jsonl", "b.jsonl", "report"]


def test_what_is_done_is_not_done_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = find()
    tables = first.documents, first.pairs, first.clusters
    del first
    from twinset.reading.jsonl import JsonLines

    def never(*args: Any) -> Any:
        raise AssertionError("it is done already")

    monkeypatch.setattr(JsonLines, "read", never)
    monkeypatch.setattr("twinset._kernels.verified_pairs", never)
    again = find()
    assert (again.documents, again.pairs, again.clusters) == tables


@pytest.mark.parametrize("threads", [1, 3])
def test_pages_with_faults_around_them_are_not_read_again(
    place: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr("twinset.plan.Resources.batch_bytes", 2000)
    monkeypatch.setattr("twinset.run.resuming.MOST_BYTES", 3000)
    broken = b"not JSON\n" * 300
    (place / "b.jsonl").write_bytes(broken + lines(pages(documents(4, 40))) + broken)
    first = find(threads=threads)
    tables = first.documents, first.pairs, first.clusters
    facts = first.manifest["faults"], first.manifest["counts"]
    del first
    from twinset.reading.jsonl import JsonLines

    def never(*args: Any) -> Any:
        raise AssertionError("it is done already")

    monkeypatch.setattr(JsonLines, "read", never)
    again = find(threads=threads)
    assert (again.documents, again.pairs, again.clusters) == tables
    assert (again.manifest["faults"], again.manifest["counts"]) == facts


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"threshold": 0.7}, "threshold was 0.8 and is 0.7"),
        ({"text": "body"}, "text was text and is body"),
        ({"method": "md5"}, "method was minhash"),
    ],
)
def test_another_plan_is_refused(place: Path, change: dict[str, Any], words: str) -> None:
    left_by_a_run()
    with pytest.raises(ReportError, match=re.escape(words) + ".*remove the folder"):
        find(**change)


def test_changed_inputs_are_refused(place: Path) -> None:
    left_by_a_run()
    with (place / "b.jsonl").open("ab") as file:
        file.write(b'{"text": "more"}\n')
    with pytest.raises(ReportError, match=r"b\.jsonl: bytes was \d+ and is \d+"):
        find()
    with pytest.raises(ReportError, match=r"b\.jsonl is missing"):
        twinset.find(INPUTS[:1], resume="report.parts")
    os.utime("a.jsonl", ns=(1, 1))
    with pytest.raises(ReportError, match=r"a\.jsonl: modified was \d+ and is 1;"):
        find()


def test_another_version_and_command_are_refused(place: Path) -> None:
    left_by_a_run()
    with pytest.raises(ReportError, match="command was find and is dedup"):
        twinset.dedup(INPUTS, resume="report.parts", threads=1)
    run = json.loads(Path("report.parts/run.json").read_text())
    Path("report.parts/run.json").write_text(json.dumps(run | {"twinset": "0.0.1"}))
    with pytest.raises(ReportError, match=r"twinset was 0\.0\.1 and is"):
        find()


def test_force_begins_again(place: Path) -> None:
    left_by_a_run()
    findings = find(resume=PartsFolder("report.parts", force=True), threshold=0.7)
    assert findings.manifest["plan"]["threshold"] == 0.7


def test_two_runs_at_once_are_refused(place: Path) -> None:
    first = find()
    with pytest.raises(ReportError, match="another run keeps its parts in"):
        find()
    first.save("report")


def test_a_folder_of_something_else_is_left_alone(place: Path) -> None:
    Path("report.parts").mkdir()
    Path("report.parts/letter.txt").write_text("mine")
    with pytest.raises(ReportError, match="holds something else"):
        find()
    assert os.listdir("report.parts") == ["letter.txt"]


def test_what_cannot_be_read_again_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlanError, match="what is in memory is gone"):
        twinset.find(["one text", "another"], resume="report.parts")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "words"}\n')))
    with pytest.raises(PlanError, match="resume cannot read standard input again"):
        twinset.find("-", resume="report.parts")


def test_a_full_disk_costs_the_parts_and_not_the_run(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(content: bytes) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(parts, "_digest_of", full)
    with pytest.warns(PartsWarning, match=r"cannot keep more parts in .*No space left") as said:
        findings = find()
    assert len([each for each in said if each.category is PartsWarning]) == 1
    assert findings.documents.num_rows == 60
    assert not [name for name in os.listdir("report.parts") if name.endswith(".part")]


def test_the_command_says_where_it_goes_on(place: Path, twinset_command: Any) -> None:
    left_by_a_run()
    Path("report.parts/pairs-000001.part").unlink()
    result = twinset_command(
        "find", *map(str, INPUTS), "-o", "report", "--resume", "--threads", "1"
    )
    assert result.returncode == 0, result.stderr
    assert "going on at part 2: 100% was read before" in result.stderr
    assert not Path("report.parts").exists()


@pytest.mark.parametrize("out", ["-", "s3://bucket/report"])
def test_a_report_without_a_folder_here_has_no_place_for_parts(
    place: Path, twinset_command: Any, out: str
) -> None:
    result = twinset_command("dedup", "a.jsonl", "-o", out, "--resume")
    assert result.returncode == 2
    assert "resume keeps parts in a folder beside the report" in result.stderr


def test_a_run_that_has_ended_says_so(place: Path, twinset_command: Any) -> None:
    command = ["dedup", "a.jsonl", "b.jsonl", "-o", "report", "--resume", "-q"]
    assert twinset_command(*command).returncode == 0
    before = (place / "report" / "manifest.json").stat().st_mtime_ns
    done = twinset_command(*command)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("report is complete, there is nothing to resume")
    for other in (["--threshold", "0.5"], ["--keep", "longest"]):
        assert "exists already" in twinset_command(*command, *other).stderr
    assert "exists already" in twinset_command("find", *command[1:]).stderr
    with (place / "a.jsonl").open("ab") as file:
        file.write(lines(documents(3, 1)))
    assert "exists already" in twinset_command(*command).stderr
    assert (place / "report" / "manifest.json").stat().st_mtime_ns == before
