"""The journal of answers: what a kill leaves of it, and who else reads it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import twinset
from tests.contracts.models import labelled_collection
from twinset.lab.ask import AnswerJournal, ask, beside
from twinset.lab.lists import ListError, read_answers

TEXTS, LABELS = labelled_collection()
LINE = '{"left": "%s", "right": "%s", "answer": "%s"}\n'
KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from tests.contracts.models import labelled_collection
from twinset.lab.ask import ask

texts, labels = labelled_collection()
dialogue = ask(texts, questions=9, output=sys.argv[2])
for answer in ("yes", "no", "yes"):
    dialogue.answer(answer)
    print(answer, flush=True)
sys.stdin.read()
"""


def test_a_kill_loses_at_most_the_last_answer(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    root = str(Path(__file__).resolve().parents[3])
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, root, str(plan)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    for _ in range(3):
        assert child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.communicate()
    again = ask(TEXTS, questions=9, output=plan)
    assert [step.answer for step in again.steps] == ["yes", "no", "yes"]


def test_a_fault_inside_a_journal_is_named(tmp_path: Path) -> None:
    file = tmp_path / "plan.answers.jsonl"
    file.write_text(LINE % ("a", "b", "maybe") + LINE % ("a", "b", "yes"))
    with pytest.raises(ListError, match=r"line 1 of .* is no answer"):
        read_answers(file)


def test_undo_takes_a_line_out_again_also_after_reopening(tmp_path: Path) -> None:
    file = beside(tmp_path / "plan.toml")
    journal = AnswerJournal(file)
    for name in "abc":
        journal.append(name, "ж", "no")
    journal.undo()
    journal = AnswerJournal(file, file.stat().st_size)
    journal.undo()
    journal.append("d", "e", "unsure")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [row["left"] for row in rows] == ["a", "d"]


def test_evaluate_and_learn_read_answers(tmp_path: Path) -> None:
    file = tmp_path / "plan.answers.jsonl"
    lines = [LINE % (a, b, "yes" if label else "no") for a, b, label in LABELS]
    mistaken, unsure = LABELS[-1], LINE % ("a00", "a01", "unsure")
    slip = LINE % (mistaken[1], mistaken[0], "no" if mistaken[2] else "yes")
    file.write_text(slip + unsure + "".join(lines) + '{"left": "a0')
    pairs = [(a, b) for a, b, label in LABELS if label]
    measured = twinset.evaluate(pairs, file, only_judged=True)
    assert (measured.precision, measured.recall) == (1.0, 1.0)
    model = twinset.learn(TEXTS, file, features="words.cosine,words.jaccard", c=10, gamma=0.1)
    labels = twinset.learn(TEXTS, LABELS, features="words.cosine,words.jaccard", c=10, gamma=0.1)
    assert model.training["positive"] == labels.training["positive"]
