"""mypy sees what users get wrong, and nothing where they are right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# What follows "rejected" is the error code that mypy gives.
CALLS = """
import numpy as np
import twinset
from twinset import _kernels
from twinset.finding.methods.joins import Exact

twinset.find(["a"], threshold=0.5, method="minhash:shingle=3", html="no", memory="1GB")
twinset.find(["a"], method=Exact(), plan=twinset.Plan())
twinset.find(["a"], treshold=0.5)  # rejected: call-arg
twinset.find(["a"], html="maybe")  # rejected: arg-type
twinset.dedup(["a"], 0.5, keep="longest", never_remove="a*").pairs
twinset.dedup(["a"], threshold="x")  # rejected: arg-type
twinset.read("a.jsonl", "b", text="body", on_error="stop", within=["here"]).batches()
twinset.read("a.jsonl", txt="body")  # rejected: call-arg
twinset.read("a.jsonl", on_error="retry")  # rejected: arg-type
twinset.compare(["a"], "md5,minhash", shingle=3, id="key")
twinset.compare(["a"], "md5", shingles=3)  # rejected: call-arg
twinset.tune(["a"], recall=0.9).plan
twinset.tune(["a"], recall="high")  # rejected: arg-type
twinset.generate(["a"], ops=["truncate"], variants=2).documents
twinset.generate(["a"], ops=["truncate"], variant=2)  # rejected: call-arg
twinset.learn(["a"], [("1", "2", 1)], kernel="linear").training
twinset.learn(["a"], [("1", "2", 1)], kernel="square")  # rejected: arg-type
twinset.open_report("report").pairs
twinset.evaluate([("1", "2")], [("1", "2")], by="pairs").precision
twinset.evaluate([("1", "2")], [("1", "2")], by="rows")  # rejected: arg-type
twinset.no_such_function(["a"])  # rejected: attr-defined
_kernels.sorted_unique(np.array([1], np.uint64)).tolist()
_kernels.Digest().value() + 1
_kernels.no_such_kernel(1)  # rejected: attr-defined
_kernels.sorted_unique()  # rejected: call-arg
_kernels.line_ends(np.array([1], np.uint8), "two")  # rejected: arg-type
"""
MARK = "# rejected: "


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """The error codes of mypy by the number of the line."""
    folder = tmp_path_factory.mktemp("typing")
    (folder / "calls.py").write_text(CALLS, encoding="utf-8")
    settings = Path(__file__).parent.parent / "pyproject.toml"
    # Faults inside the package are for `mypy` itself to find.
    words = ["--strict", "--follow-imports=silent", "--no-error-summary", "--hide-error-context"]
    places = ["--config-file", str(settings), "--cache-dir", str(folder / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, *places, str(folder / "calls.py")],
        cwd=settings.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr + done.stdout
    codes: dict[int, list[str]] = {}
    for line in done.stdout.splitlines():
        place, is_error, message = line.partition(" error: ")
        if is_error:
            number = int(place.rstrip(":").rpartition(":")[2])
            codes.setdefault(number, []).append(message.rpartition("[")[2].rstrip("]"))
    return codes


@pytest.mark.parametrize(
    ("number", "line"),
    [(n, line) for n, line in enumerate(CALLS.split("\n"), 1) if line],
    ids=[line.partition("  #")[0] for line in CALLS.split("\n") if line],
)
def test_mypy_rejects_wrong_calls_alone(
    complaints: dict[int, list[str]], number: int, line: str
) -> None:
    _, _, code = line.partition(MARK)
    assert complaints.get(number, []) == ([code] if code else [])
