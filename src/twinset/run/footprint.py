"""How much memory and temporary disk a run will take, from what is known of its documents.

What grows with the documents, in bytes per document (n of them), beside their features:

============================  =====================  ================================
what                          while documents come   afterwards
============================  =====================  ================================
ids                           8 + length             the same
places, units, status         7 at most              the same
lists: size, class, place     4 + 4 + 8              the same
digests and their table       16 + 11 to 21          given up
leaders, order, scores        none                   about `AFTERWARDS`
tables of the report          none                   about `TABLES` + 2 lengths
values of images              8 each                 about `IMAGE_VALUE` each
keys of the exact join        none                   `JOINED_KEY` for each held
============================  =====================  ================================

Features take 8 bytes and rows of keys 12; of both the shares of `Resources` are held in memory, and
the rest goes to the disk. So do the heads of all documents. Images are held where clusters are
searched in them, as closed sets are. Of the keys that documents share in an exact join those are
held that no other key shares all its documents with, while these are compared.
"""

from __future__ import annotations

from twinset.errors import MemoryWarning, warn
from twinset.plan import Resources
from twinset.plan.resources import OWN_MEMORY, PROGRAM

COLUMNS = 15
AFTERWARDS = 40
TABLES = 70
IMAGE_VALUE = 26
JOINED_KEY = 16
"""Bytes of a key of the exact join that is held."""
OF_THREAD = 4 << 20
"""What a thread leaves behind it in memory."""
WRITER = 48 << 20
"""What one more writer of tables takes: three tables at a time, of each a piece."""


def afterwards(documents: int, id_bytes: int) -> int:
    """What a run takes for its documents once they are read, beside their lists of features."""
    return (COLUMNS + AFTERWARDS + TABLES) * documents + 3 * id_bytes


def writers(documents: int, id_bytes: int, resources: Resources) -> int:
    """How many threads may write the report in what its documents leave of the memory."""
    held = PROGRAM + afterwards(documents, id_bytes) + OF_THREAD * resources.threads
    return max(1, min(resources.processes, (resources.memory - held) // WRITER))


def say_if_too_large(
    documents: int, id_bytes: int, image_values: int, resources: Resources
) -> None:
    """Warn where what has to be held exceeds the memory by more than a tenth."""
    needed = PROGRAM + afterwards(documents, id_bytes) + IMAGE_VALUE * image_values
    what = f"{documents:,} documents" + (" and their images" if image_values else "")
    _say(what, needed, "what is known of each is held", resources)


def say_if_too_many(keys: int, documents: int, id_bytes: int, resources: Resources) -> None:
    """The same of the keys that documents share, where there are very many."""
    needed = PROGRAM + afterwards(documents, id_bytes) + JOINED_KEY * keys
    why = "they are held, fewer of them with a higher threshold"
    _say(f"{keys:,} keys that documents are compared by", needed, why, resources)


def _say(what: str, needed: int, why: str, resources: Resources) -> None:
    if needed > 1.1 * max(resources.memory, OWN_MEMORY):
        warn(
            f"{what} take about {needed >> 20:,}MB, more than the {resources.memory >> 20:,}MB of "
            f"memory: {why}; the run goes on",
            MemoryWarning,
        )
