"""Thirty questions: which pairs of a collection its owner calls copies.

`ask` opens a `Dialogue`; `material` is what it is about, `fitting` what it makes of the answers,
`questions` chooses the next one, `answers` keeps the journal.
"""

from twinset.lab.asking.api import ask
from twinset.lab.asking.belief import Answer
from twinset.lab.asking.dialogue import Dialogue, DialogueStep, Question

__all__ = ["Answer", "Dialogue", "DialogueStep", "Question", "ask"]
