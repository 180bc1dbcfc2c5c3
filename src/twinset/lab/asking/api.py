"""``twinset.ask``: thirty questions about a collection, and the plan that its owner would give."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.errors import PlanError, TwinsetError
from twinset.lab.asking.answers import AnswerJournal, beside, read_answers
from twinset.lab.asking.dialogue import QUESTIONS, Dialogue
from twinset.lab.asking.gathering import gather
from twinset.lab.asking.owners import owner_of
from twinset.lab.asking.priors import stored_priors
from twinset.lab.tuning.sample import draw
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents

if TYPE_CHECKING:
    from typing_extensions import Unpack

SAMPLE = 20_000
FIRST = 5  # ids that a message lists


@reads_documents
def ask(
    documents: Any,
    *,
    questions: int = QUESTIONS,
    seed: int = 1,
    answers: str | os.PathLike[str] | None = None,
    truth: Any = None,
    output: str | os.PathLike[str] | None = None,
    sample: int = SAMPLE,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Dialogue:
    """Begin a dialogue about these documents: its questions are pairs, its result a plan.

    >>> texts = [f"note {n} says what {n * n} people of place {n} said" for n in range(40)]
    >>> dialogue = ask(texts + [text + " again" for text in texts[:20]], questions=10)
    >>> question = dialogue.question()
    >>> question.number, question.of, question.again
    (1, 10, False)
    >>> step = dialogue.answer("yes")
    >>> dialogue.plan().method.answered("yes") == [(question.left, question.right)]
    True

    ``answers`` is a file of answers that were given earlier. With ``output``, the file that the
    plan will be written to, each answer is appended to a journal beside it, and one that is there
    already is continued. ``truth`` (pairs or clusters, as for `evaluate`) answers all questions at
    once. Of more than ``sample`` documents a sample is looked at.
    """
    options = reading_arguments(reading, "ask")
    if questions < 1:
        raise PlanError([f"questions must be at least 1, not {questions}"])
    watched = progress or Silent()
    plan = Plan.make(preset="text", **options)
    resources = Resources.make(threads=threads, memory=memory)
    opened, plan = open_documents(documents, plan, resources, options)
    sampled = draw(opened, sample, seed, resources.threads, watched)
    if len(sampled) < 2:
        raise TwinsetError(
            f"documents with words: {len(sampled)}; a question needs two: "
            "add some, or check --text and --html"
        )
    material = gather(sampled, resources, watched)
    dialogue = Dialogue(
        material, plan, stored_priors(material.names), questions=questions, seed=seed
    )
    for file in (answers, beside(output) if output is not None else None):
        if file is not None and (file == answers or os.path.exists(file)):
            _replay(dialogue, file)
    if output is not None:
        _keep_journal(dialogue, output)
    if truth is not None:
        owner = owner_of(truth, material.ids)
        while (question := dialogue.question()) is not None:
            dialogue.answer(owner(question.left, question.right))
    return dialogue


def _replay(dialogue: Dialogue, file: str | os.PathLike[str]) -> None:
    """Take the answers of a file; ids that no document has are noted."""
    given = read_answers(file)
    dialogue.notes += given.notes
    known = dialogue.material.numbers
    strange: dict[str, None] = {}
    for row in given.answers:
        missing = [name for name in (row.left, row.right) if name not in known]
        strange |= dict.fromkeys(missing)
        if not missing and row.left != row.right:
            dialogue.replay(row.left, row.right, row.answer)
    if strange:
        names = ", ".join(list(strange)[:FIRST]) + (", ..." if len(strange) > FIRST else "")
        dialogue.notes.append(
            f"{file} has answers about documents that are not here ({names}): they are left out"
        )


def _keep_journal(dialogue: Dialogue, output: str | os.PathLike[str]) -> None:
    path = beside(output)
    journal = AnswerJournal(path, read_answers(path).sound_bytes if path.exists() else 0)
    dialogue.on_answer, dialogue.on_undo = journal.append, journal.undo
