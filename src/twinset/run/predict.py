"""What a plan will mean, before it runs: the chance to find a pair, and the cost from a sample."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twinset.errors import ReadError
from twinset.model import HEAD
from twinset.plan import Plan, Resources
from twinset.plan.resources import PROGRAM
from twinset.run import footprint
from twinset.run.searching import at_threshold, begin, known_chances

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


def chances(plan: Plan, search: Search) -> list[tuple[float, float]]:
    """(similarity, chance to be found) around the threshold."""
    steps = {round(step / 20, 2) for step in range(6, 20)}
    return known_chances(search, sorted(steps | {at_threshold(plan, search)}))


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
    search = begin(plan, resources)
    features: Ints = numbers(rows["features"])
    documents = round(len(rows) * scale)
    whole = Footprint(
        documents,
        round(int(features.sum()) * scale),
        round(_keys(search, features) * scale),
        round(max(rows["id"].nbytes - 8 * len(rows), 0) * scale),
        round(first.read * scale),
        round(_image_values(plan, search, features) * scale),
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


def _keys(search: Search, features: Ints) -> int:
    """How many keys such documents are compared by, at most."""
    solved = search.describe()
    if solved.get("kind") != "join":
        return len(features) * int(solved.get("bands", 0))
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

    ``image_values`` is 0 unless clusters are searched in images. What waits for the end of the
    input (pages of sites, boilerplate) is not counted.
    """

    documents: int
    features: int
    keys: int
    id_bytes: int
    input_bytes: int
    image_values: int = 0

    def memory(self, resources: Resources) -> int:
        """The peak of resident memory, in bytes: while documents are read, or afterwards."""
        features = self.features * footprint.FEATURE_BYTES + 32 * self.documents
        held = min(resources.features_bytes, features)
        held += min(resources.keys_bytes, self.keys * footprint.KEY_BYTES)
        in_batches = min(resources.batches * resources.batch_bytes, self.input_bytes)
        reading = int(footprint.IN_FLIGHT * in_batches) + 8 * self.image_values
        reading += footprint.COLUMNS * self.documents + self.id_bytes
        later = footprint.afterwards(self.documents, self.id_bytes)
        later += footprint.IMAGE_VALUE * self.image_values
        return PROGRAM + held + max(reading, later)

    def disk(self, resources: Resources) -> int:
        """Bytes in temporary files."""
        features = self.features * footprint.FEATURE_BYTES - resources.features_bytes
        keys = self.keys * footprint.KEY_BYTES
        return (
            self.documents * HEAD + max(features, 0) + (keys if keys > resources.keys_bytes else 0)
        )
