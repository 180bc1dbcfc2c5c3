"""Tuning: which plan suits a collection, and what to expect of it.

``sample`` draws documents; ``looks`` describes them and lists the ``views`` to try. Without labels,
``background`` separates near-duplicates from chance, ``doubts`` separates them from forms, and
``guess`` uses both to set a threshold and choose a view; with ``labels``, both are measured.
``edits`` makes near-duplicates on purpose. ``api`` has `tune`, ``result`` what it returns.
"""

from twinset.lab.tuning.api import tune
from twinset.lab.tuning.result import Candidate, Tuned
from twinset.lab.tuning.tuned_view import Estimate

__all__ = ["Candidate", "Estimate", "Tuned", "tune"]
