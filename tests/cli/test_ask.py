"""``twinset ask`` in scripts: lines as answers, labels as answers, and what it refuses."""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from twinset.cli import app
from twinset.plan import Plan, read_plan

ROOT = Path(__file__).resolve().parents[2]
Ask = Callable[..., subprocess.CompletedProcess[str]]
RUSSIAN = ROOT / "examples" / "collection" / "russian"


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """``twinset ask`` with lines on its stdin, in the temporary folder."""
    monkeypatch.chdir(tmp_path)

    def run(lines: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        words = ["ask", str(RUSSIAN), *map(str, arguments)]
        result = CliRunner().invoke(app, words, input=lines, prog_name="twinset")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return subprocess.CompletedProcess(words, result.exit_code, result.stdout, result.stderr)

    return run


def journal(folder: Path) -> list[str]:
    lines = (folder / "plan.answers.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["answer"] for line in lines]


def test_lines_answer_and_the_end_says_what_to_run(ask: Ask, tmp_path: Path) -> None:
    done = ask("y\nno\n\nUNSURE\nundo\nmaybe\n?\nm\nn\n", "--questions", 5)
    assert done.returncode == 0, done.stderr
    assert journal(tmp_path) == ["yes", "no", "no"]
    assert read_plan("plan.toml").keep == Plan.make(preset="files").keep
    assert "'maybe' is no answer" in done.stdout
    assert "Plan: plan.toml, from 3 answers" in done.stdout
    assert "The same command goes on with the next question." in done.stdout
    assert done.stdout.endswith(f"Next: twinset find {RUSSIAN} --plan plan.toml -o report\n")
    again = ask("y\ny\n", "--questions", 5)
    assert "3 answers found, going on" in again.stderr
    assert journal(tmp_path) == ["yes", "no", "no", "yes", "yes"]
    assert "goes on with the next question" not in again.stdout


def test_one_json_object_and_the_questions_beside_it(ask: Ask) -> None:
    done = ask("y\nq\n", "--json", "-q")
    result = json.loads(done.stdout)
    assert (result["plan"], result["answers"]) == ("plan.toml", 1)
    assert result["next"].startswith("twinset find ")
    assert "Question 2 of 30" in done.stderr


def test_labels_answer(ask: Ask, tmp_path: Path) -> None:
    truth = (ROOT / "examples" / "truth.csv").read_text(encoding="utf-8")
    (tmp_path / "truth.csv").write_text(truth.replace("russian/", ""), encoding="utf-8")
    done = ask("", "--truth", "truth.csv", "--questions", 6)
    assert done.returncode == 0, done.stderr
    assert len(journal(tmp_path)) >= 6
    assert "Question" not in done.stdout
    assert "Plan: plan.toml" in done.stdout


def test_answers_of_a_file_come_first(ask: Ask, tmp_path: Path) -> None:
    assert ask("y\nn\n", "-o", "first.toml").returncode == 0
    done = ask("n\n", "--answers", "first.answers.jsonl")
    assert "2 answers found, going on" in done.stderr
    assert "Plan: plan.toml, from 3 answers" in done.stdout


def test_no_answer_leaves_nothing(ask: Ask, tmp_path: Path) -> None:
    done = ask("q\n")
    assert done.returncode == 0
    assert "No question was answered: no plan was written." in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_plan_made_otherwise_is_not_replaced(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("threshold = 0.7\n")
    done = ask("y\n")
    assert done.returncode == 1
    assert "plan.toml exists: choose another name, or --force to replace it" in done.stderr
    assert (tmp_path / "plan.toml").read_text() == "threshold = 0.7\n"
    assert ask("y\n", "--force").returncode == 0
    assert journal(tmp_path) == ["yes"]


def test_answers_about_other_documents_are_not_mixed_with_these(ask: Ask, tmp_path: Path) -> None:
    line = '{"left": "x", "right": "y", "answer": "yes"}\n'
    (tmp_path / "plan.answers.jsonl").write_text(line)
    done = ask("y\n")
    assert done.returncode == 1
    assert "holds answers about other documents: choose another -o, or --force" in done.stderr
    assert (tmp_path / "plan.answers.jsonl").read_text() == line
    assert ask("n\n", "--force").returncode == 0
    assert journal(tmp_path) == ["no"]
    assert (tmp_path / "plan.answers.old.jsonl").read_text() == line


def test_two_at_once_are_refused(ask: Ask, tmp_path: Path) -> None:
    with open(tmp_path / "plan.answers.jsonl", "wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = ask("y\n")
    assert done.returncode == 1
    assert "is in use by another 'twinset ask': end that one first" in done.stderr
