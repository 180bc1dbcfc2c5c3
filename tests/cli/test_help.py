"""Help: an example and the exit codes in each, and quick to come."""

from __future__ import annotations

import os
import subprocess
import sys

from click.testing import CliRunner

from tests.cli.conftest import command_at, command_paths
from twinset.cli import COMMANDS, USED, app
from twinset.cli import GROUPS as COMMAND_GROUPS
from twinset.plan import options


def shown(*arguments: str, flag: str = "--help") -> str:
    result = CliRunner().invoke(app, [*arguments, flag], prog_name="twinset")
    assert result.exit_code == 0
    return result.output


def words(*arguments: str, flag: str = "--help") -> str:
    return " ".join(shown(*arguments, flag=flag).split())


def test_every_help_is_one_screen_with_an_example() -> None:
    for path in ["", *COMMAND_GROUPS, *command_paths()]:
        text = shown(*path.split())
        assert text.count("\n") <= 40, path
        assert f"Example: twinset {path}".strip() in " ".join(text.split())


def test_help_all_has_every_option_and_the_exit_codes() -> None:
    for path in command_paths():
        command = command_at(path)
        flags = [p.opts[0] for p in command.params if p.param_type_name == "option"]
        is_long = "--help-all" in flags
        text = words(*path.split(), flag="--help-all" if is_long else "--help")
        assert [flag for flag in flags if flag not in text] == [], path
        assert "0 done, 1 a fault in the input or the run, 2 wrong usage" in text
        named = [f"--{flag}" for flag in USED.get(path.split()[-1], "").split()]
        assert [flag for flag in named if flag not in flags] == [], path


def test_a_misspelt_or_moved_command_is_answered_with_the_nearest_one() -> None:
    meant = {"fnd": "find", "compare": "lab compare", "presets": "list presets", "export": "ui"}
    for typed, known in meant.items():
        result = CliRunner().invoke(app, [typed, "a.jsonl"], prog_name="twinset")
        assert result.exit_code == 2
        assert f"there is no command '{typed}'; did you mean '{known}'?" in result.output


def test_arguments_are_shown_by_their_names_alone() -> None:
    assert "Usage: twinset find [OPTIONS] IN... Find" in words("find")
    assert "Usage: twinset list parts [OPTIONS] [NAME] List" in words("list", "parts")
    assert "Arguments: DIR Folder or address of a report." in words("show")


def test_all_commands_are_listed() -> None:
    text = words()
    for name, short in COMMANDS.items():
        assert f"{name} {short}" in text


def test_every_option_of_a_plan_is_in_the_help_with_its_default() -> None:
    command = "dedup"
    parameters = command_at(command).params
    for option in options().values():
        (parameter,) = [each for each in parameters if option.flag in each.opts]
        sentence = parameter.sentence()
        assert sentence.startswith(option.help.rstrip("."))
        default = option.usual or option.default
        if default not in (None, (), False):  # a flag is off unless it is given
            assert sentence.endswith(f"[{option.shown(default)}]")


def cpu_seconds(code: str) -> float:
    """CPU time of a fresh process, the least of three: the machine may be busy."""
    took = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        after = os.times()
        took.append(
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
    return min(took)


def test_import_is_quick() -> None:
    assert cpu_seconds("import twinset") < 0.2


def test_help_is_quick() -> None:
    code = "import sys; from twinset.cli import main; sys.argv = ['twinset', '--help']; main()"
    assert cpu_seconds(code) < 0.4
