"""A made-up report of many clusters, and what requests to it cost; `tests/review` holds them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.result.results import Results

THRESHOLD = 0.6


@dataclass
class Findings(Results):
    """Made-up findings of a run over a file that need not exist."""

    documents: pa.Table
    pairs: pa.Table
    clusters: pa.Table
    manifest: dict[str, Any]
    more: dict[str, pa.Table] = field(default_factory=dict)

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """There are no texts."""
        return {}


def make(clusters: int, size: int, seed: int = 1) -> Findings:
    """Clusters of one size, all pairs inside listed, anchored at their first documents."""
    chance = np.random.default_rng(seed)
    count = clusters * size
    ids = pc.binary_join_element_wise("document-", pc.cast(pa.array(range(count)), pa.string()), "")
    first = np.arange(clusters) * size
    i, j = np.triu_indices(size, 1)
    left, right = ((first[:, None] + side).ravel() for side in (i, j))
    score = 1 - (1 - THRESHOLD) * chance.random(len(left)) ** 2
    to_anchor = np.ones((clusters, size))
    to_anchor[:, 1:] = score.reshape(clusters, -1)[:, : size - 1]
    sizes = chance.integers(80, 900, count)
    documents = pa.table(
        {
            "number": pa.array(np.arange(count)),
            "id": ids,
            "source": pa.array(["corpus.jsonl"] * count),
            "place": pa.array(np.arange(1, count + 1)),
            "status": pa.array(["ok"] * count),
            "units": pa.array(sizes + 4),
            "features": pa.array(sizes),
            "same_as": pa.nulls(count, pa.string()),
        }
    )
    pairs = pa.table(
        {
            "left": ids.take(pa.array(left)),
            "right": ids.take(pa.array(right)),
            "score": pa.array(score),
            "containment_left": pa.array(score),
            "containment_right": pa.array(score),
            "shared": pa.array((score * 300).astype(np.int64)),
        }
    )
    member = np.repeat(np.arange(clusters), size)
    table = pa.table(
        {
            "cluster": pa.array(member),
            "id": ids,
            "role": pa.array(["member"] * count),
            "anchor": ids.take(pa.array(np.repeat(first, size))),
            "score": pa.array(to_anchor.ravel()),
            "weakest": pa.array(np.repeat(score.reshape(clusters, -1).min(axis=1), size)),
            "chained": pa.array(np.zeros(count, bool)),
        }
    )
    return Findings(documents, pairs, table, manifest(documents, pairs, clusters, score))


def manifest(documents: pa.Table, pairs: pa.Table, clusters: int, score: Any) -> dict[str, Any]:
    counts, edges = np.histogram(score, bins=100, range=(0.0, 1.0))
    read = {"id": "id", "text": "text", "html": "auto", "on_error": "skip", "order": None}
    return {
        "twinset": "made up",
        "created": "2026-01-01T00:00:00+00:00",
        "plan": {
            "method": "exact",
            "threshold": THRESHOLD,
            "measure": "jaccard",
            "recall": 0.99,
            "shingle": 5,
            "offset": 1,
            "unit": "word",
            "clusters": "anchored",
            "keep": "first",
            "never_remove": None,
            "read": read,
            "candidates": {"kind": "join"},
        },
        "decision": {"by": "measure"},
        "inputs": [{"source": "corpus.jsonl", "path": "/nowhere/corpus.jsonl"}],
        "counts": {
            "documents": len(documents),
            "pairs": len(pairs),
            "clusters": clusters,
            "clustered_documents": len(documents),
        },
        "observed": {"histogram": {"edges": edges.tolist(), "counts": counts.tolist()}},
    }


def pages(folder: Path) -> dict[str, Callable[[], object]]:
    """What a browser asks for, each as a call."""
    from fastapi.testclient import TestClient

    from twinset.web.app import create_app
    from twinset.web.security import cookie_name, pass_of
    from twinset.web.settings import Settings

    settings = Settings((folder,), Path(tempfile.mkdtemp(prefix="browse-home-")))
    address = f"http://127.0.0.1:{settings.port}"
    client = TestClient(create_app(settings), base_url=address)
    client.headers["origin"] = address
    client.cookies.set(cookie_name(settings), pass_of(settings))
    opened = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    report = opened.headers["location"]
    steps = iter(np.linspace(0.605, 0.985, 200).tolist())

    def get(path: str) -> object:
        answer = client.get(f"{report}{path}")
        assert answer.status_code == 200, answer.text
        return answer

    return {
        "overview": lambda: get(""),
        "threshold": lambda: get(f"?t={next(steps):.4f}"),
        "clusters": lambda: get("/clusters?sort=weakest&offset=5000"),
        "clusters by id": lambda: get("/clusters?q=document-1234"),
        "cluster": lambda: get("/cluster/5000"),
        "decide": lambda: get("/decide"),
    }


def measure(folder: Path, times: int = 5) -> dict[str, float]:
    """CPU seconds of the worst request of each kind but for the first."""
    found: dict[str, float] = {}
    for name, request in pages(folder).items():
        spent = []
        for _ in range(times):
            start = time.process_time()
            request()
            spent.append(time.process_time() - start)
        found[name] = round(max(spent[1:]), 3)
    return found
