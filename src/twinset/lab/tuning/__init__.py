"""Tuning: which plan suits a collection, and what to expect of it.

``sample`` draws documents and ``looks`` describes them; ``views`` are ways to compare documents,
and ``workshop`` has what they need. Without labels, ``relation`` measures how the pairs of a view
agree with each other, ``situations`` (and ``noise``) name the kind of collection, ``edits`` makes
near-duplicates on purpose, and ``decision`` is the table of rules that chooses among ``plans`` by
these facts, which ``unlabelled`` gathers; ``expectation`` says what to expect. With ``labels``, the
best threshold is measured. ``api`` has `tune`, ``result`` what it returns.
"""

from twinset.lab.tuning.api import tune
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.result import Candidate, Tuned

__all__ = ["Candidate", "Estimate", "Tuned", "tune"]
