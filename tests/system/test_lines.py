"""Files of lines that are only appended to: whole lines count, others cost themselves alone."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from twinset.errors import ReportError
from twinset.system.lines import AppendedLines, Entry


def lines_of(path: Path) -> AppendedLines:
    return AppendedLines(path, lambda entry: "n" in entry, "step", "remove it")


def numbers(entries: dict[int, Entry]) -> dict[int, int]:
    return {line: entry["n"] for line, entry in entries.items()}


def test_what_a_crash_has_cut_short_costs_that_line_only(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": ')
    lines = lines_of(path)
    with lines.writing() as append:
        append({"n": 3})
    assert lines.folded(numbers) == {1: 1, 3: 3}
    path.write_bytes(b'{"n": 1}\n{"n"\nnull\n[1]\n{"m": 5}\n{"n": 6}\n')
    assert lines_of(path).folded(numbers) == {1: 1, 6: 6}


def test_entries_of_another_process_appear(tmp_path: Path) -> None:
    first, second = (lines_of(tmp_path / "steps.jsonl") for _ in range(2))
    with first.writing() as append:
        append({"n": 1})
    assert second.folded(numbers) == {1: 1}
    with first.writing() as append:
        append({"n": 2})
    assert second.folded(numbers) == {1: 1, 2: 2}
    first.path.unlink()
    assert second.folded(numbers) == {}


def test_threads_take_turns(tmp_path: Path) -> None:
    lines = lines_of(tmp_path / "steps.jsonl")

    def work(first: int) -> None:
        for n in range(first, first + 20):
            with lines.writing() as append:
                append({"n": n})
            lines.folded(numbers)

    threads = [threading.Thread(target=work, args=(20 * place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(lines.folded(numbers).values()) == [*range(80)]


def test_a_link_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("precious\n")
    (tmp_path / "steps.jsonl").symlink_to(tmp_path / "other")
    lines = lines_of(tmp_path / "steps.jsonl")
    with pytest.raises(ReportError, match="the step was not saved"), lines.writing():
        pass
    with pytest.raises(ReportError, match="the steps cannot be read"):
        lines.folded(numbers)
    assert (tmp_path / "other").read_text() == "precious\n"
