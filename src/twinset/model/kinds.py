"""The names for what two documents that are alike are to each other; `verify.kinds` decides."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Kind = Literal["equal-bytes", "equal-words", "equal-layout", "revision", "part", "same-form"]
"""What a document is to another one, the closest first."""
KINDS: tuple[Kind, ...] = get_args(Kind)
NOT_ASKED, LEFT_OUT = -1, -2
"""Pairs of which no kind was asked for, and those beyond the bound of what is compared."""
Codes = NDArray[np.int8]
"""Places in `KINDS`, or one of the above."""
