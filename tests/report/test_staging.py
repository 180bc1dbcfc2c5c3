"""A report appears whole or not at all, whatever happens on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from twinset.errors import ReportError
from twinset.result import ensure_free, staged

# Where SIGINT is ignored by who started the tests (a job in the background), the child would
# inherit that and never hear it.
WRITER = """
import signal, sys, time
from twinset.result import staged
signal.signal(signal.SIGINT, signal.default_int_handler)
with staged(sys.argv[1], force=len(sys.argv) > 2) as place:
    (place / "pairs.parquet").write_text("half")
    print("ready", flush=True)
    time.sleep(60)
"""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def old_report(folder: Path) -> Path:
    folder.mkdir()
    (folder / "manifest.json").write_text('{"twinset": "0"}')
    return folder


def start_writer(target: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(target), *more]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    return writer


def stop(writer: subprocess.Popen[str], how: signal.Signals) -> None:
    writer.send_signal(how)
    writer.communicate(timeout=30)


def test_appears_only_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "report"
    with staged(target) as place:
        (place / "file").write_text("text")
        assert not target.exists()
    assert names(tmp_path) == {"report"}
    assert names(target) == {"file"}


def test_parents_are_made(tmp_path: Path) -> None:
    with staged(tmp_path / "a" / "b" / "report") as place:
        (place / "file").write_text("text")
    assert (tmp_path / "a" / "b" / "report" / "file").is_file()


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError(28, "No space left"), ValueError])
def test_a_fault_leaves_nothing(tmp_path: Path, fault: type[BaseException]) -> None:
    with pytest.raises((KeyboardInterrupt, OSError, ValueError)), staged(tmp_path / "report"):
        raise fault
    assert names(tmp_path) == set()


def test_a_fault_leaves_the_old_report(tmp_path: Path) -> None:
    target = old_report(tmp_path / "report")

    def write() -> None:
        with staged(target, force=True) as place:
            (place / "manifest.json").write_text("new")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write()
    assert (target / "manifest.json").read_text() == '{"twinset": "0"}'
    assert names(tmp_path) == {"report"}


def test_kill_leaves_a_recognisable_rest_that_the_next_run_clears(tmp_path: Path) -> None:
    target = tmp_path / "report"
    writer = start_writer(target)
    stop(writer, signal.SIGKILL)
    assert names(tmp_path) == {f".report.partial-{writer.pid}"}
    with staged(target):
        pass
    assert names(tmp_path) == {"report"}


def test_interrupt_leaves_nothing(tmp_path: Path) -> None:
    stop(start_writer(tmp_path / "report"), signal.SIGINT)
    assert names(tmp_path) == set()


def test_the_rest_of_a_living_run_is_not_cleared(tmp_path: Path) -> None:
    target = tmp_path / "report"
    writer = start_writer(target)
    try:
        with staged(target):
            assert f".report.partial-{writer.pid}" in names(tmp_path)
    finally:
        stop(writer, signal.SIGKILL)
    assert "report" in names(tmp_path)


def test_an_old_report_caught_in_replacement_comes_back(tmp_path: Path) -> None:
    target = tmp_path / "report"
    old_report(tmp_path / ".report.replaced-999999999")
    with pytest.raises(ReportError, match="exists already"), staged(target):
        pass
    assert names(tmp_path) == {"report"}


def test_existing_folder_is_refused_with_the_remedy(tmp_path: Path) -> None:
    target = old_report(tmp_path / "report")
    with pytest.raises(ReportError, match="--force"):
        ensure_free(target)
    with staged(target, force=True) as place:
        (place / "new").write_text("")
    assert names(target) == {"new"}
    assert names(tmp_path) == {"report"}


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    with staged(tmp_path / "report") as place:
        (place / "file").write_text("")
    assert names(tmp_path / "report") == {"file"}


def test_force_replaces_reports_only(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")
    with pytest.raises(ReportError, match="not a twinset report"):
        ensure_free(tmp_path / "precious", force=True)


def test_force_never_takes_the_input_away(tmp_path: Path) -> None:
    target = old_report(tmp_path / "clean")
    source = target / "kept.jsonl"
    source.write_text("{}")
    with pytest.raises(ReportError, match="input"):
        ensure_free(target, force=True, inputs=[str(source)])
    with pytest.raises(ReportError, match="input"):
        ensure_free(target, force=True, inputs=[str(target)])
    ensure_free(target, force=True, inputs=["-", str(tmp_path / "other.jsonl")])


def test_a_file_in_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("")
    with pytest.raises(ReportError, match="is a file"):
        ensure_free(tmp_path / "report")


def test_a_mount_point_is_reported() -> None:
    with pytest.raises(ReportError, match="mount point"):
        ensure_free("/")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_rights_is_reported_before_the_work(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ReportError, match="cannot write"):
            ensure_free(tmp_path / "report")
    finally:
        tmp_path.chmod(0o700)


def test_someone_elses_folder_made_meanwhile_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "report"

    def write() -> None:
        with staged(target):
            target.mkdir()
            (target / "file").write_text("theirs")

    with pytest.raises(ReportError, match="someone else"):
        write()
    assert names(tmp_path) == {"report"}
    assert (target / "file").read_text() == "theirs"
