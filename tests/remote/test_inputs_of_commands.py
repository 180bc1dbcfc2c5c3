"""Every command that reads documents takes addresses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.cli.conftest import twinset as twinset  # the fixture, with the same name
from twinset.system.remote import RemotePath

Twinset = Callable[..., subprocess.CompletedProcess[str]]
TEXTS = [
    f"note {n} says what {n * n} people of place {n} said to {n + 7} others" for n in range(40)
]


@pytest.fixture
def folder(tmp_path: Path) -> RemotePath:
    """Documents, of which the last 20 are copies of the first, and their truth."""
    folder = RemotePath.of(f"memory://{uuid4().hex}")
    texts = [*TEXTS, *(f"{text} again" for text in TEXTS[:20])]
    rows = [json.dumps({"id": f"d{n}", "text": text}) for n, text in enumerate(texts)]
    (folder / "a document.jsonl").write_bytes("\n".join(rows).encode())
    pairs = "".join(f"d{n},d{n + 40}\n" for n in range(20))
    (folder / "truth.csv").write_bytes(f"left,right\n{pairs}".encode())
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["find", "IN", "-o", "out", "--reference", "IN"],
        ["dedup", "IN", "-o", "out"],
        ["plan", "IN", "--first", "1"],
        ["tune", "IN", "--truth", "TRUTH", "-o", "plan.toml"],
        ["lab", "compare", "IN", "-o", "out", "--methods", "md5", "--truth", "TRUTH"],
        ["lab", "generate", "IN", "-o", "out", "--op", "truncate"],
        ["lab", "images", "IN", "-o", "out.fps"],
        ["ask", "IN", "-o", "plan.toml", "--questions", "2", "--truth", "TRUTH"],
    ],
    ids=lambda command: command[0],
)
def test_addresses_are_inputs(
    command: list[str], folder: RemotePath, twinset: Twinset, runs_here: Any
) -> None:
    names = {"IN": f"{folder}/a document.jsonl", "TRUTH": f"{folder}/truth.csv"}
    done = twinset(*(names.get(part, part) for part in command), "-q")
    assert done.returncode == 0, done.stderr


def test_only_files_of_this_machine_are_cleaned(twinset: Twinset) -> None:
    folder = RemotePath.of(f"memory://{uuid4().hex}")
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_bytes(b"the same words in both of them")
    assert twinset("find", folder, "-o", "report", "--preset", "files", "-q").returncode == 0
    done = twinset("clean", "report")
    assert done.returncode == 1
    assert "its documents lie elsewhere" in done.stderr
