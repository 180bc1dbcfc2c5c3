"""What libraries say reaches the user as notes: once, with what it means, at the end."""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Twinset
from twinset import api
from twinset.cli.faults import MOST_NOTES, in_notes
from twinset.errors import UnusedOption

SAID = [f"the file number {number} was cut\nshort" for number in range(40)]


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library in the middle of a run that logs for each file and warns."""
    run_plan = api.run_plan

    def with_lines(*args: Any, **options: Any) -> Any:
        for line in SAID:
            logging.getLogger("botocore.retries").warning(line)
        warnings.warn_explicit(
            "the solver failed to converge " + 300 * "x",
            RuntimeWarning,
            "/usr/lib/site-packages/sklearn/svm.py",
            1,
        )
        return run_plan(*args, **options)

    monkeypatch.setattr(api, "run_plan", with_lines)


@pytest.mark.usefixtures("talkative")
def test_each_line_is_said_once_with_what_it_means(twinset: Twinset, corpus: Path) -> None:
    done = twinset("find", corpus, "-o", "out", "-q")
    assert done.returncode == 0
    first, second = done.stderr.splitlines()
    assert first == (
        "twinset: note: the work went on (botocore said 40 times: the file number 0 was cut short)"
    )
    assert second.startswith(
        "twinset: note: the work went on (sklearn said: RuntimeWarning: the solver failed"
    )
    assert second.endswith("x…)")


@pytest.mark.usefixtures("talkative")
def test_verbose_gives_the_words_in_full(twinset: Twinset, corpus: Path) -> None:
    done = twinset("find", corpus, "-o", "out", "-q", "--verbose")
    assert 300 * "x" + ")" in done.stderr
    brief = twinset("find", corpus, "-o", "again", "-q")
    assert 300 * "x" not in brief.stderr


def test_notes_come_before_a_fault(
    twinset: Twinset, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: Any, **options: Any) -> None:
        logging.getLogger("asyncio").error("Unclosed client session")
        raise OSError(5, "Input/output error", "s3://bucket/corpus.jsonl")

    monkeypatch.setattr(api, "run_plan", fails)
    done = twinset("find", corpus, "-o", "out", "-q")
    assert done.returncode == 1
    note, fault = done.stderr.splitlines()
    assert note.startswith("twinset: note: the work went on (")
    assert fault == "twinset: s3://bucket/corpus.jsonl: input/output error"


def test_many_notes_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    hook = sys.unraisablehook
    with in_notes(), in_notes():  # the command line is inside of the process
        for letter in "abcdefgh":
            logging.getLogger("fsspec").warning(letter)
        warnings.warn("no use", UnusedOption, stacklevel=1)
        logging.getLogger("twinset.web").error("ours at once")
        assert capsys.readouterr().err == "twinset: note: no use\nours at once\n"
    said = capsys.readouterr().err.splitlines()
    assert len(said) == MOST_NOTES + 1
    assert said[-1] == "twinset: note: 3 more of this kind; --verbose says all of them"
    assert sys.unraisablehook is hook
    assert not logging.getLogger().filters
