"""Intervals of a share that was seen in so many cases."""

from __future__ import annotations

import math

Z = 1.959963984540054  # 95 % of a normal distribution lie within


def wilson(share: float, number: float) -> tuple[float, float]:
    """Where a share lies with 95 % confidence, after Wilson 1927."""
    if number <= 0:
        return 0.0, 1.0
    spread = Z * Z / number
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / number + spread / (4 * number)) / (1 + spread)
    # Rounding must not shut out the share itself.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
