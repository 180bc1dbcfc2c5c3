"""Runs with little memory, and what is said when one that can be resumed is stopped."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tests.cli.conftest import Twinset
from twinset.cli.limits import SCARCE
from twinset.engine import local


@pytest.mark.parametrize("memory", [SCARCE, SCARCE + 1, None])
def test_arrow_takes_memory_from_the_system_where_there_is_little(
    twinset: Twinset, corpus: Path, memory: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[str] = []
    monkeypatch.setattr(pa, "set_memory_pool", lambda pool: pools.append(pool.backend_name))
    asked = [] if memory is None else ["--memory", memory]
    assert twinset("find", corpus, "-o", "report", *asked).returncode == 0
    assert pools == (["system"] if memory == SCARCE else [])
