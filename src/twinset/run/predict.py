"""What a plan will mean, before it runs: the chance to find a pair, and the cost from a sample."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twinset.errors import ReadError
from twinset.plan import Plan, Resources
from twinset.run.searching import at_threshold, known_chances

if TYPE_CHECKING:
    from twinset.finding.methods.base import Search
    from twinset.model import Batch
    from twinset.reading import Inputs

SAMPLE = 32 << 20
"""Bytes of the input that the cost is predicted from."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a whole run will take, by a run over a sample of the input."""

    bytes: int
    sampled_bytes: int
    documents: int
    seconds: float


def chances(plan: Plan, search: Search) -> list[tuple[float, float]]:
    """(similarity, chance to be found) around the threshold."""
    steps = {round(step / 20, 2) for step in range(6, 20)}
    return known_chances(search, sorted(steps | {at_threshold(plan, search)}))


def cost(paths: Sequence[str | os.PathLike[str]], plan: Plan, resources: Resources) -> Cost:
    """Run the plan on the first bytes of the input and scale up: every stage is near-linear."""
    from twinset.reading import open_inputs
    from twinset.run import run

    size, threads = min(resources.batch_bytes, SAMPLE // 8), resources.threads
    inputs = open_inputs(paths, plan.read, batch_bytes=size, threads=threads)
    first = _Sample(inputs)
    findings = run(first, plan, dedup=False, resources=resources, progress=None)
    if fault := inputs.unread():
        raise ReadError("input", None, fault)
    scale = max(1.0, inputs.total_bytes / first.read) if first.read else 1.0
    return Cost(
        inputs.total_bytes,
        first.read,
        round(len(findings.documents) * scale),
        sum(findings.manifest["timings"].values()) * scale,
    )


class _Sample:
    """The first batches of an input."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self.total_bytes = min(inputs.total_bytes, SAMPLE)
        self.read = 0

    def batches(self) -> Iterator[Batch]:
        """Batches until enough bytes were read."""
        end = None
        for batch in self._inputs.batches(SAMPLE):
            end = batch.end if len(batch) else end
            yield batch
        # more was read than went into these batches, where that was done by several threads
        known = end is not None and end.offset is not None
        self.read = self._inputs.bytes_before(end) if end and known else self._inputs.bytes_read
