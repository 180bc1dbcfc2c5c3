"""``twinset ask``."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from twinset.cli.options import (
    Force,
    Grade,
    InputPaths,
    Mask,
    OutputOptions,
    ReadingOptions,
    ResourceOptions,
    Seed,
    Truth,
    given_options,
)
from twinset.cli.output import command_line, console, print_json, say, say_next
from twinset.cli.parameters import Group, option
from twinset.cli.progress import shown
from twinset.errors import ReportError, Stopped
from twinset.plan.spec import counted
from twinset.system.remote import path_or_address

if TYPE_CHECKING:
    from twinset.lab.ask import Dialogue


@contextmanager
def own_journal(out: str, force: bool) -> Iterator[Path]:
    """The journal of the plan ``out``, locked; an empty one does not stay.

    A plan without a journal was made otherwise, and is replaced only by ``force``, which also
    puts older answers aside.
    """
    from twinset.lab.ask import beside
    from twinset.result.places import ensure_free_file

    journal = beside(out)
    ensure_free_file(out, force or journal.is_file(), "plan.toml")
    file = os.open(journal, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(file, journal)
        if force and os.fstat(file).st_size:
            journal.with_name(f"{journal.stem}.old.jsonl").write_bytes(journal.read_bytes())
            os.ftruncate(file, 0)
        yield journal
    finally:
        if not os.fstat(file).st_size:
            with suppress(OSError):
                journal.unlink()
        os.close(file)


def _lock(file: int, journal: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ReportError(
            f"{journal} is in use by another 'twinset ask': end that one first, or choose "
            "another -o"
        ) from None
    except OSError:
        return  # some network file systems have none


class QuestionsAndPlan(Group):
    """How many questions are asked, and where the plan and the answers are written."""

    out: Annotated[
        str,
        option(
            "--out", "-o", metavar="FILE", help="Write the plan here, as TOML.", shown="plan.toml"
        ),
    ] = "plan.toml"
    force: Force = False
    questions: Annotated[
        int | None,
        option("--questions", metavar="N", help="How many questions to ask.", shown="30"),
    ] = None
    sample: Annotated[
        int | None,
        option("--sample", metavar="N", help="How many documents to look at.", shown="5000"),
    ] = None
    seed: Seed = None
    answers: Annotated[
        str | None,
        option(
            "--answers",
            metavar="FILE",
            help="Answers to begin with (left, right, answer: yes, no or unsure), as JSON lines.",
            shown="those beside the plan",
        ),
    ] = None
    mask: Mask = None
    truth: Truth = None
    grade: Grade = None
    exchange: Annotated[
        str | None,
        option(
            "--exchange",
            metavar="DIR",
            help="Exchange questions and answers with another program through files in DIR.",
        ),
    ] = None


def command(
    inputs: InputPaths,
    reading: ReadingOptions,
    asking: QuestionsAndPlan,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Ask about pairs of these documents, and write a plan that finds what you call copies.

    One key answers a question: y yes, n no, u unsure, z undo, m more text, q stop. Answers are kept
    in plan.answers.jsonl: the same command goes on after any end. Where stdin is no terminal, each
    line is an answer. With --truth the labels answer.

    \b
    Example:
      twinset ask corpus.jsonl -o plan.toml
      twinset find corpus.jsonl --plan plan.toml -o report
      yes n | head -5 | twinset ask corpus.jsonl -o plan.toml --questions 5
    """
    with own_journal(asking.out, asking.force) as journal:
        dialogue = _prepared(inputs, asking, output, given_options(reading, resources, asking))
        _greet(dialogue, journal, asking, output)
        save = partial(_save, dialogue, asking.out)
        try:
            _converse(dialogue, asking, output, save)
        except (KeyboardInterrupt, Stopped) as end:
            kept = "no question was answered, nothing was written"
            if dialogue.steps:
                answers = counted(len(dialogue.steps), "answer")
                kept = f"{answers} and {asking.out} are kept: the same command goes on"
            raise type(end)(f"stopped; {kept}") from None
        if dialogue.steps:
            save()
        _print_result(dialogue, inputs, asking, output)


def _prepared(
    inputs: InputPaths, asking: QuestionsAndPlan, output: OutputOptions, options: dict[str, Any]
) -> Dialogue:
    """The dialogue at its first question."""
    from twinset.lab.ask import ask

    for name in ("out", "exchange", "force"):
        options.pop(name, None)
    with shown(output.quiet) as bar:
        paths = [path_or_address(name) for name in inputs.inputs]
        return ask(paths, progress=bar, output=asking.out, **options)


def _greet(
    dialogue: Dialogue, journal: Path, asking: QuestionsAndPlan, output: OutputOptions
) -> None:
    """What there is to say before the first question."""
    if not dialogue.steps and journal.stat().st_size:
        raise ReportError(
            f"{journal} holds answers about other documents: choose another -o, or --force to put "
            "them aside and begin again"
        )
    found = f"{counted(len(dialogue.steps), 'answer')} found, going on"
    going_on = [found] if dialogue.steps and asking.truth is None else []
    for line in (*(f"note: {note}" for note in dialogue.notes), *going_on):
        if not output.quiet:
            click.echo(line, err=True)


def _converse(
    dialogue: Dialogue, asking: QuestionsAndPlan, output: OutputOptions, save: Callable[[], None]
) -> None:
    """Ask the questions, here or through another program."""
    if asking.exchange is not None:
        from twinset.lab.exchange import Asker

        Asker(Path(asking.exchange), dialogue, save).run()
        return
    from twinset.cli.ask_talk import Talk, single_keys

    with single_keys():
        Talk(dialogue, console(sys.stderr if output.json else sys.stdout), save).run()


def _save(dialogue: Dialogue, out: str) -> None:
    from twinset.result.places import write_file

    write_file(out, dialogue.plan().as_toml().encode())


def _print_result(
    dialogue: Dialogue, inputs: InputPaths, asking: QuestionsAndPlan, output: OutputOptions
) -> None:
    from twinset.cli.ask_talk import expected

    next_command = command_line("find", *inputs.inputs, "--plan", asking.out, "-o", "report")
    last = dialogue.steps[-1] if dialogue.steps else None
    if output.json:
        figures = {name: getattr(last, name, None) for name in ("precision", "recall", "pairs")}
        answers = len(dialogue.steps)
        print_json({"plan": asking.out, "answers": answers, **figures, "next": next_command})
        return
    say("")
    if last is None:
        say("No question was answered: no plan was written.")
        return
    say(f"Plan: {asking.out}, from {counted(len(dialogue.steps), 'answer')}")
    say(f"{expected(last).capitalize()}. {last.worth}")
    if dialogue.question() is not None:
        say("The same command goes on with the next question.")
    say_next(next_command)
