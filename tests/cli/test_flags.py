"""A flag means the same in every command; old names of flags are answered with the new ones."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.cli.conftest import Twinset, command_at, command_paths

DIFFERENT = {
    "--out": "the file or folder that a command writes: what it is differs",
    "-o": "short for --out",
    "--host": "who may enter at another address: who has the link, or keys",
    "--least": "a least size: of sets in items, of spans in units, of passages in words",
    "--threshold": "a least similarity: of a pair, or of a passage",
    "-t": "short for --threshold",
    "--top": "the most rows of a report, or matches of a document",
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
    assert {flag for flag, senses in meanings().items() if len(senses) > 1} == {*DIFFERENT}


def test_a_short_flag_belongs_to_one_long_flag():
    long: dict[str, set[str]] = defaultdict(set)
    for command in command_paths():
        for flag, option in flags(command).items():
            if not flag.startswith("--"):
                long[flag] |= {name for name in option.opts if name.startswith("--")}
    assert {flag: names for flag, names in long.items() if len(names) > 1} == {}
    assert long["-t"] == {"--threshold"}


def test_every_command_with_results_has_quiet_and_json():
    for command in {*command_paths()} - NO_RESULTS.keys():
        assert {"--quiet", "-q", "--json"} <= flags(command).keys(), command


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
    (tmp_path / "truth.csv").write_text("left,right\na,b\n", encoding="utf-8")
    assert "recall" in printed(twinset, "lab", "evaluate", report, "--truth", "truth.csv")
    assert "method" in printed(twinset, "list", "parts")
