"""The pairs of a collection worth looking at, with their signals and labels, computed once."""

from __future__ import annotations

import functools
import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from judging import collections
from judging.labelled import Collection, Figures
from judging.material import FOLDER
from twinset.lab.views import draw
from twinset.plan import Plan, Resources
from twinset.run.opening import open_documents
from twinset.run.progress import Silent
from twinset.text.wording import reworded, rewriter_of

SOURCE = Path(__file__).resolve().parent.parent.parent / "src" / "twinset"
THREADS = 2


@dataclass(frozen=True)
class Compared:
    """Candidate pairs by the numbers of the collection, a column for each signal.

    ``counted`` are the pairs that the labels decide; ``true`` those that are copies.
    """

    name: str
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]
    true: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    truths: int

    def figures(self, accepted: NDArray[np.bool_]) -> Figures:
        """How well accepted pairs agree with the labels; true pairs that are none count too."""
        kept = accepted & self.counted
        return Figures(int(kept.sum()), self.truths, int((kept & self.true).sum()))

    def best(self, name: str) -> tuple[float, float]:
        score, true = self.columns[name][self.counted], self.true[self.counted]
        order = np.argsort(-score, kind="stable")
        common = np.cumsum(true[order])
        f1 = 2 * common / (np.arange(1, len(order) + 1) + self.truths)
        # Equal scores come together: only the last of them is a threshold.
        last = np.append(score[order][1:] != score[order][:-1], True)
        at = int(np.argmax(np.where(last, f1, 0)))
        return float(f1[at]), float(score[order][at])

    @cached_property
    def recall(self) -> float:
        return int((self.true & self.counted).sum()) / self.truths


@functools.cache
def digest() -> str:
    """A digest of the package: what was computed with another one is computed again.

    The shipped priors are left out: the benchmark learns its own, and they are made from its rows.
    """
    state = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix in (".py", ".cpp", ".hpp", ".json") and path.name != "priors.json":
            state.update(str(path.relative_to(SOURCE)).encode() + path.read_bytes())
    return state.hexdigest()[:16]


def texts_as_read(collection: Collection) -> list[str]:
    """The texts as `find` compares them, mark-up read; empty where a document has no words."""
    plan = Plan.make()
    resources = Resources.make(threads=THREADS)
    opened, _ = open_documents(collection.table(), plan, resources)
    sample = draw(opened, 10**9, 1, THREADS, Silent())
    known = dict(zip(sample.ids, sample.texts, strict=True))
    return [known.get(name, "") for name in collection.ids]


def compared(name: str) -> Compared:
    """The candidates of a collection; stored ones of the same package are read."""
    collection = collections.collection(name)
    version = "" if collection.real else collections.stored(name).name
    home = FOLDER / "signals" / f"{name}-{version}-{digest()}.npz"
    if not home.is_file():
        home.parent.mkdir(parents=True, exist_ok=True)
        # Another process may be at the same: what stands under the name is always whole.
        part = home.with_suffix(f".{os.getpid()}.npz")
        np.savez_compressed(part, **_computed(collection))
        part.rename(home)
    with np.load(home) as stored:
        arrays = {key: stored[key] for key in stored.files}
    left, right = arrays.pop("left"), arrays.pop("right")
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    true = np.array([pair in collection.truth for pair in pairs], bool)
    if collection.judged is not None:
        counted = np.array([pair in collection.judged for pair in pairs], bool)
    else:
        counted = np.array([pair not in collection.ignored for pair in pairs], bool)
    return Compared(name, left, right, arrays, true, counted, len(collection.truth))


def _computed(collection: Collection) -> dict[str, NDArray[np.float64]]:
    from twinset.finding.signals import NAMES, Profiles, signal_table

    texts = pa.array(texts_as_read(collection), pa.large_string())
    folded = reworded(texts, rewriter_of(Plan.make(preset="text")), THREADS)
    profiles = Profiles.of([folded], THREADS)
    left, right = profiles.pairs
    table = signal_table(profiles, left, right, NAMES, THREADS)
    columns = {name: table[:, at] for at, name in enumerate(NAMES)}
    return {"left": left.astype(np.int64), "right": right.astype(np.int64), **columns}
