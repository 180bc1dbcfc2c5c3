"""Which texts may be HTML pages, found out without the patterns that decide on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.text import page_bounds as bounds

_ELEMENTS = np.frombuffer(f"{bounds.ELEMENTS}|".replace("|", "\0").encode(), np.uint8)


def may_be_pages(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """False where a text is no page and does not begin with mark-up, which is so for most."""
    rules = bounds.HEAD, bounds.LEAST_CLOSED, bounds.LEAST_TAGS, bounds.MOST_BEFORE
    found = _kernels.may_be_pages(data, offsets, *rules, bounds.LEAST_IN_TAGS, _ELEMENTS)
    return found.view(np.bool_)
