"""A flag means the same in every command; old names of flags are answered with the new ones."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Twinset, command_at, command_paths

DIFFERENT = {
    "--out": "the file or folder that a command writes: what it is differs",
    "-o": "short for --out",
    "--host": "what another address needs: a password, or keys",
    "--least": "a least size: of sets in items, of spans in units, of passages in words",
    "--threshold": "a least similarity: of a pair, or of a passage",
    "-t": "short for --threshold",
    "--unit": "the units of shingles, or those of spans, which may be bytes",
}
NO_RESULTS = {
    "ui": "serves a page until it is ended",
    "serve": "answers other programs until it is ended",
}


def options(command: str) -> list[Any]:
    """The options of a command, as they are declared."""
    return [option for option in command_at(command).params if option.param_type_name == "option"]


def flags(command: str) -> dict[str, Any]:
    """The options of a command by every way to write them."""
    return {
        flag: option
        for option in options(command)
        for flag in (*option.opts, *option.secondary_opts)
    }


def meaning(option: Any) -> tuple[Any, ...]:
    """Type, metavar and help of an option; what happens without it may differ."""
    kind = str(option.type)
    sentence = re.sub(r"\s*\[[^\[\]]*\]$", "", option.help)
    return kind, option.metavar, option.multiple, option.is_flag, sentence


def meanings() -> dict[str, dict[tuple[Any, ...], list[str]]]:
    """The commands by each flag and each of its meanings."""
    known: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for command in command_paths():
        for flag, option in flags(command).items():
            known[flag][meaning(option)].append(command)
    return known


def test_a_flag_means_the_same_in_every_command():
    several = {
        flag: dict(senses)
        for flag, senses in meanings().items()
        if len(senses) > 1 and flag not in DIFFERENT
    }
    assert several == {}


def test_every_exception_is_one():
    known = meanings()
    assert [flag for flag in DIFFERENT if len(known[flag]) < 2] == []


def test_a_short_flag_belongs_to_one_long_flag():
    long: dict[str, set[str]] = defaultdict(set)
    for command in command_paths():
        for flag, option in flags(command).items():
            if not flag.startswith("--"):
                long[flag] |= {name for name in option.opts if name.startswith("--")}
    assert {flag: names for flag, names in long.items() if len(names) > 1} == {}
    assert long["-t"] == {"--threshold"}


def test_a_flag_that_never_was_gets_the_usual_answer(twinset: Twinset):
    done = twinset("find", "anything", "--thresold", "1")
    assert done.returncode == 2
    assert "there is no option --thresold; did you mean --threshold?" in done.stderr
    assert "any more" not in done.stderr


@pytest.mark.parametrize("command", [path for path in command_paths() if path not in NO_RESULTS])
def test_every_command_with_results_has_quiet_and_json(command: str):
    known = flags(command)
    assert {"--quiet", "-q", "--json"} <= known.keys()


@pytest.fixture
def transactions(tmp_path: Path) -> Path:
    """A FIMI file in which 1 and 2 stand together twice."""
    path = tmp_path / "lines.dat"
    path.write_text("1 2 3\n1 2\n3 4\n", encoding="utf-8")
    return path


def printed(twinset: Twinset, *arguments: Any) -> dict[str, Any]:
    """The one JSON object that a command prints, with nothing on stderr."""
    done = twinset(*arguments, "--quiet", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def test_commands_on_a_report_print_one_json_object_and_no_more(
    twinset: Twinset, report: Path, tmp_path: Path
):
    assert printed(twinset, "show", report)["total"] == 1
    assert printed(twinset, "decide", report) == {"decisions": []}
    twinset("decide", report, "a", "b", "--as", "duplicate", "--keep-id", "b")
    assert printed(twinset, "decide", report, "--export", "l.csv") == {"labels": "l.csv"}
    assert (tmp_path / "l.csv").read_text().startswith("left,right,label")
    (tmp_path / "truth.csv").write_text("left,right\na,b\n", encoding="utf-8")
    assert "recall" in printed(twinset, "lab", "evaluate", report, "--truth", "truth.csv")
    assert "method" in printed(twinset, "list", "parts")


def test_labels_on_stdout_are_json_where_json_is_asked_for(twinset: Twinset, report: Path):
    twinset("decide", report, "a", "b", "--as", "duplicate")
    done = twinset("decide", report, "--export", "-", "--json")
    assert json.loads(done.stdout)
    assert twinset("decide", report, "--export", "-").stdout.startswith("left,right,label")


def test_mined_sets_as_json_are_those_of_the_lines(twinset: Twinset, transactions: Path):
    asked = ("lab", "mine", transactions, "--support", 2)
    assert printed(twinset, *asked) == {"sets": [{"items": [1, 2], "support": 2}]}
    assert twinset(*asked).stdout == "1 2 2\n"


def test_the_comparison_of_miners_is_one_json_object(twinset: Twinset, transactions: Path):
    done = twinset("lab", "mine", transactions, "--support", 2, "--compare", "--closed", "--json")
    result = json.loads(done.stdout)
    assert result["support"] == 2
    search = next(run for run in result["runs"] if run["algorithm"] == "search")
    assert (search["outcome"], search["sets"]) == ("finished", 1)
