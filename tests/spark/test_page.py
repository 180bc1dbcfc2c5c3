"""The page about Spark: what needs no cluster runs."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.manual.blocks import ROOT, Block, blocks
from tests.manual.reader import Reader

PAGE = ROOT / "docs" / "how-to" / "spark.md"
ROWS = [(f"page-{number}", f"the same words stand here again {number // 2}") for number in range(6)]


def test_the_page_can_be_followed(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus").mkdir()
    shutil.copy(ROOT / "examples" / "collection" / "licenses.jsonl", "corpus")
    reader = Reader()
    reader.names |= {
        "spark": spark,
        "frame": spark.createDataFrame(ROWS, "url string, body string"),
    }
    for block in blocks(PAGE):
        if not block.needs:
            reader.follow(here(block))
    assert reader.names["findings"].kept.count() == 3
    assert Path("clean", "manifest.json").is_file()


def here(block: Block) -> Block:
    """The block with the session of the tests, and a folder in place of a bucket."""
    text = block.text.replace("'spark:master=local[*]'", "spark").replace("s3a://bucket/", "saved/")
    return dataclasses.replace(block, text=text)
