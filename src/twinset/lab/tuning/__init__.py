"""Tuning: which plan suits a collection, with what to expect of it.

``sample`` draws documents, ``looks`` tells what they look like and which ``views`` of them to try.
Without labels ``background`` and ``doubts`` tell near-duplicates from accidents and forms,
``guess`` sets a threshold by them and ``choice`` picks a view; with ``labels`` both are measured.
``edits`` makes near-duplicates on purpose. ``tuner`` puts it together, ``tuned`` is the result.
"""

from twinset.lab.tuning.intervals import Estimate
from twinset.lab.tuning.result import Candidate, Tuned
from twinset.lab.tuning.api import tune

__all__ = ["Candidate", "Estimate", "Tuned", "tune"]
