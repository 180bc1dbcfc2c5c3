"""What a plan will mean, before it runs: the chance to find a pair, and the cost from a sample."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twinset.errors import ReadError
from twinset.finding.candidates.base import COUNTING, counters
from twinset.model import HEAD
from twinset.plan import Plan, Resources
from twinset.plan.resources import PROGRAM
from twinset.run.footprint import (
    COLUMNS,
    DEALT_FEATURE,
    FEATURE_BYTES,
    HELD_KEYS,
    IMAGE_VALUE,
    IN_FLIGHT,
    JOINED_KEY,
    KEY_BYTES,
    afterwards,
)

if TYPE_CHECKING:
    from twinset.finding.methods.base import Search
    from twinset.model import Batch, Ints
    from twinset.reading import Inputs

SAMPLE = 32 << 20
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """What a whole run will take, by a run over a sample of the input.

    ``memory_mb`` is the peak of resident memory, ``disk_mb`` what lies in temporary files.
    """

    bytes: int
    sampled_bytes: int
    documents: int
    seconds: float
    memory_mb: float
    disk_mb: float


def candidates(plan: Plan, resources: Resources) -> Search:
    """How a plan looks for pairs, with its parameters solved."""
    from twinset.run.searching import begin

    return begin(plan, resources)


def chances(plan: Plan, search: Search) -> list[tuple[float, float]]:
    """(similarity, chance to be found) around the threshold."""
    steps = {round(step / 20, 2) for step in range(6, 20)}
    return _known_chances(search, sorted(steps | {at_threshold(plan, search)}))


def at_threshold(plan: Plan, search: Search) -> float:
    """The least Jaccard similarity of a pair exactly at the threshold, which curves are over."""
    least = search.goal.measure.least_jaccard(plan.threshold) if search.measured else None
    return min(1.0, plan.threshold) if least is None else least


def recall(plan: Plan, search: Search) -> float | None:
    """The chance to find a pair exactly at the threshold, where it is known."""
    return search.probability(at_threshold(plan, search))


def s_curve(search: Search, steps: int = 100) -> list[tuple[float, float]]:
    """(similarity, chance to be found) from 0 to 1; empty where a method has no such curve."""
    return _known_chances(search, [step / steps for step in range(steps + 1)])


def _known_chances(search: Search, similarities: Sequence[float]) -> list[tuple[float, float]]:
    points = ((similarity, search.probability(similarity)) for similarity in similarities)
    return [(similarity, chance) for similarity, chance in points if chance is not None]


def cost(
    paths: Sequence[str | os.PathLike[str]], plan: Plan, resources: Resources, sample: int = SAMPLE
) -> Cost:
    """Run the plan on the first bytes of the input and scale up: every stage is near-linear."""
    from twinset.model.columns import numbers
    from twinset.reading import open_inputs
    from twinset.run import run
    from twinset.run.manifest import peak_memory

    size, threads = min(resources.batch_bytes, max(sample // 8, 1)), resources.threads
    inputs = open_inputs(paths, plan.read, batch_bytes=size, threads=threads)
    first = _Sample(inputs, sample)
    before = peak_memory()
    findings = run(first, plan, dedup=False, resources=resources, progress=None)
    manifest, rows = findings.manifest, findings.documents
    if fault := inputs.unread():
        raise ReadError("input", None, fault)
    scale = max(1.0, inputs.total_bytes / first.read) if first.read else 1.0
    search = candidates(plan, resources)
    solved = search.describe()
    documents = round(len(rows) * scale)
    whole = Footprint(
        documents,
        round(int(numbers(rows["features"]).sum()) * scale),
        documents * solved.get("bands", 0),
        round(max(rows["id"].nbytes - 8 * len(rows), 0) * scale),
        round(first.read * scale),
        round(_joined_keys(search, numbers(rows["features"])) * scale)
        if solved.get("kind") == "join"
        else 0,
        round(_image_values(plan, search, numbers(rows["features"])) * scale),
        round(inputs.repetition.held_bytes * scale),
        round(inputs.repetition.counted_bytes * scale),
    )
    memory = whole.memory(resources) / MEGABYTE
    if not search.measured:  # a method that keeps more of the documents than their features
        memory = max(memory, before + (manifest["peak_memory_mb"] - before) * scale)
    return Cost(
        inputs.total_bytes,
        first.read,
        documents,
        sum(manifest["timings"].values()) * scale,
        memory,
        whole.disk(resources) / MEGABYTE,
    )


def _joined_keys(search: Search, features: Ints) -> int:
    """How many features of such documents an exact join compares them by, at most."""
    least = search.goal.measure.least_jaccard(search.goal.threshold) or 0.0
    return int(((1 - least) * features + 1).sum())


def _image_values(plan: Plan, search: Search, features: Ints) -> int:
    """How many values the images of documents with so many features have, if they are kept."""
    from twinset.finding.clusters.base import ClustersOfImages
    from twinset.run.images import image_of

    if not isinstance(plan.clusters, ClustersOfImages):
        return 0
    size = getattr(image_of(plan, search), "size", None)
    return int((features if size is None else features.clip(max=size)).sum())


class _Sample:
    """The first batches of an input."""

    def __init__(self, inputs: Inputs, most: int) -> None:
        self._inputs, self._most = inputs, most
        self.total_bytes = min(inputs.total_bytes, most)
        self.read = 0

    def batches(self) -> Iterator[Batch]:
        """Batches until enough bytes were read."""
        end = None
        for batch in self._inputs.batches(self._most):
            end = batch.end if len(batch) else end
            yield batch
        # more was read than went into these batches, where that was done by several threads
        known = end is not None and end.offset is not None
        self.read = self._inputs.bytes_before(end) if end and known else self._inputs.bytes_read


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
