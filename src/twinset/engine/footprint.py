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

from twinset.candidates.base import COUNTING, counters
from twinset.errors import MemoryWarning, warn
from twinset.lazy_dataclass import dataclass
from twinset.model import HEAD
from twinset.plan import Resources
from twinset.plan.resources import OWN_MEMORY, PROGRAM

KEY_BYTES, FEATURE_BYTES = 12, 8
COLUMNS = 15
AFTERWARDS = 40
TABLES = 70
IMAGE_VALUE = 26
JOINED_KEY, HELD_KEYS = 16, 0.1
"""Bytes of a key of the exact join that is held, and the most that are of all keys of prefixes: on
eight collections of words, at thresholds from 0.3 to 0.9, a tenth and mostly much less."""
DEALT_FEATURE = 6
"""Bytes of a feature in files while some counters are counted at a time."""
OF_THREAD = 4 << 20
"""What a thread leaves behind it in memory."""
WRITER = 48 << 20
"""What one more writer of tables takes: three tables at a time, of each a piece."""
IN_FLIGHT = 1.5
"""Bytes that a byte of a batch takes on average while batches are parsed and prepared."""


def afterwards(documents: int, id_bytes: int) -> int:
    """What a run takes for its documents once they are read, beside their lists of features."""
    return (COLUMNS + AFTERWARDS + TABLES) * documents + 3 * id_bytes


def is_small(documents: int, id_bytes: int, resources: Resources) -> bool:
    """Whether so little is known of the documents that steps may overlap, and hold it twice."""
    return resources.processes > 1 and 3 * afterwards(documents, id_bytes) < resources.room


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


@dataclass(frozen=True, slots=True)
class Footprint:
    """Documents of a collection: how many, with how many features, keys and bytes in all.

    ``joined_keys`` are those of an exact join at most, where there is one: then all features are
    counted. ``image_values`` is 0 unless clusters are searched in images. ``held_bytes`` wait for
    the end of the input, and ``counted_bytes`` stand for paragraphs, where boilerplate is left out.
    """

    documents: int
    features: int
    keys: int
    id_bytes: int
    input_bytes: int
    joined_keys: int = 0
    image_values: int = 0
    held_bytes: int = 0
    counted_bytes: int = 0

    def memory(self, resources: Resources) -> int:
        """The peak of resident memory, in bytes."""
        return PROGRAM + max(self._while_reading(resources), self._afterwards(resources))

    def disk(self, resources: Resources) -> int:
        """Bytes in temporary files."""
        features = self.features * FEATURE_BYTES
        held = max(resources.features_bytes - self._store_columns(), 0)
        keys = (self.keys + self.joined_keys) * KEY_BYTES
        return (
            self.documents * HEAD
            + max(features - held, 0)
            + (keys if keys > resources.keys_bytes else 0)
            + (DEALT_FEATURE * self.features if self._counted_in_rounds(resources) else 0)
            + (self.held_bytes if self.held_bytes > resources.ahead_bytes else 0)
            + (self.counted_bytes if self.counted_bytes > resources.ahead_bytes // 2 else 0)
        )

    def _while_reading(self, resources: Resources) -> int:
        in_batches = resources.batches * resources.batch_bytes
        return (
            min(resources.features_bytes, self._stored() + self._store_columns())
            + min(resources.keys_bytes, self.keys * KEY_BYTES)
            + int(IN_FLIGHT * min(in_batches, self.input_bytes))
            + self._columns()
            + 8 * self.image_values
            + min(self.held_bytes, resources.ahead_bytes)
        )

    def _afterwards(self, resources: Resources) -> int:
        rest = max(resources.room - afterwards(self.documents, self.id_bytes), 16 * self.documents)
        return (
            min(rest, resources.features_bytes, self._stored() + 16 * self.documents)
            + (self._joining(resources) if self.joined_keys else 0)
            + afterwards(self.documents, self.id_bytes)
            + IMAGE_VALUE * self.image_values
        )

    def _joining(self, resources: Resources) -> int:
        """First features are counted, then keys are held; all the time some wait to be sorted."""
        held = int(JOINED_KEY * HELD_KEYS * self.joined_keys)
        waiting = min(resources.keys_bytes, KEY_BYTES * self.joined_keys)
        return max(self._counters(resources), held) + waiting

    def _counters(self, resources: Resources) -> int:
        return min(2 * counters(self.features), resources.room // COUNTING)

    def _counted_in_rounds(self, resources: Resources) -> bool:
        return self.joined_keys > 0 and self._counters(resources) < 2 * counters(self.features)

    def _stored(self) -> int:
        return self.features * FEATURE_BYTES

    def _store_columns(self) -> int:
        slots = 1 << max((self.documents * 4 // 3).bit_length(), 10)
        return 32 * self.documents + 8 * slots

    def _columns(self) -> int:
        return COLUMNS * self.documents + self.id_bytes
