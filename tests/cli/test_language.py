"""The language of the pages that commands write."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Twinset


def test_commands_take_the_language(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "one two"}\n' * 2)
    done = twinset("find", "in.jsonl", "-o", "out", "--language", "ru", "-q")
    assert done.returncode == 0, done.stderr
    assert '<html lang="ru">' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    refused = twinset("dedup", "in.jsonl", "-o", "no", "--language", "de", "-q")
    assert refused.returncode == 2
    assert "no language 'de'" in refused.stderr
