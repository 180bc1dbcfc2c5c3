"""No token takes long to read however often it is repeated, in any format that is text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

READ = """
import json, resource, sys, time
from twinset.errors import TwinsetError
from twinset.reading import open_inputs

resource.setrlimit(resource.RLIMIT_CPU, (200, 200))
for path in json.load(sys.stdin):
    begun = time.process_time()
    try:
        for _ in open_inputs(path, threads=1).batches():
            pass
    except TwinsetError:  # many rows may have no text
        pass
    if time.process_time() - begun > 15:
        print(path)
"""
SIZE = 300_000
FORMATS = json.loads((Path(__file__).parent / "repeated_tokens.json").read_text())
"""What files of a format begin with, and what is repeated behind it."""


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
def test_a_repeated_token_takes_no_time(tmp_path: Path, format: str) -> None:
    paths = []
    for number, begin in enumerate(FORMATS[format]["begins"]):
        for token in FORMATS[format]["tokens"]:
            path = tmp_path / f"{number}-{len(paths)}.{format}"
            path.write_text(begin + token * (SIZE // len(token)), encoding="utf-8")
            paths.append(str(path))
    read = subprocess.run(
        [sys.executable, "-c", READ],
        input=json.dumps(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    assert read.stdout == ""
    assert read.returncode == 0, read.stderr[-500:]
