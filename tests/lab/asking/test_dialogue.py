"""A dialogue with an owner who answers from labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.models import labelled_collection
from twinset.errors import TwinsetError
from twinset.lab.ask import Dialogue, ask, contradicted
from twinset.lab.belief import Answer, Belief

TEXTS, LABELS = labelled_collection()
TRUE = [(left, right) for left, right, label in LABELS if label]


def questions(dialogue: Dialogue) -> list[tuple[str, str, str]]:
    """What was asked and answered."""
    return [(s.question.left, s.question.right, s.answer) for s in dialogue.steps]


def test_the_same_seed_asks_the_same_questions() -> None:
    first, second = (ask(TEXTS, truth=TRUE, questions=8, seed=3) for _ in range(2))
    assert first.steps == second.steps
    assert questions(first) != questions(ask(TEXTS, truth=TRUE, questions=8, seed=4))


def test_no_pair_is_asked_twice_unless_it_contradicts() -> None:
    dialogue = ask(TEXTS, truth=TRUE, questions=20)
    asked = [(s.question.left, s.question.right) for s in dialogue.steps if not s.question.again]
    assert len(asked) == len(set(asked)) == 20
    assert dialogue.question() is None


def test_undo_restores_what_was_there() -> None:
    dialogue = ask(TEXTS, questions=6)
    before = dialogue.question()
    dialogue.answer("yes")
    dialogue.answer("no")
    dialogue.undo()
    dialogue.undo()
    assert dialogue.question() == before
    assert dialogue.steps == []
    assert dialogue.answers == {}
    with pytest.raises(TwinsetError, match="no answer to take back"):
        dialogue.undo()


def test_an_unsure_answer_teaches_nothing() -> None:
    dialogue = ask(TEXTS, questions=6)
    before = dialogue.state.probability
    step = dialogue.answer("unsure")
    assert (dialogue.state.probability == before).all()
    assert step.precision is None
    assert step.recall is None


def test_a_journal_is_continued(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    dialogue = ask(TEXTS, questions=8, output=plan)
    for answer in ("yes", "no", "unsure", "yes"):
        dialogue.answer(answer)  # type: ignore[arg-type]
    dialogue.undo()
    again = ask(TEXTS, questions=8, output=plan)
    assert questions(again) == questions(dialogue)
    assert again.question() == dialogue.question()


def test_half_a_line_costs_that_line_only(tmp_path: Path) -> None:
    plan, journal = tmp_path / "plan.toml", tmp_path / "plan.answers.jsonl"
    dialogue = ask(TEXTS, questions=8, output=plan)
    for _ in range(3):
        dialogue.answer("no")
    journal.write_bytes(journal.read_bytes()[:-7])
    again = ask(TEXTS, questions=8, output=plan)
    assert questions(again) == questions(dialogue)[:2]
    assert any("cut short" in note for note in again.notes)
    again.answer("yes")
    assert len(ask(TEXTS, questions=8, output=plan).steps) == 3


def test_answers_about_other_documents_are_named(tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl"
    file.write_text('{"left": "a01", "right": "gone", "answer": "yes"}\n')
    dialogue = ask(TEXTS, answers=file)
    assert dialogue.steps == []
    assert "gone" in dialogue.notes[0]


def test_answers_of_one_kind_leave_the_rule_of_the_preset() -> None:
    dialogue = ask(TEXTS, questions=8)
    before = dialogue.state.accepted.copy()
    for _ in range(4):
        dialogue.answer("no")
    denied = [dialogue.material.rows[pair] for pair in dialogue.answers]
    before[denied] = False
    assert (dialogue.state.accepted == before).all()
    assert dialogue.plan().method.answered("no") != []
    assert dialogue.steps[-1].precision is None


def test_an_answer_against_all_others_contradicts_them() -> None:
    state = ask(TEXTS, truth=TRUE, questions=30).state
    odd = contradicted(state)
    answers = {pair: answer for pair, answer in state.answers.items() if pair != odd}
    probability = state.probability.copy()
    probability[state.rows] = 0
    row = int(probability.argmax())
    pair = int(state.material.left[row]), int(state.material.right[row])

    def least_fitting(answer: Answer) -> tuple[int, int] | None:
        told = answers | {pair: answer}
        return contradicted(Belief.of(state.material, state.priors, state.preset, told))

    assert least_fitting("no") == pair
    assert least_fitting("yes") != pair
