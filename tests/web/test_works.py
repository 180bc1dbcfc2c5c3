"""Works on files: what a page sees of one stands still while the page is written."""

from __future__ import annotations

import threading
import time

import pytest

from twinset.web.faults import GoneError
from twinset.web.works import Tell, Work, Works


def ended(works: Works, name: str) -> Work:
    end = time.monotonic() + 20
    while not (work := works.find("a report", name)).is_over:
        assert time.monotonic() < end
        time.sleep(0.005)
    return work


def test_a_view_of_a_running_work_does_not_end_under_its_reader() -> None:
    go_on = threading.Event()

    def do(tell: Tell) -> str:
        tell(1, 2)
        assert go_on.wait(20)
        return "all of it"

    works = Works()
    name = works.start("a report", "move", do).name
    seen = works.find("a report", name)
    go_on.set()
    last = ended(works, name)
    assert (seen.is_over, seen.outcome) == (False, None)
    assert (last.is_over, last.outcome, last.fault) == (True, "all of it", "")


def test_a_fault_is_there_when_the_work_is_over() -> None:
    def do(_: Tell) -> str:
        raise OSError("no room is left")

    works = Works()
    last = ended(works, works.start("a report", "move", do).name)
    assert (last.outcome, last.fault) == (None, "no room is left")


def test_the_work_of_another_report_is_not_known() -> None:
    works = Works()
    name = works.start("a report", "move", lambda tell: "").name
    with pytest.raises(GoneError, match="does not know"):
        works.find("another report", name)
