"""What two documents are to each other, the closest first."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal["equal-bytes", "equal-words", "equal-layout", "revision", "part", "same-form"]
"""What a document is to the one that stays, the closest first."""
CLOSEST_FIRST: tuple[Kind, ...] = get_args(Kind)
