"""Runs: plans on one collection, each in a process of its own, with results that are kept.

The documents are read once, into an Arrow file that every run streams from. A stored result has two
files: the pairs (arrays of NumPy: the blocks of documents and the edges between them) and the facts
(JSON), which are written last. A result that is not whole is not used: the run is made again. The
time and the memory of a run are those of its process, which ends with the one that has started it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import shutil
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset._version import VERSION
from twinset.errors import ReportError
from twinset.lab.pairs import DocumentIds, PairSet
from twinset.lab.truth import By, found_ids, side_of_report
from twinset.model import Batch, Documents, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, numbers
from twinset.plan import Plan, Resources
from twinset.reading.memory import from_memory
from twinset.result import ensure_local
from twinset.result.words import image_facts
from twinset.run import run
from twinset.run.documents import distinct_ids, ids_of
from twinset.run.manifest import inputs_of, peak_memory
from twinset.run.progress import Progress
from twinset.run.streaming import watched
from twinset.system.children import Child, LostError
from twinset.system.files import FilePath, fresh_file, read_object, write_json
from twinset.text.arrow import arrow_text

SCHEMA = pa.schema([("text", pa.large_string())])


class StoredTexts:
    """The first ``count`` texts of an Arrow file as documents; their ids are their numbers."""

    def __init__(self, path: str | Path, count: int) -> None:
        self.path, self.count = str(path), count
        self.total_bytes = Path(path).stat().st_size
        self.bytes_read = 0

    def batches(self) -> Iterator[Batch]:
        """The batches, read and not mapped, so that a method needs the memory of a real run."""
        self.bytes_read = first = 0
        with pa.OSFile(self.path) as file:
            reader = pa.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                if first >= self.count:
                    break
                texts = reader.get_batch(number).column(0)[: self.count - first]
                rows = np.arange(first, first + len(texts), dtype=np.int64)
                ids = pc.cast(column(rows), pa.large_string())
                yield Batch(ids, texts, self.path, rows + 1)
                first += len(texts)
                self.bytes_read = self.total_bytes * (number + 1) // reader.num_record_batches

    def texts(self, numbers: Ints) -> dict[int, str]:
        """The texts of some documents by their numbers; null ones are empty."""
        texts: dict[int, str] = {}
        for batch in self.batches():
            first = int(batch.places[0]) - 1 if len(batch) else 0
            inside = numbers[(numbers >= first) & (numbers < first + len(batch))]
            for number in inside.tolist():
                texts[number] = batch.texts[number - first].as_py() or ""
        return texts


@dataclass(frozen=True)
class Collection:
    """What the methods are compared on; ``digest`` changes when any id or text does.

    ``ends`` says how many documents there are up to the end of each file.
    """

    texts: StoredTexts
    ids: pa.Array
    digest: str
    inputs: list[dict[str, Any]]
    faults: dict[str, int]
    ends: tuple[int, ...] = ()

    def part(self, files: int | None) -> StoredTexts:
        """The documents of the first files; all where there are no more, or none is asked for."""
        if files is None or files >= len(self.ends):
            return self.texts
        return StoredTexts(self.texts.path, self.ends[files - 1])

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def about(self) -> dict[str, Any]:
        """What a manifest says of it."""
        facts = {"digest": self.digest, "inputs": self.inputs, "faults": self.faults}
        return {"documents": len(self), **facts}


def store_documents(
    documents: Documents, path: Path, threads: int, progress: Progress
) -> Collection:
    """Read the documents once and write their texts to an Arrow file."""
    digest = hashlib.sha256()
    ids: list[pa.Array] = []
    faults: dict[str, int] = {}
    sources: dict[str, int] = {}
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, SCHEMA) as writer:
        for batch in watched(documents, "reading", progress):
            for fault in batch.faults:
                faults[fault.kind] = faults.get(fault.kind, 0) + 1
            if not len(batch):
                continue
            texts = batch.texts.cast(pa.large_string())
            writer.write_batch(pa.record_batch([texts], schema=SCHEMA))
            ids.append(ids_of(batch))
            sources[batch.source] = sources.get(batch.source, 0) + len(batch)
            digest.update(_kernels.text_digests(*arrow_text(texts), threads).tobytes())
    unique, _ = distinct_ids(pa.concat_arrays(ids) if ids else pa.array([], pa.large_string()))
    data = unique.buffers()[2] if len(unique) else None
    digest.update(numbers(pc.binary_length(unique)).tobytes())
    digest.update(data or b"")
    inputs = inputs_of(documents)
    texts = StoredTexts(path, len(unique))
    ends = tuple(itertools.accumulate(sources.values()))
    return Collection(texts, unique, digest.hexdigest(), inputs, faults, ends)


def write_pairs(pairs: PairSet, path: Path) -> None:
    fields = {field.name: getattr(pairs, field.name) for field in dataclasses.fields(pairs)}
    with fresh_file(path) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, **fields)


def read_pairs(path: Path) -> PairSet:
    """The pairs of a run; raises `ValueError` where the file is damaged."""
    try:
        with open(path, "rb") as file, np.load(file) as stored:
            return PairSet(**stored)
    except (OSError, EOFError, TypeError, zipfile.BadZipFile) as fault:
        raise ValueError(f"{path} holds no pairs: {fault}") from None


ROWS = "rows"


def results_folder(name: FilePath, fresh: bool) -> Path:
    """The folder of stored rows inside; only an empty folder or an earlier result is written to.

    ``fresh`` removes what is stored.
    """
    ensure_local(name, "an experiment is written to, and goes on in,", "name one")
    folder = Path(name)
    place = folder / ROWS
    if folder.exists() and not place.is_dir() and not (folder.is_dir() and not os.listdir(folder)):
        raise ReportError(
            f"{folder} exists and is not an experiment; name another folder, or remove it yourself"
        )
    if fresh:
        shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    return place


@dataclass(frozen=True)
class Outcome:
    """What a run found and what it cost, or why it failed; ``path`` has the pairs."""

    facts: dict[str, Any]
    path: Path
    reused: bool = False

    @property
    def fault(self) -> str | None:
        return self.facts.get("fault")

    @cached_property
    def pairs(self) -> PairSet:
        return read_pairs(self.path)


class Runner:
    """Runs plans on one collection; results are stored in ``store`` and used again.

    ``by`` says which table of a run holds the found pairs, ``files`` on how many it is run.
    """

    def __init__(self, collection: Collection, store: Path, resources: Resources, by: By) -> None:
        self._collection, self._store = collection, store
        self._resources, self._by = resources, by

    def key(self, plan: Plan, files: int | None = None) -> str:
        """A digest of what decides the result: the plan, the documents and the version."""
        decisive: list[Any] = [plan.as_dict(), self._by, self._collection.digest, VERSION]
        count = self._collection.part(files).count
        decisive += [count] if count < len(self._collection) else []
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]

    def stored(self, plan: Plan, files: int | None = None) -> Outcome | None:
        """The stored outcome of a run, if it is whole."""
        path = self._store / f"{self.key(plan, files)}.npz"
        facts = read_object(path.with_suffix(".json"))
        outcome = Outcome(facts or {}, path, reused=True)
        try:
            return outcome if facts and outcome.pairs else None
        except ValueError:
            return None

    def run(self, plan: Plan, files: int | None = None) -> Outcome:
        """A new outcome, stored unless it is a fault; the facts are written last."""
        path = self._store / f"{self.key(plan, files)}.npz"
        part = self._collection.part(files)
        others = len(self._collection) - part.count
        job = (part.path, plan, self._by, self._resources, path, part.count, others)
        facts = run_in_process(*job)
        if "fault" not in facts:
            write_json(path.with_suffix(".json"), facts, indent=1)
        return Outcome(facts, path)


FOREVER = 1e9
"""Seconds of computing that a run may take."""


def run_in_process(*job: Any) -> dict[str, Any]:
    """What `run_job` returns in a process of its own, or the fault that ended it."""
    child = Child()
    try:
        child.send(run_job, job, FOREVER)
        facts: dict[str, Any] = child.answer()
    except LostError:
        return {"fault": "the process broke off: it may have run out of memory"}
    except Exception as fault:
        return {"fault": str(fault) or type(fault).__name__}
    finally:
        child.close()
    return facts


def run_job(
    texts: str, plan: Plan, by: By, resources: Resources, result: Path, count: int, others: int
) -> dict[str, Any]:
    """Run the plan on the first texts, write its pairs among all of them, and return its cost."""
    # A rehearsal, so that no run pays for modules that are loaded at first use.
    run(from_memory(["a few words", "some other words"], plan.read), plan, resources=resources)
    before, begun, cpu = resident_mb(), time.perf_counter(), time.process_time()
    findings = run(StoredTexts(texts, count), plan, resources=resources)
    facts = {
        "seconds": round(time.perf_counter() - begun, 4),
        "cpu_seconds": round(time.process_time() - cpu, 4),
        "memory_mb": round(max(0.0, peak_memory() - before), 1),
        "candidates": findings.manifest["counts"]["candidates"],
        "spec": findings.manifest["plan"]["method"],
        "timings": findings.manifest["timings"],
        "clusters": _cluster_facts(findings),
    }
    side = side_of_report(findings, DocumentIds([found_ids(findings)]), by, "the run")
    write_pairs(side.pairs.extended(others), result)
    return facts


def _cluster_facts(findings: Any) -> dict[str, Any]:
    """How many clusters of which size there are, and how many hold a pair below the threshold.

    Where clusters are searched in images, the latter are of the connected components.
    """
    manifest = findings.manifest
    _, sizes = np.unique(numbers(findings.clusters["cluster"]), return_counts=True)
    size, count = np.unique(sizes, return_counts=True)
    of_images = image_facts(manifest)
    false = (
        manifest["observed"]["chained_clusters"]
        if of_images is None
        else of_images.get("chained_components")
    )
    return {
        "number": len(sizes),
        "sizes": dict(zip(map(str, size.tolist()), count.tolist(), strict=True)),
        "false": false,
        "complete": manifest["clusters_complete"],
    }


def resident_mb() -> float:
    """Memory of this process now, in MB."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except OSError:  # elsewhere than on Linux
        return peak_memory()
