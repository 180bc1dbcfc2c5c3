"""A collection that is kept: add, remove, ask. Stores: a folder, PostgreSQL, a service's address.

* ``index``: `Index`, the same for all places; ``work``: what does its work and what it answers,
  ``local`` where the store is at hand, ``client`` behind a service.
* ``contents``: what decides the answers; ``entries``: what is kept of a document; ``matching``:
  candidates to verified matches.
* ``store``: what stores have in common; ``folder`` over its ``catalogue`` (SQLite) and
  ``key_files``; ``postgres``.
"""

from twinset.index.index import Index
from twinset.index.store import IdTakenError, IndexBusyError
from twinset.index.work import Added, QueryAnswer, QueryMatch

__all__ = [
    "Added",
    "IdTakenError",
    "Index",
    "IndexBusyError",
    "QueryAnswer",
    "QueryMatch",
]
