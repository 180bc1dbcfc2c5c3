"""What a run holds is bounded by the memory it is given."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import twinset
from twinset.finding.verify.texts import TextStore
from twinset.plan import Resources
from twinset.result import folder as report_folder
from twinset.run import footprint
from twinset.run.kinds import VALUE_BYTES, WORD_BYTES, _CutTexts

WORDS = [f"{letter}{number}" for letter in "abcde" for number in range(4_000)]
# Not of ``getrusage``: that counts the process that starts this one as well.
PEAK = """
import re, sys
from pathlib import Path
from twinset.__main__ import main
sys.argv[0] = "twinset"
try:
    main()
finally:
    print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def test_texts_at_hand_fit_into_their_room(tmp_path: Path) -> None:
    chance, room = random.Random(1), 200_000
    store = TextStore(str(tmp_path), "raw", counted=False)
    store.add([" ".join(chance.choices(WORDS, k=100)) for _ in range(200)], 1)
    store.finish()
    texts = _CutTexts(store, np.arange(200), room)
    for text in range(200):
        assert texts.sets(text).words == 100
        held = sum(sets.held for sets in texts._sets.values())
        assert held == texts._values
        assert held * VALUE_BYTES <= room // 2
        assert sum(len(cut.words) for cut in texts._cut.values()) * WORD_BYTES <= room // 2
    assert len(texts._sets) > 2


def test_one_writer_where_there_is_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    side_by_side: list[int] = []

    def watched(function: Any, items: Any, threads: int) -> Any:
        side_by_side.append(threads)
        return map(function, items)

    monkeypatch.setattr(report_folder, "in_order", watched)
    monkeypatch.setattr(report_folder, "SMALL", 0)
    for memory in ("200MB", "2GB"):
        twinset.find(["a b c", "a b d"], threads=2, memory=memory).save(tmp_path / memory)
    assert side_by_side == [1, 2]
    assert Resources.make(threads=8, memory="512MB").processes == 4


@pytest.mark.parametrize(
    ("documents", "threads", "memory", "expected"),
    [
        (1_000_000, 16, "400MB", 1),  # what is known of them takes most of it
        (1_000_000, 16, "8GB", 16),
        (10_000_000, 16, "2GB", 9),
        (200_000, 2, "500MB", 2),
        (10_000_000, 16, "400MB", 1),
    ],
)
def test_writers_share_what_the_documents_leave(
    documents: int, threads: int, memory: str, expected: int
) -> None:
    resources = Resources.make(threads=threads, memory=memory)
    assert footprint.writers(documents, 8 * documents, resources) == expected


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
@pytest.mark.parametrize("options", [[], ["--exact"]], ids=" ".join)
def test_peak_of_the_least_memory(tmp_path: Path, options: list[str]) -> None:
    """A collection of more than the memory: 100,000 documents of 300 words, one in four a copy."""
    chance, corpus = random.Random(2), tmp_path / "corpus.jsonl"
    with corpus.open("w") as file:
        for number in range(100_000):
            if number % 4 < 3:
                words = chance.choices(WORDS, k=300)
            else:
                words[chance.randrange(300)] = "changed"
            file.write(json.dumps({"id": str(number), "text": " ".join(words)}) + "\n")
    arguments = ["find", corpus, "-o", tmp_path / "report", "--quiet", "--memory", "200MB"]
    arguments += ["--threads", "4", *options]
    command = [sys.executable, "-c", PEAK, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(run.stdout.split()[-1]) <= 220 << 10
