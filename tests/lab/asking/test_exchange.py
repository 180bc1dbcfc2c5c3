"""Two programs in a dialogue: nothing is lost, and nothing is answered twice."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from twinset.errors import TwinsetError
from twinset.lab.ask import Dialogue, ask
from twinset.lab.exchange import SAID, STATE, Asker, AskState, read_state, say, wait_until_heard

TEXTS = {
    f"{name}{n}": f"report {n} on {name} about the river {n * 7} and its {n} bridges " * 3 + end
    for n in range(12)
    for name, end in (("a", "end"), ("b", "the very end"))
}


def dialogue(folder: Path) -> Dialogue:
    return ask(list(TEXTS.items()), questions=8, output=folder / "plan.toml")


@contextmanager
def asking(folder: Path, subject: Dialogue | None = None, idle: float = 20) -> Iterator[Dialogue]:
    """A program that asks, until it is told that it was enough."""
    subject = subject or dialogue(folder)
    asker = Asker(folder, subject, lambda: None)
    thread = threading.Thread(target=asker.run, args=(idle,))
    thread.start()
    try:
        assert wait_until_heard(folder, 0, 10)
        yield subject
    finally:
        heard = say(folder, "enough")
        thread.join(20)
    state = read_state(folder)
    assert state is not None
    assert state.heard == heard


def current(folder: Path) -> AskState:
    state = read_state(folder)
    assert state is not None
    return state


def answered(folder: Path, said: str) -> tuple[str, str]:
    question = current(folder).question
    assert question is not None
    pair = question["left"], question["right"]
    assert wait_until_heard(folder, say(folder, said, *pair), 10)  # type: ignore[arg-type]
    return pair


def test_a_dialogue_ends_with_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "dialogue"
    folder.mkdir()
    ended: list[str] = []

    def run() -> None:
        with pytest.raises(TwinsetError) as fault:
            Asker(folder, subject, lambda: None).run()
        ended.append(str(fault.value))

    subject = dialogue(folder)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert wait_until_heard(folder, 0, 10)
    shutil.rmtree(folder)
    thread.join(10)
    assert ended == [f"the folder of the dialogue {folder} is gone"]


def test_answers_arrive_in_order_and_can_be_taken_back(tmp_path: Path) -> None:
    with asking(tmp_path):
        pairs = [answered(tmp_path, said) for said in ("yes", "no", "unsure")]
        state = current(tmp_path)
        assert [(s["left"], s["right"], s["answer"]) for s in state.steps] == [
            (*pair, said) for pair, said in zip(pairs, ("yes", "no", "unsure"), strict=True)
        ]
        assert wait_until_heard(tmp_path, say(tmp_path, "undo", *pairs[-1]), 10)
        state = current(tmp_path)
        assert len(state.steps) == 2
        assert state.question is not None
        assert (state.question["left"], state.question["right"]) == pairs[-1]
        assert state.question["left_text"] == TEXTS[pairs[-1][0]]


def test_an_answer_to_another_question_has_no_effect(tmp_path: Path) -> None:
    with asking(tmp_path):
        first = answered(tmp_path, "yes")
        before = current(tmp_path)
        for said in ("no", "yes"):  # another window that still shows it
            assert wait_until_heard(tmp_path, say(tmp_path, said, *first), 10)
        answered(tmp_path, "no")
        assert wait_until_heard(tmp_path, say(tmp_path, "undo", *first), 10)
        state = current(tmp_path)
    assert [step["answer"] for step in state.steps] == ["yes", "no"]
    assert state.steps[0] == before.steps[0]


def test_what_was_said_while_nobody_listened_counts_once(tmp_path: Path) -> None:
    with asking(tmp_path):
        answered(tmp_path, "yes")
    question = current(tmp_path).question
    assert question is not None
    for _ in range(2):
        say(tmp_path, "no", question["left"], question["right"])
    with asking(tmp_path):
        assert wait_until_heard(tmp_path, 4, 10)
        state = current(tmp_path)
        assert [step["answer"] for step in state.steps] == ["yes", "no"]
        assert state.resumed == 1
    journal = (tmp_path / "plan.answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["answer"] for line in journal] == ["yes", "no"]


def test_lines_that_a_crash_has_cut_short_cost_themselves_only(tmp_path: Path) -> None:
    with asking(tmp_path):
        question = current(tmp_path).question
        assert question is not None
        with open(tmp_path / SAID, "ab") as file:
            file.write(b'{"said": "ye')
        answered(tmp_path, "no")
        assert [step["answer"] for step in current(tmp_path).steps] == ["no"]


@pytest.mark.parametrize("content", ["", "[]", '{"question": 1, "other": 2}', "{"])
def test_a_damaged_state_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / STATE).write_text(content)
    assert read_state(tmp_path) is None
    assert not wait_until_heard(tmp_path, 0, 0.05)
