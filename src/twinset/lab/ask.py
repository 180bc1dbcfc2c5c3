"""`ask`: thirty questions about a collection, and the plan that its owner would give.

A dialogue is a function of its material, its seed and the answers so far: taking the last answer
back, or reading the answers from a file, leads to the same state as giving them one by one.

The first five questions look at the whole range of probabilities. Then they come in fives: two
where the judgement is least sure, which is the boundary of what is accepted; two where accepting
more would pay if the probabilities are right, so that they are put right where most pairs depend on
them; and one anywhere on the scale, so that a mistake far from the boundary is noticed. Pairs of
documents that were asked about before tell little new and are avoided as long as there are others.
An answer that does not fit the others is asked for once more.

The journal of answers has one JSON object per line, left, right and answer. Each answer is on the
disk before the next question is shown, so a run that is killed loses at most the last one; a line
that was cut short costs that line only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import PlanError, TwinsetError
from twinset.finding.signals import NAMES, Profiles, in_words, signal_table
from twinset.finding.signals.base import View
from twinset.lab.belief import PRIOR_OF_PRESET, Belief, Material, Pair, Prior, stored_priors
from twinset.lab.lists import ANSWERS, Answer, read_answers
from twinset.lab.truth import Truth, TruthOptions
from twinset.lab.views import Sample, open_sample
from twinset.model import Floats, Ints
from twinset.pages.language import say
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.plan.presets import keep_for
from twinset.run.progress import Progress, Silent
from twinset.text.wording import Rewriter, masks_of, reworded, rewriter_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


def beside(plan: str | os.PathLike[str]) -> Path:
    """The journal of a plan: plan.toml has plan.answers.jsonl."""
    return Path(plan).with_suffix(".answers.jsonl")


class AnswerJournal:
    """A file of answers; what follows its first ``sound_bytes``, half a line, is dropped.

    It is only ever appended to and cut, since the command holds a lock on it.
    """

    def __init__(self, path: str | os.PathLike[str], sound_bytes: int = 0) -> None:
        self._file: IO[bytes] = Path(path).open("ab+", buffering=0)  # noqa: SIM115
        self._file.truncate(sound_bytes)
        self._file.seek(0)
        self._lines = self._file.read().splitlines(keepends=True)
        if self._lines and not self._lines[-1].endswith(b"\n"):
            self._lines[-1] += b"\n"
            self._write(b"\n")

    def append(self, left: str, right: str, answer: Answer) -> None:
        """Write an answer, through to the disk."""
        row = {"left": left, "right": right, "answer": answer}
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        self._lines.append(line)
        self._write(line)

    def undo(self) -> None:
        """Take the last line out again."""
        self._lines.pop()
        self._file.truncate(sum(map(len, self._lines)))
        self._write(b"")

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        os.fsync(self._file.fileno())


ENOUGH = 6  # answers before one of them can be called improbable
IMPROBABLE = 0.2  # of an answer, by a judgement that has seen it already


def contradicted(state: Belief) -> Pair | None:
    """The pair whose answer fits the others least, if it contradicts them."""
    suspects = {pair: _chance(state, pair) for pair in _intransitive(state.answers)}
    if len(state.answers) >= ENOUGH:
        chances = {pair: _chance(state, pair) for pair in state.answers}
        suspects |= {pair: p for pair, p in chances.items() if p < IMPROBABLE}
    return min(suspects, key=lambda pair: (suspects[pair], pair)) if suspects else None


def _chance(state: Belief, pair: Pair) -> float:
    """How probable the answer is by the judgement; an unsure one contradicts nothing."""
    row, answer = state.material.rows.get(pair), state.answers[pair]
    if row is None or answer == "unsure":
        return 1.0
    p = float(state.probability[row])
    return p if answer == "yes" else 1 - p


def _intransitive(answers: Mapping[Pair, str]) -> Iterable[Pair]:
    """The pairs of triples A = B, B = C, A ≠ C."""
    same: dict[int, set[int]] = {}
    for (left, right), answer in answers.items():
        if answer == "yes":
            same.setdefault(left, set()).add(right)
            same.setdefault(right, set()).add(left)
    for (left, right), answer in answers.items():
        if answer == "no":
            for middle in same.get(left, set()) & same.get(right, set()):
                yield left, right
                for end in (left, right):
                    yield min(end, middle), max(end, middle)


Bools = NDArray[np.bool_]
LOOKED_BACK = 5  # answers that show whether the judgement still moves
SETTLED = 0.01  # share of the copies that these may change


@dataclass(frozen=True, slots=True)
class CopiesChanged:
    """How many pairs are copies since an answer, and how many are no longer."""

    more: int
    fewer: int

    @classmethod
    def between(cls, before: Bools, after: Bools) -> CopiesChanged:
        """How the copies differ from those before the answer."""
        return cls(int((after & ~before).sum()), int((before & ~after).sum()))

    def in_words(self, language: str = "en") -> str:
        if not self.more and not self.fewer:
            return say(language, "asking.same")
        parts = [("more", self.more), ("fewer", self.fewer)]
        return "; ".join(say(language, f"asking.{name}", n=n) for name, n in parts if n) + "."


@dataclass(frozen=True, slots=True)
class WorthAsking:
    """How many pairs the last answers have moved (None: too few yet), and what is in doubt."""

    moved: int | None
    doubtful: int
    is_settled: bool

    @classmethod
    def after(cls, history: Sequence[Bools], probability: Floats) -> WorthAsking:
        """How much more is worth asking, by what the last answers changed and by what is in doubt.

        ``history`` has the copies before the first answer and after each.
        """
        now = history[-1]
        doubtful = round(float(np.minimum(probability, 1 - probability).sum()))
        if len(history) <= LOOKED_BACK:
            return cls(None, doubtful, False)
        moved = int((now != history[-1 - LOOKED_BACK]).sum())
        return cls(moved, doubtful, moved <= SETTLED * max(int(now.sum()), 1))

    def in_words(self, language: str = "en") -> str:
        if self.moved is None:
            return say(language, "asking.first")
        moved = say(language, "asking.moved", n=self.moved, last=LOOKED_BACK)
        if self.is_settled:
            return f"{moved}: {say(language, 'asking.stop')}."
        doubt = say(language, "asking.doubtful", n=self.doubtful)
        return f"{moved}, {doubt}: {say(language, 'asking.go_on')}."


FIRST = (0.9, 0.5, 0.2, 0.7, 0.05)
BELOW = (1, 3)  # of five questions, those that ask where accepting more would pay
LEAST = 0.25  # probability of such a pair
SMALL = 0.1  # a probability that plays no part there
ROUNDS = 6
DRAWN = 8  # pairs nearest to what is sought, of which one is drawn


class Chooser:
    """Chooses rows of the candidates; the same answers and seed give the same question.

    ``classes`` numbers documents so that those of equal text have the same number.
    """

    def __init__(self, left: Ints, right: Ints, classes: Ints, seed: int) -> None:
        first, second = classes[left], classes[right]
        self.low, self.high = np.minimum(first, second), np.maximum(first, second)
        self.documents = int(self.high.max(initial=0)) + 1
        self.keys = self.low * self.documents + self.high
        self.seed = seed

    def free(self, asked: Ints) -> NDArray[np.bool_]:
        """The rows worth asking: no pair twice, and no document twice where that is possible."""
        new: NDArray[np.bool_] = np.ones(len(self.keys), bool)
        for row in asked.tolist():
            new &= self.keys != self.keys[row]
        seen = np.zeros(self.documents, bool)
        seen[self.low[asked]] = seen[self.high[asked]] = True
        low, high = seen[self.low], seen[self.high]
        unseen, fresh = new & ~(low | high), new & ~(low & high)
        for rows in (unseen, fresh):
            if rows.sum() >= DRAWN:
                return rows
        return new

    def row(
        self, probability: Floats, asked: Ints, number: int, boundary: float = 0.5
    ) -> int | None:
        """The row of question ``number``, counted from 0; None where all have been asked.

        ``boundary`` is the probability from which on pairs are accepted.
        """
        rows = np.flatnonzero(self.free(asked))
        if not len(rows):
            return None
        draw = np.random.default_rng([self.seed, number])
        turn = (number - len(FIRST)) % 5
        if number < len(FIRST):
            sought = _logit(FIRST[number])
        elif turn == 4:
            sought = draw.uniform(-5, 5)
        else:
            sought = _logit(paying(probability) if turn in BELOW else boundary)
        distance = np.abs(_logit(np.clip(probability[rows], 1e-6, 1 - 1e-6)) - sought)
        distance = np.round(distance, 4)
        last = min(DRAWN, len(rows)) - 1
        near = np.flatnonzero(distance <= np.partition(distance, last)[last])
        near = near[np.argsort(distance[near], kind="stable")][:DRAWN]
        return int(rows[draw.choice(near)])


def _logit(p: Any) -> Any:
    return np.log(p / (1 - p))


def paying(probability: Floats) -> float:
    """The probability from which on accepting a pair raises the expected F1: half of that F1.

    (Lipton, Elkan and Naryanaswamy: Optimal thresholding of classifiers to maximize F1 measure,
    2014.) Small probabilities are left out: thousands of them would add up.
    """
    copies = float(probability[probability >= SMALL].sum())
    goal = 0.5
    for _ in range(ROUNDS):
        accepted = probability[probability >= goal]
        f1 = 2 * float(accepted.sum()) / (len(accepted) + copies) if len(accepted) else 0.0
        goal = round(min(0.5, max(LEAST, f1 / 2)), 4)
    return goal


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
        self._plan, self.masks = plan, masks_of(plan)
        self._chooser = Chooser(material.left, material.right, material.classes, seed)
        self._states = [Belief.of(material, [*priors, PRIOR_OF_PRESET], plan, {})]
        self.steps: list[DialogueStep] = []
        self._question: Question | None = None
        self.on_answer: Callable[[str, str, Answer], None] = lambda left, right, answer: None
        self.on_undo: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        return f"Dialogue({len(self.answers)} of {self.questions} questions answered)"

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
        if answer not in ANSWERS:
            raise AnswerError(f"'{answer}' is no answer: say {', '.join(ANSWERS)}")
        self.on_answer(question.left, question.right, answer)
        return self._take(question, answer)

    def replay(self, left: str, right: str, answer: Answer) -> DialogueStep:
        """Take an answer that was given earlier, in whatever order."""
        pair = self.material.pair(left, right)
        return self._take(self._ask(pair, pair in self.state.answers), answer)

    def undo(self) -> None:
        """Take the last answer back; its question comes again."""
        if not self.steps:
            raise AnswerError("there is no answer to take back")
        self.on_undo()
        self._question = self.steps.pop().question
        self._states.pop()

    def signals_in(self, language: str) -> list[str]:
        """What stands out in the pair of the current question, in a language."""
        question = self.question()
        if question is None:
            return []
        row = self.material.rows.get(self.material.pair(question.left, question.right))
        return [] if row is None else self.material.words(row, language)

    def plan(self) -> Plan:
        """The plan as it stands now: before any answer that of the preset."""
        return self.state.plan(self._plan)

    def _take(self, question: Question, answer: Answer) -> DialogueStep:
        pair = self.material.pair(question.left, question.right)
        before, after = self.state, self.state.told(pair, answer)
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
        self.steps.append(step)
        self._question = None
        return step

    def _next(self) -> Question | None:
        shown_again = {
            (step.question.left, step.question.right) for step in self.steps if step.question.again
        }
        pair = contradicted(self.state)
        if pair is not None:
            question = self._ask(pair, again=True)
            if (question.left, question.right) not in shown_again:
                return question
        number = len(self.state.answers)
        if number >= self.questions:
            return None
        state = self.state
        row = self._chooser.row(state.probability, state.rows, number, state.judgement.threshold)
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


NEIGHBOURLY: tuple[View, ...] = ("words2", "words3", "folded5")
"""The views that neighbours are looked for in: each is a step of the progress bar."""
AT_ONCE = 5000  # pairs between two steps of the progress bar
DIGITS = 6  # of a signal: the last ones must not decide what is asked


def gather(
    sample: Sample, resources: Resources, progress: Progress, rewriter: Rewriter | None = None
) -> Material:
    """The pairs worth asking about, with their signals; equal texts are looked at once.

    Words are compared as the ``rewriter`` writes them; a person sees the texts as they are.
    """
    first: dict[str, int] = {}
    for number, text in enumerate(sample.texts):
        first.setdefault(text, number)
    rows = list(first.values())
    ids, texts = [sample.ids[row] for row in rows], [sample.texts[row] for row in rows]
    progress.stage("looking for neighbours", len(NEIGHBOURLY) + 1)
    compared = reworded(pa.array(texts, pa.large_string()), rewriter, resources.threads)
    profiles = Profiles.of([compared], resources.threads)
    for view in NEIGHBOURLY:
        profiles.view(view)
        progress.advance(1)
    left, right = profiles.pairs
    progress.stage("comparing pairs", len(left))
    table = np.empty((len(left), len(NAMES)))
    for begin in range(0, len(left), AT_ONCE):
        some = slice(begin, begin + AT_ONCE)
        table[some] = signal_table(profiles, left[some], right[some], NAMES, resources.threads)
        progress.advance(len(table[some]))
    np.round(table, DIGITS, out=table)

    def words(row: int, language: str) -> list[str]:
        return in_words(profiles, int(left[row]), int(right[row]), language)

    material = Material(ids, texts, left, right, table, NAMES, words)
    # Made here, while progress is shown, and not after the first answer.
    _ = material.rows, material.columns, material.classes
    return material


Owner = Callable[[str, str], Answer]


def owner_of(truth: Any, ids: Sequence[str], grade: float | None = None) -> Owner:
    """Answers yes where the labels have the pair, no elsewhere; of grades, unsure without one."""
    options = TruthOptions(truth, grade=grade, only_judged=True)
    read = Truth.read(options, pa.array(ids, pa.large_string()), unknown="omit", graded=True)

    def answer(left: str, right: str) -> Answer:
        pair = read.ids.numbers(pa.array([left, right], pa.large_string()))
        if read.judged is not None and not read.counts(pair[:1], pair[1:])[0]:
            return "unsure"
        return "yes" if read.side.pairs.contains(pair[:1], pair[1:])[0] else "no"

    return answer


SAMPLE = 5000  # documents; with 20,000 the first question took 33 s, with these 12
LISTED = 5  # ids that a message lists


@reads_documents
def ask(
    documents: Any,
    *,
    questions: int = QUESTIONS,
    seed: int = 1,
    answers: str | os.PathLike[str] | None = None,
    truth: Any = None,
    grade: float | None = None,
    output: str | os.PathLike[str] | None = None,
    sample: int = SAMPLE,
    mask: Sequence[str] = (),
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
    already is continued. ``truth`` (pairs, clusters or grades with the least ``grade``, as for
    `evaluate`) answers all questions at once. Of more than ``sample`` documents a sample is looked
    at. What a ``mask`` matches is left out of the comparison, as in `find`.
    """
    options = reading_arguments(reading, "ask")
    if grade is not None and truth is None:
        raise PlanError(["grade is about a truth with grades: give both, or leave grade out"])
    if questions < 1:
        raise PlanError([f"questions must be at least 1, not {questions}"])
    watched = progress or Silent()
    plan = Plan.make(preset="text", mask=mask, **keep_for(documents), **options)
    resources = Resources.make(threads=threads, memory=memory)
    sampled, plan = open_sample(documents, plan, sample, seed, resources, watched)
    owner = None if truth is None else owner_of(truth, sampled.ids, grade)
    material = gather(sampled, resources, watched, rewriter_of(plan))
    dialogue = Dialogue(
        material, plan, stored_priors(material.names), questions=questions, seed=seed
    )
    for file in (answers, beside(output) if output is not None else None):
        if file is not None and (file == answers or os.path.exists(file)):
            _replay(dialogue, file)
    if output is not None:
        path = beside(output)
        journal = AnswerJournal(path, read_answers(path).sound_bytes if path.exists() else 0)
        dialogue.on_answer, dialogue.on_undo = journal.append, journal.undo
    if owner is not None:
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
        names = ", ".join(list(strange)[:LISTED]) + (", ..." if len(strange) > LISTED else "")
        dialogue.notes.append(
            f"{file} has answers about documents that are not here ({names}): they are left out"
        )
