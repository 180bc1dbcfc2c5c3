"""What a plan will mean, before it runs: the chance to find a pair, and the cost from a sample."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from twinset.plan import Plan, Resources

if TYPE_CHECKING:
    from twinset.methods.base import Search
    from twinset.model import Batch
    from twinset.read import Inputs

SAMPLE = 32 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """What a whole run will take, by a run over a sample of the input."""

    bytes: int
    sampled_bytes: int
    documents: int
    seconds: float
    memory_mb: float


def candidates(plan: Plan, resources: Resources) -> Search:
    """How a plan looks for pairs, with its parameters solved."""
    from twinset.pipeline.engine import begin

    _, search = begin(plan, resources)
    return search


def cost(paths: Sequence[str | os.PathLike[str]], plan: Plan, resources: Resources) -> Cost:
    """Run the plan on the first megabytes of the input and scale up: every stage is near-linear."""
    from twinset.pipeline import run
    from twinset.pipeline.manifest import peak_memory
    from twinset.read import open_inputs

    size, threads = min(resources.batch_bytes, SAMPLE // 8), resources.threads
    inputs = open_inputs(paths, plan.read, batch_bytes=size, threads=threads)
    sample = _Sample(inputs, SAMPLE)
    before = peak_memory()
    manifest = run(sample, plan, dedup=False, resources=resources, progress=None).manifest
    scale = max(1.0, inputs.total_bytes / sample.read) if sample.read else 1.0
    grown = (manifest["peak_memory_mb"] - before) * scale
    return Cost(
        inputs.total_bytes,
        sample.read,
        round(manifest["counts"]["documents"] * scale),
        sum(manifest["timings"].values()) * scale,
        before + min(grown, resources.memory / (1 << 20)),
    )


def _shared(plan: Plan) -> dict[str, Any]:
    """The options of a plan that methods may take."""
    return {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)}


class _Sample:
    """The first batches of an input."""

    def __init__(self, inputs: Inputs, most: int) -> None:
        self._inputs, self._most = inputs, most
        self.total_bytes = min(inputs.total_bytes, most)
        self.read = 0

    def batches(self) -> Iterator[Batch]:
        """Batches until enough bytes were read."""
        for batch in self._inputs.batches():
            yield batch
            self.read = self._inputs.bytes_read
            if self.read >= self._most:
                return
        self.read = self._inputs.bytes_read
