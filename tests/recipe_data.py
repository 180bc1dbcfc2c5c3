"""What the recipes of the manual are tried on: rows with copies among them, and what stays."""

from __future__ import annotations

import json
import os
import random
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import zstandard
from click.testing import CliRunner

from twinset.cli import app

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples" / "recipes"
COPIES = {5: 1, 7: 1, 8: 4, 11: 0}
"""The rows that repeat an earlier one."""
WORDS = [head + tail for head in "bdfglmprst" for tail in ("an", "eck", "iff", "od", "ug")]
Row = dict[str, Any]


def body(number: int) -> str:
    """A text of its own, or an earlier one whose last word is another."""
    draws = random.Random(COPIES.get(number, number))
    words = [draws.choice(WORDS) for _ in range(60)]
    return " ".join([*words, f"end{number}"])


def row(number: int) -> Row:
    return {
        "url": f"https://example.org/{number}",
        "body": body(number),
        "language": "en" if number % 5 != 3 else "ru",
        "score": number / 4,
    }


ROWS = [row(number) for number in range(12)]
KEPT = [row for number, row in enumerate(ROWS) if number not in COPIES]


def recipe(name: str) -> dict[str, Any]:
    """Run a recipe in Python as people do; what its names hold at the end."""
    return runpy.run_path(str(FOLDER / name), run_name="__main__")


def command(name: str) -> None:
    """Run a recipe that is one command, within this process since imports cost time."""
    words = shlex.split((FOLDER / name).read_text(encoding="utf-8"), comments=True)
    assert words[0] == "twinset"
    result = CliRunner().invoke(app, words[1:], prog_name="twinset")
    assert result.exit_code == 0, (result.exception, result.stderr)


def shell(name: str) -> None:
    """Run a recipe as people do."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-euo", "pipefail", str(FOLDER / name)],
        env={**os.environ, "PATH": programs},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr


def lines(path: Path) -> list[Row]:
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return [json.loads(line) for line in data.splitlines()]


SHARDS = {
    name: [{"url": row["url"], "article": {"body": row["body"], "n": row["score"]}} for row in part]
    for name, part in (
        ("2023/00.jsonl.zst", ROWS[:5]),
        ("2023/01.jsonl.zst", ROWS[5:9]),
        ("2024/00.jsonl.zst", ROWS[9:]),
    )
}
"""Records with nested fields, by the name of their shard."""


def write_shards(folder: Path) -> None:
    for name, records in SHARDS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(record) + "\n" for record in records)
        path.write_bytes(zstandard.compress(text.encode()))


def kept_shards() -> dict[str, list[Row]]:
    """The records of each shard without the copies."""
    urls = {row["url"] for row in KEPT}
    return {
        name: [record for record in records if record["url"] in urls]
        for name, records in SHARDS.items()
    }


def written_shards(folder: Path) -> dict[str, list[Row]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): lines(path) for path in files}
