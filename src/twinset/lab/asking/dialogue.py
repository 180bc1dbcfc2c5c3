"""Questions about pairs, one at a time; every answer improves the judgement.

A dialogue is a function of its material, its seed and the answers so far: taking the last answer
back, or reading the answers from a file, leads to the same state as giving them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from twinset.errors import TwinsetError
from twinset.lab.asking.belief import Answer, Belief, Pair
from twinset.lab.asking.contradictions import contradicted
from twinset.lab.asking.expecting import CopiesChanged, WorthAsking
from twinset.lab.asking.fitting import Prior
from twinset.lab.asking.material import Material
from twinset.lab.asking.priors import prior_of_preset
from twinset.lab.asking.questions import Chooser
from twinset.plan import Plan

QUESTIONS = 30


class AnswerError(TwinsetError):
    """An answer that cannot be taken."""


@dataclass(frozen=True, slots=True)
class Question:
    """Are these two documents copies?

    ``again``: it was answered before, and the answer contradicts the others.
    """

    number: int
    of: int
    left: str
    right: str
    left_text: str
    right_text: str
    probability: float
    signals: list[str]
    again: bool


@dataclass(frozen=True, slots=True)
class DialogueStep:
    """An answer and what is expected since; None where there is no evidence to expect it by."""

    question: Question
    answer: Answer
    precision: float | None
    recall: float | None
    pairs: int
    change: CopiesChanged
    outlook: WorthAsking

    @property
    def changed(self) -> str:
        """What the answer has changed, in a sentence."""
        return self.change.in_words()

    @property
    def worth(self) -> str:
        """How much more is worth asking, in a sentence."""
        return self.outlook.in_words()


class Dialogue:
    """Questions about the candidate pairs of some documents.

    ``on_answer`` is called with each answer as it is given, and ``on_undo`` when one is taken back:
    this is where a journal is kept. ``notes`` say what of earlier answers was left out.
    """

    def __init__(
        self,
        material: Material,
        plan: Plan,
        priors: Sequence[Prior],
        *,
        questions: int = QUESTIONS,
        seed: int = 1,
    ) -> None:
        self.material, self.questions = material, questions
        self.notes: list[str] = []
        self._plan = plan
        self._chooser = Chooser(material.left, material.right, material.classes, seed)
        self._states = [Belief.of(material, [*priors, prior_of_preset(plan)], plan, {})]
        self._steps: list[DialogueStep] = []
        self._question: Question | None = None
        self.on_answer: Callable[[str, str, Answer], None] = lambda left, right, answer: None
        self.on_undo: Callable[[], None] = lambda: None

    @property
    def steps(self) -> Sequence[DialogueStep]:
        """One per answer."""
        return tuple(self._steps)

    @property
    def state(self) -> Belief:
        """What is believed now."""
        return self._states[-1]

    @property
    def answers(self) -> dict[Pair, Answer]:
        """The answers by document numbers; where one was given twice, the last."""
        return dict(self.state.answers)

    def question(self) -> Question | None:
        """The next question; None when enough were asked, or there is no other pair."""
        if self._question is None:
            self._question = self._next()
        return self._question

    def answer(self, answer: Answer) -> DialogueStep:
        """Answer the question and see what changes."""
        question = self.question()
        if question is None:
            raise AnswerError("there is no question left to answer: ask for more questions")
        if answer not in get_args(Answer):
            raise AnswerError(f"'{answer}' is no answer: say {', '.join(get_args(Answer))}")
        self.on_answer(question.left, question.right, answer)
        return self._take(question, answer)

    def replay(self, left: str, right: str, answer: Answer) -> DialogueStep:
        """Take an answer that was given earlier, in whatever order."""
        numbers = self.material.numbers
        pair = sorted((numbers[left], numbers[right]))
        again = (pair[0], pair[1]) in self.state.answers
        return self._take(self._ask((pair[0], pair[1]), again), answer)

    def undo(self) -> None:
        """Take the last answer back; its question comes again."""
        if not self._steps:
            raise AnswerError("there is no answer to take back")
        self.on_undo()
        self._question = self._steps.pop().question
        self._states.pop()

    def signals_in(self, language: str) -> list[str]:
        """What stands out in the pair of the current question, in a language."""
        question, numbers = self.question(), self.material.numbers
        if question is None:
            return []
        pair = sorted((numbers[question.left], numbers[question.right]))
        row = self.material.rows.get((pair[0], pair[1]))
        return [] if row is None else self.material.words(row, language)

    def plan(self) -> Plan:
        """The plan as it stands now: before any answer that of the preset."""
        return self.state.plan(self._plan)

    def _take(self, question: Question, answer: Answer) -> DialogueStep:
        numbers = self.material.numbers
        pair = sorted((numbers[question.left], numbers[question.right]))
        before, after = self.state, self.state.told((pair[0], pair[1]), answer)
        self._states.append(after)
        precision, recall = after.expected
        step = DialogueStep(
            question,
            answer,
            precision,
            recall,
            int(after.accepted.sum()),
            CopiesChanged.between(before.accepted, after.accepted),
            WorthAsking.after([state.accepted for state in self._states], after.probability),
        )
        self._steps.append(step)
        self._question = None
        return step

    def _next(self) -> Question | None:
        shown_again = {
            (step.question.left, step.question.right) for step in self._steps if step.question.again
        }
        pair = contradicted(self.state)
        if pair is not None:
            question = self._ask(pair, again=True)
            if (question.left, question.right) not in shown_again:
                return question
        number = len(self.state.answers)
        if number >= self.questions:
            return None
        rows = self.material.rows
        asked = np.array([rows[p] for p in self.state.answers if p in rows], np.int64)
        row = self._chooser.row(self.state.probability, asked, number)
        if row is None:
            return None
        return self._ask((int(self.material.left[row]), int(self.material.right[row])), again=False)

    def _ask(self, pair: Pair, again: bool) -> Question:
        material, (left, right) = self.material, pair
        row = material.rows.get(pair)
        number = len(self.state.answers) + (0 if again else 1)
        return Question(
            min(number, self.questions),
            self.questions,
            material.ids[left],
            material.ids[right],
            material.texts[left],
            material.texts[right],
            float("nan") if row is None else float(self.state.probability[row]),
            [] if row is None else material.words(row, "en"),
            again,
        )
