"""Somebody who follows a page: types its blocks in their order, in one folder and one Python."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
import sys
from typing import Any

from click.testing import CliRunner

from tests.manual.blocks import Block
from tests.shown import differences
from twinset.cli import app

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAMED = f'twinset() {{ "{sys.executable}" -m twinset "$@"; }}; '
# All parts of a pipe must end well; 141 says that the next one had enough.
ENDED = '; for code in "${PIPESTATUS[@]}"; do ((code == 0 || code == 141)) || exit $code; done'
# Their figures come out of a solver, whose last digits depend on processor and library.
SOLVED = {"learn.md"}
RUNS_ON = {"ui", "serve"}
"""Commands that run until somebody ends them."""
SHELL = re.compile(r"[|<>;&$*~]|^(?!twinset )")


class Reader:
    """Follows blocks; an assertion fails where one does not do what the page says."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._services: list[subprocess.Popen[str]] = []
        self._addresses: dict[str, str] = {}

    def follow(self, block: Block) -> None:
        """Do what a reader does with a block of this language."""
        getattr(self, f"_{block.language}")(block)

    def leave(self) -> None:
        """End the services that were started, each of which must end well."""
        for service in self._services:
            service.terminate()
            _, errors = service.communicate(timeout=600)
            assert service.returncode == 0, errors

    def _sh(self, block: Block) -> None:
        for line in block.text.replace("\\\n", " ").splitlines():
            self.type(line)

    def _console(self, block: Block) -> None:
        """Commands with what they print."""
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            printed = self.type(line)
            if not printed.endswith("\n"):  # that of curl
                printed += "\n" if printed else ""
            if block.page.name in SOLVED:
                assert differences(shown, printed) == [], printed
            else:
                checker = doctest.OutputChecker()
                assert checker.check_output(shown, printed, doctest.ELLIPSIS), printed

    def _pycon(self, block: Block) -> None:
        """An example with what Python answers."""
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        parser = doctest.DocTestParser()
        example = parser.get_doctest(block.text, self.names, str(block), str(block.page), 0)
        results = runner.run(example, clear_globs=False)
        self.names.update(example.globs)
        assert results.attempted > 0
        assert results.failed == 0

    def _python(self, block: Block) -> None:
        exec(compile(block.text, str(block), "exec"), self.names)

    def _toml(self, block: Block) -> None:
        assert tomllib.loads(block.text)

    def _json(self, block: Block) -> None:
        for line in block.text.splitlines():
            assert json.loads(line)

    def _text(self, block: Block) -> None:
        """What is printed or drawn; a command would go by untried."""
        for line in block.text.splitlines():
            words = line.removeprefix("$ ").split()
            assert words[:1] not in (["twinset"], ["python"], ["pip"]) or "[OPTIONS]" in words, line

    def type(self, line: str) -> str:
        """What a command prints, which must end well."""
        words = shlex.split(line, comments=True)
        if not words:
            return ""
        if words[0] == "twinset" and words[1] in RUNS_ON:
            return self._started(words)
        for shown, address in self._addresses.items():
            line = line.replace(shown, address)
        if SHELL.search(line):
            done = subprocess.run(
                ["bash", "-c", NAMED + line + ENDED], capture_output=True, text=True
            )
            assert done.returncode == 0, (line, done.stderr)
            return done.stdout
        result = CliRunner().invoke(app, words[1:], prog_name="twinset")  # imports cost time
        assert result.exit_code == 0, (line, result.exception, result.stderr)
        return result.stdout

    def _started(self, words: list[str]) -> str:
        """Start a page or a service on a port that is free; later blocks find it there."""
        options = ["--port", "0", *(["--no-browser"] if words[1] == "ui" else [])]
        service = subprocess.Popen(
            [sys.executable, "-m", *words, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._services.append(service)
        assert service.stdout is not None
        printed = service.stdout.readline()
        port = re.search(r"http://[\d.]+:(\d+)", printed)
        assert port is not None, printed
        self._addresses["localhost:8760"] = f"localhost:{port[1]}"
        return printed
