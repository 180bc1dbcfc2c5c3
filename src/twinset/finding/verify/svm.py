"""A support vector machine that was trained elsewhere, applied with NumPy alone.

g(x) = Σ αⱼ K(xⱼ, x) + b over scaled similarity vectors; documents are near-duplicates if g(x) ≥ 0.
Sums run over one component or support vector after the other and not in a library for matrices,
whose results differ from one machine to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from twinset.model import Floats
from twinset.plan.shared import Kernel

KERNELS = get_args(Kernel)
_AT_ONCE = 1 << 19  # kernel values in memory
_DIGITS = 12  # of a score: what is beyond depends on the machine


@dataclass(frozen=True, slots=True)
class Svm:
    """Support vectors with their coefficients; a row of ``vectors`` is a scaled similarity vector.

    A linear machine has one vector, its weights. ``slope`` makes scores of decision values.
    """

    kernel: Kernel
    gamma: float
    coef0: float
    degree: int
    mean: Floats
    scale: Floats
    vectors: Floats
    coefficients: Floats
    intercept: float
    slope: float = 1.0

    def decide(self, x: Floats) -> Floats:
        """g(x) of each row."""
        step = max(1, _AT_ONCE // max(len(self.vectors), 1))
        parts = [self._decide(x[begin : begin + step]) for begin in range(0, len(x), step)]
        return np.concatenate([np.empty(0), *parts])

    def scores(self, decided: Floats) -> Floats:
        """1/(1+exp(−slope·g)): 0.5 is the boundary."""
        with np.errstate(over="ignore"):
            squashed = 1 / (1 + np.exp(-self.slope * decided))
        scores: Floats = squashed.round(_DIGITS)
        return scores

    def _decide(self, x: Floats) -> Floats:
        scaled = (x - self.mean) / self.scale
        decided: Floats = (self._kernel(scaled) * self.coefficients).sum(axis=1) + self.intercept
        return decided

    def _kernel(self, x: Floats) -> Floats:
        total = np.zeros((len(x), len(self.vectors)))
        for column in range(x.shape[1]):
            a, b = x[:, column, None], self.vectors[None, :, column]
            total += (a - b) ** 2 if self.kernel == "rbf" else a * b
        if self.kernel == "linear":
            return total
        if self.kernel == "rbf":
            return np.exp(-self.gamma * total)
        inner = self.gamma * total + self.coef0
        result: Floats = np.tanh(inner) if self.kernel == "sigmoid" else inner**self.degree
        return result
