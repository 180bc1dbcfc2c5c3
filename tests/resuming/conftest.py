"""A collection in several files, and the comparison of two reports."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from twinset.cli import app

ROOT = Path(__file__).parents[2]
Resume = Callable[..., dict[str, Any]]


def documents(seed: int, count: int) -> list[dict[str, str]]:
    """Texts of made-up words; every third is an earlier one with a few words changed."""
    chance = random.Random(seed)
    words = [f"w{chance.randrange(1 << 30):x}" for _ in range(600)]
    texts: list[list[str]] = []
    for number in range(count):
        if number % 3 == 2:
            text = list(chance.choice(texts))
            text[chance.randrange(len(text))] = chance.choice(words)
        else:
            text = chance.choices(words, k=chance.randrange(20, 80))
        texts.append(text)
    return [{"id": f"{seed}-{n}", "text": " ".join(text)} for n, text in enumerate(texts)]


def pages(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The texts as pages of a site, which repeats its menu on each of them."""
    menu = "".join(f"<p>Section {name} of the site, for all readers</p>" for name in "ABCDEF")
    text = "<html><body>{menu}<article><p>{text}</p></article>{menu}</body></html>"
    return [row | {"text": text.format(menu=menu, text=row["text"])} for row in rows]


def lines(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_bytes(lines(documents(1, 120)) + b"not JSON\n")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines(documents(2, 80))))
    (tmp_path / "c.jsonl").write_bytes(b"\n" + lines(documents(1, 60)) + lines(documents(3, 60)))
    (tmp_path / "pages.jsonl").write_bytes(lines(pages(documents(4, 90))))
    (tmp_path / "files" / "more").mkdir(parents=True)
    for row in documents(5, 60) + pages(documents(6, 30)):
        suffix = "html" if row["text"].startswith("<") else "txt"
        folder = tmp_path / "files" / ("more" if row["id"].endswith("1") else "")
        (folder / f"{row['id']}.{suffix}").write_text(row["text"])
    return tmp_path


@pytest.fixture
def resume(corpus: Path) -> Resume:
    """Run a command, killed and resumed; returns what the runner says."""

    def run(command: Sequence[str], kills: Sequence[float], **job: Any) -> dict[str, Any]:
        job = {"command": list(command), "kills": list(kills), **job}
        process = subprocess.run(
            [sys.executable, "-m", "tests.resuming.runner", json.dumps(job)],
            cwd=corpus,
            env={"PATH": "", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            text=True,
        )
        results: dict[str, Any] = json.loads(process.stdout)
        results["stderr"] = process.stderr
        return results

    return run


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}


def assert_same_report(place: Path) -> None:
    """The run that was killed has left the same files as the one that was not, and no part."""
    plain, resumed = files_of(place / "plain"), files_of(place / "resumed")
    assert plain.keys() == resumed.keys()
    for name in plain:
        ours, theirs = (x[name].replace(b"resumed", b"plain") for x in (resumed, plain))
        assert ours == theirs, name
    assert files_of(place / "counted").keys() == plain.keys()
    assert not list(place.glob("*.parts"))


@pytest.fixture
def twinset_command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line within this process."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        result = CliRunner().invoke(app, [*arguments], prog_name="twinset")
        return subprocess.CompletedProcess(
            arguments, result.exit_code, result.stdout, result.stderr
        )

    return run
