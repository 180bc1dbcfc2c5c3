"""Measuring: what was found against what is true.

``relation`` holds sets of pairs without writing them out, ``common`` counts what two of them share;
``lists``, ``naming`` and ``taking`` read pairs and clusters of any form; ``sides``, ``found`` and
``truth`` number their documents; ``five`` has the papers' five numbers, ``clusterings`` B³ and the
adjusted Rand index, ``curve`` precision and recall over the threshold, ``log`` recall by operation;
``evaluating`` puts them together into a ``result``.
"""

from __future__ import annotations

from twinset.lab.evaluation.api import evaluate
from twinset.lab.evaluation.result import DEFINITIONS, Evaluation

__all__ = ["DEFINITIONS", "Evaluation", "evaluate"]
