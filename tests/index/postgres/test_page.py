"""The page about PostgreSQL: its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import twinset

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "postgresql.md"


def test_the_example_runs(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    shown, count = re.subn(r"postgresql://[^\"]*", address, code)
    assert count == 1
    exec(shown, {"twinset": twinset})
    assert capsys.readouterr().out == "first 1.0\n"
