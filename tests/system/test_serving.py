"""Signals as calls."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from twinset.system.serving import called_to_end

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize("kind", SIGNALS)
def test_a_signal_is_a_call_and_then_what_it_was_before(kind: signal.Signals) -> None:
    before, calls = signal.getsignal(kind), []
    with called_to_end(calls.append):
        signal.raise_signal(kind)
        signal.raise_signal(kind)
    assert calls == [kind, kind]
    assert signal.getsignal(kind) is before


def test_an_ignored_interrupt_stays_ignored() -> None:
    before, calls = signal.signal(signal.SIGINT, signal.SIG_IGN), []
    try:
        with called_to_end(calls.append):
            signal.raise_signal(signal.SIGINT)
        assert not calls
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kind", SIGNALS)
def test_a_page_that_is_asked_to_end_before_it_begins_ends(
    kind: signal.Signals, tmp_path: Path
) -> None:
    app = pytest.importorskip("twinset.web.app")
    settings = app.settings_for(str(tmp_path), port=0, home=tmp_path / "home")
    app.serve(settings, lambda served: signal.raise_signal(kind))
