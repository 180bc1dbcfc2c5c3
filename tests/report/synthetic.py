"""Made-up findings with everything a report can hold, consistent with itself."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from twinset.result import Results
from twinset.result.page import page_and_lattices

BANDS, ROWS, THRESHOLD = 21, 6, 0.8
EDGES = [round(0.8 + 0.01 * step, 2) for step in range(21)]
HOSTILE = "<script>alert('x')</script> & \"quotes\" \u202e \x1b[31mred</style>"
OPENINGS = [
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
    "The quick brown fox jumps over the lazy dog and, having landed, considers the jump at leisure",
    "Настоящим разрешается бесплатное использование, копирование и изменение этой программы",
    "يُمنح الإذن بموجب هذا مجانًا لأي شخص يحصل على نسخة من هذا البرنامج والملفات المرتبطة به",
    "在此特免费授予任何获得本软件副本和相关文档文件的人不受限制地处理本软件的权利",
]


@dataclass
class Findings(Results):
    """Stands in for what a run returns."""

    documents: pa.Table
    pairs: pa.Table
    clusters: pa.Table
    manifest: dict[str, Any]
    text_by_id: dict[str, str] = field(default_factory=dict)

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        return {id: text[:160] for id, text in self.texts(ids).items()}

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        return {id: self.text_by_id[id] for id in ids if id in self.text_by_id}


def make(
    groups: int = 40, singles: int = 300, dedup: bool = False, seed: int = 1, name: str = "doc {}"
) -> Findings:
    """``groups`` clusters of various sizes among ``singles`` documents without a twin."""
    random_ = random.Random(seed)
    sizes = [max(2, int(random_.paretovariate(0.9) * 2)) for _ in range(groups)]
    sizes = [min(size, 400) for size in sizes]
    ids = [name.format(number) for number in range(sum(sizes) + singles)]
    features = [random_.randint(80, 900) for _ in ids]
    same_as: list[str | None] = [None] * len(ids)
    kept_as: list[str | None] = [None] * len(ids)
    kept_score: list[float | None] = [None] * len(ids)
    pairs, clusters, first = [], [], 0
    for cluster, size in enumerate(sizes):
        anchor = ids[first]
        clusters.append((cluster, anchor, "kept" if dedup else "member", anchor, 1.0))
        for member in range(first + 1, first + size):
            same_as[member] = anchor if random_.random() < 0.2 else None
            score = 1.0 if same_as[member] else round(1 - 0.2 * random_.random() ** 1.7, 4)
            kept_as[member], kept_score[member] = anchor, score
            shared = features[first] if score == 1 else int(features[first] * score)
            pairs.append((anchor, ids[member], score, score, min(1.0, score + 0.05), shared))
            clusters.append((cluster, ids[member], "removed" if dedup else "member", anchor, score))
        first += size
    documents = pa.table(
        {
            "number": pa.array(range(len(ids)), pa.int64()),
            "id": pa.array(ids, pa.string()),
            "source": pa.array(["corpus/part-1.jsonl"] * len(ids), pa.string()),
            "place": pa.array(range(1, len(ids) + 1), pa.int64()),
            "status": pa.array(["ok"] * len(ids), pa.string()),
            "units": pa.array([count + 4 for count in features], pa.int64()),
            "features": pa.array(features, pa.int64()),
            "same_as": pa.array(same_as, pa.string()),
        }
    )
    if dedup:
        documents = documents.append_column("kept_as", pa.array(kept_as, pa.string()))
        documents = documents.append_column("kept_score", pa.array(kept_score, pa.float64()))
    texts = {id: f"{random_.choice(OPENINGS)} ({id})" for id in ids}
    texts.update(dict.fromkeys(ids[1:2], HOSTILE))
    found = Findings(documents, _pairs(pairs), _clusters(clusters), {}, texts)
    found.manifest = _manifest(found, len(sizes), dedup)
    return found


def _pairs(rows: list[tuple[Any, ...]]) -> pa.Table:
    names = ["left", "right", "score", "containment_left", "containment_right", "shared"]
    types = [pa.string(), pa.string(), pa.float64(), pa.float64(), pa.float64(), pa.int64()]
    return _table(rows, names, types)


def _clusters(rows: list[tuple[Any, ...]]) -> pa.Table:
    names = ["cluster", "id", "role", "anchor", "score"]
    types = [pa.int64(), pa.string(), pa.string(), pa.string(), pa.float64()]
    return _table(rows, names, types)


def _table(rows: list[tuple[Any, ...]], names: list[str], types: list[pa.DataType]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=names)


def probability(similarity: float) -> float:
    return 1 - (1 - similarity**ROWS) ** BANDS


def _manifest(found: Findings, clusters: int, dedup: bool) -> dict[str, Any]:
    scores = found.pairs["score"].to_pylist()
    counts = [0] * (len(EDGES) - 1)
    for score in scores:
        counts[min(int((score - 0.8) / 0.01), len(counts) - 1)] += 1
    documents, clustered = len(found.documents), len(found.clusters)
    return {
        "twinset": "0.1.0",
        "created": "2025-01-31T12:00:00+00:00",
        "plan": {
            "method": "minhash",
            "threshold": THRESHOLD,
            "recall": 0.99,
            "measure": "jaccard",
            "shingle": 5,
            "offset": 1,
            "unit": "word",
            "image": "oph:size=128,seed=1,permutations=fast",
            "candidates": {"kind": "bands", "bands": BANDS, "rows": ROWS},
            "clusters": "anchored",
            "keep": "first",
            "never_remove": None,
            "seed": 1,
            "max_pairs": 10_000_000,
            "read": {"id": "id", "text": "text", "html": "auto", "on_error": "skip"},
        },
        "inputs": [
            {
                "source": "corpus/part-1.jsonl",
                "reader": "jsonl",
                "bytes": 868_220_928,
                "digest": "xxh3:9a3f5c0d1e2b4a67",
                "documents": documents,
            }
        ],
        "counts": {
            "documents": documents,
            "ok": documents - 5,
            "empty": 3,
            "bad": 2,
            "classes": documents - 4,
            "same_as": 4,
            "candidates": len(scores) * 2,
            "pairs": len(scores),
            "clusters": clusters,
            "clustered_documents": clustered,
            "kept": documents - (clustered - clusters) if dedup else None,
            "removed": clustered - clusters if dedup else None,
            "repeated_ids": 1,
        },
        "pairs": "all",
        "implied_pairs": 0,
        "not_enumerated_pairs": 0,
        "faults": {"broken UTF-8": 2, "no text field": 1},
        "first_faults": [
            {
                "source": "corpus/part-1.jsonl",
                "line": 17,
                "kind": "broken UTF-8",
                "detail": "bytes <b>0xff</b> at 120 replaced",
            }
        ],
        "predicted": {
            "recall_at_threshold": probability(THRESHOLD),
            "s_curve": [[step / 100, probability(step / 100)] for step in range(101)],
        },
        "observed": {
            "histogram": {"edges": EDGES, "counts": counts},
            "chained_clusters": 0,
            "weakest": min(scores, default=None),
        },
        "timings": {"read": 1.25, "features": 2.5, "candidates": 0.75, "verify": 0.5},
        "cpu_seconds": 8.125,
        "peak_memory_mb": 412.5,
        "threads": 2,
    }


def report_page(results: Results, language: str = "en") -> str:
    """The whole page."""
    return page_and_lattices(results, language)[0]
