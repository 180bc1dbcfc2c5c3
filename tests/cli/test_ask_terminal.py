"""``twinset ask`` on a real terminal: single keys, colours, sizes, and any end."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, on_terminal

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = ROOT / "examples" / "collection"
PROMPT = "? help"
ASK = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from twinset.cli import main; main()",
    "ask",
]
ALL, FEW = [*ASK, str(COLLECTION)], [*ASK, str(COLLECTION / "russian")]
QUESTION = re.compile(r"\[-(\S+)-\] \{\+(\S+)\+\}")


@pytest.fixture(scope="module")
def copies() -> set[frozenset[str]]:
    """The pairs that the owner of the example calls copies."""
    rows = (ROOT / "examples" / "truth.csv").read_text(encoding="utf-8").splitlines()[1:]
    return {frozenset(row.split(",")[:2]) for row in rows}


def answer(terminal: Terminal, copies: set[frozenset[str]]) -> tuple[str, str]:
    """Answer the question on the screen as the owner would; the pair."""
    shown = QUESTION.search(terminal.wait_for(PROMPT))
    assert shown is not None
    terminal.press("y" if frozenset(shown.groups()) in copies else "n")
    terminal.wait_for("→ ")
    return shown.group(1), shown.group(2)


def answers(folder: Path) -> list[dict[str, str]]:
    text = (folder / "plan.answers.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_thirty_questions_by_keys(tmp_path: Path, copies: set[frozenset[str]]) -> None:
    with on_terminal(ALL, tmp_path) as terminal:
        pairs = []
        while True:
            pairs.append(answer(terminal, copies))
            if len({frozenset(pair) for pair in pairs}) == 30:
                break
        terminal.wait_for("Next: twinset find")
        assert terminal.ended() == 0
        assert terminal.echoes()
    assert re.search(
        r"expected: precision [01]\.\d\d, recall [01]\.\d\d, [\d,]+ pairs", terminal.screen
    )
    assert "Question 30 of 30" in terminal.screen
    assert [(row["left"], row["right"]) for row in answers(tmp_path)] == pairs
    assert {row["answer"] for row in answers(tmp_path)} == {"yes", "no"}
    assert (tmp_path / "plan.toml").is_file()


def test_a_kill_loses_at_most_the_last_answer(tmp_path: Path, copies: set[frozenset[str]]) -> None:
    with on_terminal(ALL, tmp_path) as terminal:
        pairs = [answer(terminal, copies) for _ in range(6)]
        terminal.kill()
    with on_terminal(ALL, tmp_path) as terminal:
        terminal.wait_for("6 answers found, going on")
        assert "Question 7 of 30" in terminal.wait_for(PROMPT)
        terminal.press("q")
        assert terminal.ended() == 0
    assert [(row["left"], row["right"]) for row in answers(tmp_path)] == pairs


@pytest.mark.parametrize("key", ["q", "\x04", "\x03"])
def test_the_end_keeps_the_answers_and_gives_the_terminal_back(tmp_path: Path, key: str) -> None:
    with on_terminal(FEW, tmp_path) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("n")
        terminal.wait_for(PROMPT)
        assert not terminal.echoes()
        terminal.press(key)
        assert terminal.ended() == (130 if key == "\x03" else 0)
        assert terminal.echoes()
    assert "the same command goes on" in terminal.screen.lower()
    assert len(answers(tmp_path)) == 1
    assert (tmp_path / "plan.toml").is_file()


def test_keys_beside_the_answers(tmp_path: Path) -> None:
    with on_terminal(FEW, tmp_path, lines=14) as terminal:
        terminal.wait_for("Question 1 of 30")
        first = terminal.wait_for(PROMPT)
        terminal.press("z")
        terminal.wait_for("There is no answer to undo yet.")
        terminal.wait_for(PROMPT)
        terminal.press("?")
        terminal.wait_for("There are no wrong answers")
        terminal.wait_for(PROMPT)
        terminal.press("x")
        terminal.wait_for("'x' is no answer; type y, n, u, z, m, q or ?")
        terminal.wait_for(PROMPT)
        terminal.press("m")
        whole = terminal.wait_for(PROMPT)
        assert len(whole) > len(first)
        terminal.press("\x1b[A")  # an arrow is no answer
        terminal.press("г")  # u of a Russian keyboard
        terminal.wait_for("→ unsure")
        terminal.wait_for(PROMPT)
        terminal.press("z")
        terminal.wait_for("Undone: unsure, on ")
        assert "Question 1 of 30" in terminal.wait_for(PROMPT)
        assert answers(tmp_path) == []


def test_keys_pressed_before_the_question_do_not_answer_it(tmp_path: Path) -> None:
    with on_terminal(FEW, tmp_path) as terminal:
        terminal.press("nnnnnn")
        assert "{+" in terminal.wait_for(PROMPT)
        terminal.press("n")
        terminal.wait_for(PROMPT)
        terminal.press("q")
        terminal.ended()
    assert len(answers(tmp_path)) == 1
