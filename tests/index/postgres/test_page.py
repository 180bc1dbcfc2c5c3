"""The page about PostgreSQL: its examples run."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

import twinset
from tests.manual.blocks import ROOT, blocks
from tests.manual.reader import Reader

PAGE = ROOT / "docs" / "how-to" / "postgresql.md"


def test_the_page_can_be_followed(
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("new.jsonl", "today.jsonl"):
        Path(name).write_text(json.dumps({"id": name, "text": "the same words here again"}))
    reader = Reader()
    reader.names["twinset"] = twinset
    shown = [block for block in blocks(PAGE) if not block.needs]
    for place, block in enumerate(shown):  # the commands and the program each make the index
        own = f"{address}_{place}" if block.language == "python" else f"'{address}_{place}'"
        text = re.sub(r"postgresql://[^\"\s]*", own, block.text)
        reader.follow(dataclasses.replace(block, text=text))
    assert capsys.readouterr().out == "first 1.0\n"
