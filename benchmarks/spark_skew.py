"""A collection with what makes tasks uneven, and how uneven the tasks of a run on Spark were."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

LEAST_SECONDS = 1.0
"""Tasks below this are as long as it takes to start them."""


def make_skewed(path: Path, documents: int = 100_000) -> Path:
    """A fifth are equal, a fifth begin alike, a tenth have a sentence in common."""
    if path.exists():
        return path
    chance = random.Random(3)
    words = [
        "".join(chance.choices("etaoinshrdlu", k=chance.randrange(3, 9))) for _ in range(20_000)
    ]

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length))

    equal, boilerplate, sentence = text(200), text(60), text(12)
    texts = [equal] * (documents // 5)
    texts += [f"{boilerplate} {text(200)}" for _ in range(documents // 5)]
    texts += [f"{text(100)} {sentence} {text(100)}" for _ in range(documents // 10)]
    texts += [text(220) for _ in range(documents - len(texts))]
    chance.shuffle(texts)
    rows = (json.dumps({"id": f"d{n}", "text": one}) + "\n" for n, one in enumerate(texts))
    path.write_text("".join(rows), encoding="utf-8")
    return path


def uneven_stages(log: Path) -> list[dict[str, Any]]:
    """Stages of an event log with tasks that take time: how long they took, least even first."""
    seconds = defaultdict[int, list[float]](list)
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            took = event["Task Metrics"]["Executor Run Time"] / 1000
            seconds[event["Stage ID"]].append(took)
    rows = [
        {
            "stage": stage,
            "tasks": len(took),
            "median": round(median(took), 2),
            "longest": round(max(took), 2),
            "longest / median": round(max(took) / max(median(took), 0.001), 1),
        }
        for stage, took in seconds.items()
        if len(took) > 1 and max(took) >= LEAST_SECONDS
    ]
    return sorted(rows, key=lambda row: -row["longest / median"])
