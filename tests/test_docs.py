"""The pages are true: their examples run, their commands work, their links lead somewhere."""

from __future__ import annotations

import contextlib
import doctest
import gzip
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
import zstandard
from click.testing import CliRunner

from tests.shown import differences
from twinset.cli import app

pytestmark = pytest.mark.usefixtures("runs_here")
ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (".", "benchmarks", "examples")
PAGES = sorted(
    [
        *(page for folder in FOLDERS for page in (ROOT / folder).glob("*.md")),
        *(ROOT / "docs").rglob("*.md"),
    ]
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"<!-- needs ([^>]*) -->\n\s*```\w*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
"""A block that no test runs says so above it, and what it would need."""
MOST_FROM_THE_INTERNET = 5
TRIED_ELSEWHERE = {
    "recipes.md": "tests/test_recipes.py",
    "postgresql.md": "tests/index/postgres/test_page.py",
    "repeat-the-papers.md": "tests/lab/experiment/test_papers.py",
    "command-line.md": "the examples of --help, of documents that everybody has of their own",
}
# Their figures come out of a solver, whose last digits depend on processor and library.
SOLVED = {"learn.md"}
LEASE = """The landlord lets the flat on the second floor to the tenant for five years from May.
The tenant pays the rent on the first day of every month to the account of the landlord.
Repairs of the roof and the walls are the duty of the landlord; the tenant keeps the rooms in order.
Either side may end this lease with three months notice in writing to the other.
This lease is made in two copies, and takes effect when both sides have signed.
"""
PAPERS = {
    "lease.txt": LEASE,
    "lease (1).txt": LEASE,
    "old/lease 2019.txt": LEASE.replace("five years", "six years"),
    "bread.txt": "Bake the bread for forty minutes, and let it rest until it is cool.\n",
}
"""A folder with copies, which the commands of docs/tutorials/clean-a-folder.md may change."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [text for kind, text in found if kind == language]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def typed(line: str) -> str:
    """What a command prints, which must end well; run in this process, since imports cost time."""
    words = shlex.split(line, comments=True)
    assert words[0] == "twinset"
    result = CliRunner().invoke(app, words[1:], prog_name="twinset")
    assert result.exit_code == 0, (line, result.exception, result.stderr)
    return result.stdout


def shell(line: str) -> None:
    """A line with pipes, which must end well."""
    named = f'twinset() {{ "{sys.executable}" -m twinset "$@"; }}; set -o pipefail; {line}'
    subprocess.run(["bash", "-c", named], check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a clone to the examples, and that they may write in."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name, text in PAPERS.items():
        (tmp_path / "papers" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "papers" / name).write_text(text, encoding="utf-8")
    lines = (ROOT / "examples" / "collection" / "licenses.jsonl").read_bytes().splitlines(True)[:40]
    for name in ("corpus.jsonl", "train.jsonl", "test.jsonl", "a.jsonl"):
        (tmp_path / name).write_bytes(b"".join(lines))
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    (tmp_path / "b.jsonl.zst").write_bytes(zstandard.compress(b"".join(lines)))
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):  # nobody's own files are touched
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "pycon")], ids=lambda p: p.name)
def test_examples_run(page: Path, clone: Path) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    parser = doctest.DocTestParser()
    text = "\n".join(blocks(page, "pycon"))
    runner.run(parser.get_doctest(text, {}, page.name, str(page), 0))
    assert runner.summarize().attempted > 0
    assert runner.summarize().failed == 0


def shown_commands(block: str) -> Iterator[list[str]]:
    """The words of the commands in a block, each without what it reads from and writes to."""
    for line in re.sub(r"([\\|])\n\s*", lambda end: end[1].replace("\\", " "), block).splitlines():
        lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars="|<>&;")
        lexer.whitespace_split, lexer.commenters = True, "#"
        try:
            words = list(lexer)
        except ValueError:  # no command: an apostrophe in a sentence
            continue
        while words:
            end = next(
                (at for at, word in enumerate(words) if word in {"|", "&&", ";"}), len(words)
            )
            one, words = words[:end], words[end + 1 :]
            cut = next((at for at, word in enumerate(one) if word in {"<", ">"}), len(one))
            yield one[:cut]


def all_blocks(page: Path) -> list[str]:
    return [text for _, text in FENCE.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", [p for p in PAGES if all_blocks(p)], ids=lambda p: p.name)
def test_every_command_that_is_shown_is_one(page: Path) -> None:
    """Whether or not a test runs it: its options exist, and their values are allowed."""
    for block in all_blocks(page):
        for words in shown_commands(block):
            if words[:1] != ["twinset"] or "..." in words or "[OPTIONS]" in block:
                continue
            command, name, rest = app, "twinset", words[1:]
            context = click.Context(app, info_name=name)
            while isinstance(command, click.Group):
                context = click.Context(command, parent=context, info_name=name)
                name, command, rest = command.resolve_command(context, rest)
            with contextlib.suppress(click.exceptions.Exit):  # --list and the like
                command.make_context(name, rest, parent=context)


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if blocks(p, "sh") and p.name not in TRIED_ELSEWHERE],
    ids=lambda p: p.name,
)
def test_commands_work(page: Path, clone: Path) -> None:
    marked = "".join(block for _, block in NEEDS.findall(page.read_text(encoding="utf-8")))
    for line in "\n".join(blocks(page, "sh")).splitlines():
        words = shlex.split(line, comments=True)
        # Page and service run until somebody ends them; tests of their own start them.
        if not words or words[1:2] in (["ui"], ["serve"]):
            continue
        if line in marked:
            continue
        if {"|", ">"} & set(words):
            shell(line)
        else:
            assert words[0] == "twinset", f"say above the block what it needs: {line}"
            typed(line)


def test_few_blocks_need_the_internet() -> None:
    needs = [need for page in PAGES for need, _ in NEEDS.findall(page.read_text(encoding="utf-8"))]
    assert 0 < needs.count("the internet") <= MOST_FROM_THE_INTERNET


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console")], ids=lambda p: p.name)
def test_consoles_show_what_is_printed(page: Path, clone: Path) -> None:
    for block in blocks(page, "console"):
        for part in block.split("$ ")[1:]:
            line, _, shown = part.partition("\n")
            printed = typed(line)
            if page.name in SOLVED:
                assert differences(shown, printed) == [], printed
            else:
                checker = doctest.OutputChecker()
                assert checker.check_output(shown, printed, doctest.ELLIPSIS), printed


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    missing = [target for target in local if not (page.parent / target).exists()]
    assert missing == []


def test_the_page_of_the_command_line_is_fresh() -> None:
    maker = load(ROOT / "docs" / "make_command_line.py")
    assert maker.PAGE.read_text(encoding="utf-8") == maker.page(), (
        f"run {os.path.relpath(maker.__file__)}"
    )


def test_the_picture_of_the_lattice_is_fresh() -> None:
    maker = load(ROOT / "docs" / "make_lattice.py")
    licences = ROOT / "examples" / "collection" / "licenses.jsonl"
    drawn = (ROOT / "docs" / "pictures" / "lattice.svg").read_text(encoding="utf-8")
    assert drawn == maker.picture(licences, "L:sunsoft", 85), "run docs/make_lattice.py"
