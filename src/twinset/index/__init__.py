"""A collection that is kept: add, remove, ask. Stores: a folder, PostgreSQL, a service's address.

* ``index``: `Index`, the same for all places; ``work``: what does its work, ``local`` where the
  store is at hand, ``client`` behind a service.
* ``contents``: what decides the answers; ``entries``: what is kept of a document; ``matching``:
  candidates to verified matches; ``answers``: plain results.
* ``store``: what a store offers; ``folder`` with what reads, writes and merges it (``folder_*``),
  ``locks``, ``catalogue``, ``recent``, ``packs``, ``key_files`` and ``sections``; ``postgres`` with
  what belongs to it (``postgres_*``).
"""

from twinset.index.answers import Added, QueryAnswer, QueryMatch, SharedPassage
from twinset.index.index import Index
from twinset.index.store import IdTakenError, IndexBusyError

__all__ = [
    "Added",
    "IdTakenError",
    "Index",
    "IndexBusyError",
    "QueryAnswer",
    "QueryMatch",
    "SharedPassage",
]
