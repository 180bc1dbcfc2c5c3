"""The pages show commands that there are, links that lead somewhere, and what is made is fresh."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from tests.manual.blocks import PAGES, ROOT, blocks, name_of
from twinset.cli import app

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=name_of)
def test_every_command_that_is_shown_is_one(page: Path) -> None:
    """Whether or not a test runs it: its options exist, and their values are allowed."""
    for block in (block.text for block in blocks(page)):
        for words in shown_commands(block):
            if words[:1] != ["twinset"] or "..." in words or "[OPTIONS]" in block:
                continue
            command, name, rest = app, "twinset", words[1:]
            context = click.Context(app, info_name=name)
            with contextlib.suppress(click.exceptions.Exit):  # --version, --list and the like
                while isinstance(command, click.Group):
                    context = click.Context(command, parent=context, info_name=name)
                    name, command, rest = command.resolve_command(context, rest)
                command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
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
