"""Sentences that were read are kept beside the bytecode, and read again when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from twinset.pages import parsed as module
from twinset.pages.parsed import parsed


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr(module, "FOLDER", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "ru").mkdir()
    file = tmp_path / "ru" / "paper.toml"
    file.write_text('[paper]\nfound = "Найдено: {n}"\n', "utf-8")
    return file


def test_a_table_is_parsed_once(kept: Path, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = parsed(table)
    monkeypatch.setattr(module.tomllib, "loads", None, raising=False)
    assert parsed(table) == first == {"paper": {"found": "Найдено: {n}"}}
    assert len(list(kept.iterdir())) == 1


def test_a_changed_table_is_parsed_again(kept: Path, table: Path) -> None:
    parsed(table)
    table.write_text('[paper]\nfound = "Находка {n}"\n', "utf-8")
    assert parsed(table) == {"paper": {"found": "Находка {n}"}}


@pytest.mark.parametrize("damage", [b"", b"[[1, 2]]", b"{}", b'[[1], {"paper": {}}]', b"\xff"])
def test_a_damaged_copy_is_not_used(kept: Path, table: Path, damage: bytes) -> None:
    expected = parsed(table)
    next(kept.iterdir()).write_bytes(damage)
    assert parsed(table) == expected


def test_nothing_is_kept_where_no_bytecode_is_written(
    kept: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert parsed(table)
    assert not kept.exists()


def test_a_folder_that_cannot_be_written_does_no_harm(kept: Path, table: Path) -> None:
    kept.write_text("a file in its place")
    assert parsed(table)
