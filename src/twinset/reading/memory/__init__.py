"""Documents that a program has in memory, of every kind in `KINDS` (``kinds.py``).

A kind is a class that says what it takes, yields its documents as Arrow, converting the columns
that are needed and no others, and selects rows in the type that it was handed.
"""

from __future__ import annotations

from twinset.reading.memory.documents import MemoryDocuments, from_memory

__all__ = ["MemoryDocuments", "from_memory"]
