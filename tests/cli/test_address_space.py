"""A limit on the address space is kept or refused in a sentence, and more never does worse."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")
LIMITS = (64, 450, 640, 900, 2400)  # MB
LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1)) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
"""
COMMAND = LIMITED + "from twinset.cli import main; main()"
ALLOCATION = """
from twinset.cli.limits import spare_address_space
spare_address_space()
import pyarrow as pa
pa.array([1, 2, 3])
print(*(line.split()[1] for line in open("/proc/self/status") if "VmPeak" in line))
"""


def run_within(limit: int, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", COMMAND, str(limit), *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_larger_limit_never_does_worse(tmp_path: Path) -> None:
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghij", k=6)) for _ in range(20_000)]
    with open(tmp_path / "in.jsonl", "w") as file:
        for number in range(4_000):
            text = " ".join(draw.choices(words, k=300))
            file.write(json.dumps({"id": number, "text": text}) + "\n")
    passed = []
    for limit in LIMITS:
        report = f"report-{limit}"
        run = run_within(limit, tmp_path, "find", "in.jsonl", "-o", report, "-q", "--threads", "2")
        passed.append(run.returncode == 0)
        if not passed[-1]:
            assert run.returncode == 1, run.stderr
            assert f"limited to {limit}MB (ulimit -v)" in run.stderr
            assert run.stderr.count("\n") == 1
            assert not (tmp_path / report).exists()
    assert passed == sorted(passed)
    assert passed[LIMITS.index(640) :] == [True] * len(LIMITS[LIMITS.index(640) :])
    assert not passed[0]


def test_arrow_reserves_nothing_under_a_limit() -> None:
    command = [sys.executable, "-c", LIMITED + ALLOCATION, "1400"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) < 700 << 10  # of kilobytes
