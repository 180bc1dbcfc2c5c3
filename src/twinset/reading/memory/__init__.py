"""Documents that a program has in memory.

`tables` reads what has columns, by Arrow, `items` Python's own collections, whose values may be any
objects. Each selects rows in the type that it was handed.
"""

from twinset.reading.memory.documents import MemoryDocuments, from_memory

__all__ = ["MemoryDocuments", "from_memory"]
