"""A report that replaces another: whatever step a kill comes at, one of the two is whole."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import twinset
from tests.report import synthetic
from tests.report.test_staging import names
from twinset.errors import ReportError
from twinset.result import ensure_free, read, staged, staging, write
from twinset.review import Journal
from twinset.system.renames import exchange

# For each line of the replacement a process of its own, killed before that line is run.
KILLER = """
import os, shutil, signal, sys
from pathlib import Path
from twinset.result import staging

old, new, place, mode = sys.argv[1:]
if mode == "steps":
    staging.exchange = lambda first, second: False

def replace(target, fatal):
    lines = 0
    def count(frame, event, argument):
        nonlocal lines
        if frame.f_code.co_filename != staging.__file__:
            return None
        if event == "line":
            lines += 1
            if lines == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return count
    with staging.staged(target, force=True) as draft:
        shutil.copytree(new, draft, dirs_exist_ok=True)
        sys.settrace(count)
    sys.settrace(None)

for step in range(1, 1000):
    target = Path(place, str(step), "report")
    shutil.copytree(old, target)
    child = os.fork()
    if not child:
        replace(target, step)
        os._exit(0)
    if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        break
print(step)
"""


@pytest.fixture(scope="module")
def two_reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An older report with a decision, and one to replace it, told apart by their sizes."""
    place = tmp_path_factory.mktemp("reports")
    write(synthetic.make(groups=2, singles=3), place / "old")
    (place / "old" / "decisions.jsonl").write_text('{"verdict": "not"}\n')
    write(synthetic.make(groups=2, singles=30), place / "new")
    return place


def killed_at_each_step(reports: Path, place: Path, mode: str) -> list[Path]:
    command = [sys.executable, "-c", KILLER, str(reports / "old"), str(reports / "new")]
    done = subprocess.run(
        [*command, str(place), mode], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    steps = int(done.stdout)
    assert steps > 20, "the kills must reach all of the replacement"
    return [place / str(step) / "report" for step in range(1, steps + 1)]


def sizes(reports: Path) -> set[int]:
    return {read(reports / name).documents.num_rows for name in ("old", "new")}


def test_an_exchange_leaves_a_whole_report_under_its_name(
    two_reports: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    if not exchange(tmp_path / "one", tmp_path / "two"):
        pytest.skip("this file system cannot exchange two names")
    seen = set()
    for target in killed_at_each_step(two_reports, tmp_path, "exchange"):
        assert (target / "manifest.json").is_file(), target  # before anybody mends anything
        seen.add(read(target).documents.num_rows)
        assert (target / "decisions.jsonl").is_file()
        ensure_free(target, force=True)
        assert names(target.parent) == {"report"}
    assert seen == sizes(two_reports)


def test_without_an_exchange_the_next_reader_or_run_finds_a_whole_report(
    two_reports: Path, tmp_path: Path
) -> None:
    seen, missing = set(), 0
    for number, target in enumerate(killed_at_each_step(two_reports, tmp_path, "steps")):
        missing += not target.exists()
        if number % 2:
            with pytest.raises(ReportError, match="exists already"), staged(target):
                pass
            assert names(target.parent) == {"report"}
        seen.add(read(target).documents.num_rows)
        assert (target / "decisions.jsonl").is_file()
        ensure_free(target, force=True)
        assert names(target.parent) == {"report"}
    assert seen == sizes(two_reports)
    assert missing, "a kill between the two renames must be among the steps"


def test_an_interrupt_between_the_renames_puts_the_old_report_back(
    two_reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = write(synthetic.make(groups=2, singles=3), tmp_path / "report")
    monkeypatch.setattr("twinset.result.staging.exchange", lambda first, second: False)
    renamed: list[Path] = []
    rename = Path.rename

    def interrupted(self: Path, name: Path) -> Path:
        if len(renamed) == 1:
            renamed.append(self)
            raise KeyboardInterrupt
        renamed.append(self)
        return rename(self, name)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(synthetic.make(groups=2, singles=30), target, force=True)
    assert names(tmp_path) == {"report"}
    assert read(target).documents.num_rows in sizes(two_reports)


@pytest.mark.parametrize("earlier", [0, 1])
def test_a_decision_made_during_the_replacement_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: int
) -> None:
    target = write(synthetic.make(groups=2, singles=3), tmp_path / "report")
    for _ in range(earlier):
        Journal(target).add(["a", "b"], "not")
    writer = threading.Thread(target=lambda: Journal(target).add(["c", "d"], "duplicate"))

    def interrupted(first: Path, second: Path) -> bool:
        writer.start()
        writer.join(1)  # with an earlier decision it waits until the new report is in place
        return exchange(first, second)

    monkeypatch.setattr(staging, "exchange", interrupted)
    write(synthetic.make(groups=2, singles=30), target, force=True)
    writer.join(10)
    decisions = Journal(target).read().standing
    assert [d.ids for d in decisions] == [("a", "b"), ("c", "d")][1 - earlier :]


def test_a_report_is_for_its_owner_unless_the_one_before_is_for_others(tmp_path: Path) -> None:
    def modes() -> set[int]:
        return {path.stat().st_mode & 0o777 for path in target.rglob("*") if path.is_file()}

    target = tmp_path / "report"
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "words"}\n')
    findings = twinset.dedup(tmp_path / "in.jsonl")
    findings.save(target)
    assert (target.stat().st_mode & 0o777, modes()) == (0o700, {0o600})
    assert (target / "kept.jsonl").is_file()
    Journal(target).add(["a", "b"], "not")
    assert modes() == {0o600}
    target.chmod(0o750)
    findings.save(target, force=True)
    assert (target.stat().st_mode & 0o777, modes()) == (0o750, {0o640, 0o600})
    assert (target / "decisions.jsonl").stat().st_mode & 0o777 == 0o600
