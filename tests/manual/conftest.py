"""A folder that looks like a clone to the blocks of a page."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path

import pytest
import zstandard

from tests.manual.blocks import ROOT

LEASE = """The landlord lets the flat on the second floor to the tenant for five years from May.
The tenant pays the rent on the first day of every month to the account of the landlord.
Repairs of the roof and the walls are the duty of the landlord; the tenant keeps the rooms in order.
Either side may end this lease with three months notice in writing to the other.
This lease is made in two copies, and takes effect when both sides have signed.
"""
PAPERS = {
    "lease.txt": LEASE,
    "lease (1).txt": LEASE,
    "old/lease 2019.txt": LEASE.replace("five years", "six years"),
    "bread.txt": "Bake the bread for forty minutes, and let it rest until it is cool.\n",
}
"""A folder with copies, which the commands of docs/tutorials/clean-a-folder.md may change."""
FOLDERS = ("papers", "Documents", "Inbox", "Archive")


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: the examples, and what pages call a corpus, papers or the guide."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for folder, (name, text) in itertools.product(FOLDERS, PAPERS.items()):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    lines = (ROOT / "examples" / "collection" / "licenses.jsonl").read_bytes().splitlines(True)[:40]
    for name in ("corpus.jsonl", "train.jsonl", "test.jsonl", "a.jsonl", "guide.jsonl"):
        (tmp_path / name).write_bytes(b"".join(lines))
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    for name in ("b.jsonl.zst", "part-0.jsonl.zst", "part-1.jsonl.zst"):
        (tmp_path / name).write_bytes(zstandard.compress(b"".join(lines)))
    nested = [
        json.dumps({"data": {"content": row["text"], "url": f"https://pile.example/{row['id']}"}})
        for row in map(json.loads, lines)
    ]
    (tmp_path / "pile").mkdir()
    (tmp_path / "pile" / "00.jsonl.zst").write_bytes(zstandard.compress("\n".join(nested).encode()))
    (tmp_path / "questions.jsonl").write_text(
        '{"question": "Who wrote it?", "answer": "Nobody"}\n', encoding="utf-8"
    )
    (tmp_path / "retail.dat").write_text("".join(f"{n % 3} {n % 5 + 3} 9\n" for n in range(600)))
    ids = [json.loads(line)["id"] for line in lines[:3]]
    (tmp_path / "truth.csv").write_text(f"left,right\n{ids[0]},{ids[1]}\n")
    (tmp_path / "dontcare.csv").write_text(f"left,right\n{ids[0]},{ids[2]}\n")
    (tmp_path / "home").mkdir()
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):  # nobody's own files are touched
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
