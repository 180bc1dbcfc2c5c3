"""Moves of files: what a page sees of one, how it ends, and that it can be cancelled."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from twinset.errors import PlanError
from twinset.web.jobs import Move, Moves, State, Tell
from twinset.web.render import GoneError


def ended(move: Move) -> State:
    end = time.monotonic() + 20
    while not (state := move.state()).is_over:
        assert time.monotonic() < end
        time.sleep(0.005)
    return state


def test_a_move_tells_how_far_it_is_and_can_be_cancelled() -> None:
    told, go_on = threading.Event(), threading.Event()

    def do(tell: Tell) -> str:
        tell(1, 2, Path("/a/lease.docx"))
        told.set()
        assert go_on.wait(20)
        tell(2, 2, Path("/a/last.docx"))
        return "all of it"

    moves = Moves()
    for is_cancelled in (False, True):
        told.clear()
        go_on.clear()
        move = moves.start(Move("a report", "move"), do)
        assert told.wait(20)
        seen = move.state()
        with pytest.raises(PlanError, match="are being moved already"):
            moves.start(Move("a report", "move"), do)
        if is_cancelled:
            move.cancel()
        go_on.set()
        assert ended(move).status == ("cancelled" if is_cancelled else "done")
        assert move.outcome == (None if is_cancelled else "all of it")
        assert not seen.is_over, "a page that is being written sees one moment"
        assert (seen.stages[0].share, seen.stages[0].at) == (0.5, "lease.docx")
    assert moves.find("a report", move.name) is move
    with pytest.raises(GoneError, match="does not know"):
        moves.find("another report", move.name)


def test_a_fault_is_there_when_the_move_is_over() -> None:
    def do(_: Tell) -> str:
        raise OSError("no room is left")

    last = ended(Moves().start(Move("a report", "move"), do))
    assert (last.status, last.said) == ("failed", ["no room is left"])
