"""The names for what two documents that are alike are to each other; `verify.kinds` decides."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal["equal-bytes", "equal-words", "equal-layout", "revision", "part", "same-form"]
"""What a document is to another one, the closest first."""
KINDS: tuple[Kind, ...] = get_args(Kind)
STAY: frozenset[Kind] = frozenset(("part", "same-form"))
"""Kinds that are never a ground for removing a document."""
