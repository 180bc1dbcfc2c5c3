"""Runs with little memory, and what is said when one that can be resumed is stopped."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tests.cli.conftest import Twinset
from twinset.cli.limits import SCARCE
from twinset.run import local


@pytest.mark.parametrize("memory", [SCARCE, SCARCE + 1, None])
def test_arrow_takes_memory_from_the_system_where_there_is_little(
    twinset: Twinset, corpus: Path, memory: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[str] = []
    monkeypatch.setattr(pa, "set_memory_pool", lambda pool: pools.append(pool.backend_name))
    asked = [] if memory is None else ["--memory", memory]
    assert twinset("find", corpus, "-o", "report", *asked).returncode == 0
    assert pools == (["system"] if memory == SCARCE else [])


@pytest.mark.parametrize("resume", [True, False])
def test_ctrl_c_says_what_is_kept(
    twinset: Twinset, corpus: Path, resume: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(local, "pair", interrupt)
        stopped = twinset("find", corpus, "-o", "report", *(["--resume"] if resume else []))
    assert stopped.returncode == 130
    if not resume:
        assert stopped.stderr.endswith("stopped; nothing was written\n")
        return
    assert "stopped; finished parts are kept in" in stopped.stderr
    assert "report.parts, and the same command continues from there" in stopped.stderr
    assert twinset("find", corpus, "-o", "report", "--resume").returncode == 0
    assert not corpus.with_name("report.parts").exists()
