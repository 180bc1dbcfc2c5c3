"""Small reports kept as text: whoever changes what a report holds sees it in the difference.

    python -m tests.golden.make

writes them anew; look at the difference before it is committed.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import twinset
from tests.contracts.collection import collection

FOLDER = Path(__file__).parent
PLANS: dict[str, Callable[[Any], twinset.Findings]] = {
    "find": lambda texts: twinset.find(texts, threads=1),
    "dedup": lambda texts: twinset.dedup(texts, 0.6, keep="longest", exact=True, threads=1),
    "closed": lambda texts: twinset.find(
        texts, clusters="closed:k=40", image="bottom:size=64", threads=1
    ),
    "keys": lambda texts: twinset.find(texts, method="supershingles", threads=1),
}
# What the clock, the machine and the version decide.
PASSING = ("twinset", "created", "timings", "cpu_seconds", "peak_memory_mb", "threads")


def documents() -> list[tuple[str, str]]:
    """Unrelated texts, copies, and copies in which every n-th word is another."""
    rng = random.Random(5)
    texts = collection(5)
    texts["copy"] = texts["a01"]
    for name, every in (("near", 60), ("less", 14), ("far", 4)):
        words = texts["a00"].split()
        words[every // 2 :: every] = [
            f"other{rng.randrange(100)}" for _ in words[every // 2 :: every]
        ]
        texts[name] = " ".join(words)
    texts["empty"] = ""
    return list(texts.items())


def files_of(findings: twinset.Findings) -> dict[str, str]:
    """The files of a report as text, without what differs from run to run."""
    with tempfile.TemporaryDirectory() as temporary:
        report = findings.save(Path(temporary) / "report")
        files = {}
        for path in sorted(report.iterdir()):
            if path.suffix == ".parquet":
                files[f"{path.stem}.jsonl"] = _rows(path)
            elif path.name == "manifest.json":
                files[path.name] = _manifest(json.loads(path.read_text("utf-8")))
            elif path.suffix != ".html":
                files[path.name] = path.read_text("utf-8")
        return files


def _rows(path: Path) -> str:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    types = json.dumps({field.name: str(field.type) for field in table.schema})
    rows = [json.dumps(row, ensure_ascii=False) for row in table.to_pylist()]
    return "".join(f"{line}\n" for line in [types, *rows])


def _manifest(manifest: dict[str, Any]) -> str:
    lasting = {key: value for key, value in manifest.items() if key not in PASSING}
    # Hundreds of numbers, which the tables and other tests hold already.
    (lasting.get("predicted") or {}).pop("s_curve", None)
    (lasting.get("observed") or {}).pop("histogram", None)
    return json.dumps(lasting, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all of them."""
    for name, run in PLANS.items():
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir()
        for file, text in files_of(run(documents())).items():
            (FOLDER / name / file).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
