"""Learning: a support vector machine that tells near-duplicates from others by similarity vectors.

Raveena, Nandini 2014. ``labels`` and ``examples`` make labelled similarity vectors, ``training``
trains, ``judged`` and ``figures`` say what it is worth, ``learning`` puts them together and
``result`` holds the model. What applies a model lies lower, in ``twinset.methods.learned``.
"""

from __future__ import annotations

from twinset.lab.learning.api import learn
from twinset.lab.learning.options import Learning
from twinset.lab.learning.result import Match, Model, load_model
from twinset.lab.learning.training import Training

__all__ = ["Learning", "Match", "Model", "Training", "learn", "load_model"]
