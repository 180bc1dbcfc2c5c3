"""Tuning: which plan suits a collection, with what to expect of it.

``sample`` draws documents, ``looks`` describes them and lists the ``views`` of them to try. Without
labels ``background`` and ``doubts`` tell near-duplicates from accidents and forms, and ``guess``
sets a threshold and picks a view by them; with ``labels`` both are measured. ``edits`` makes
near-duplicates on purpose. ``api`` has `tune`, ``result`` what it returns.
"""

from twinset.lab.tuning.api import tune
from twinset.lab.tuning.intervals import Estimate
from twinset.lab.tuning.result import Candidate, Tuned

__all__ = ["Candidate", "Estimate", "Tuned", "tune"]
