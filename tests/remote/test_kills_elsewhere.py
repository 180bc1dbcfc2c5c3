"""A run into S3 that is killed or interrupted at every moment: no report, or the older one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import twinset
from twinset.cli import app
from twinset.errors import ReportError
from twinset.result import ensure_free
from twinset.system.remote import RemotePath
from twinset.system.upload import upload

s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed")

OLDER = "older words"
PART = 5 << 20
"""The least part of a file that S3 takes."""
# One child per moment, which is a signal and the number, or a part of the words, of a request that
# changes the store: the signal comes before this request. The parent has not spoken to the store,
# so that its children can.
RUNNER = """
import os, signal, sys, tempfile
import s3fs
import twinset
from fsspec.asyn import sync_wrapper
from twinset.cli import main
from twinset.system import remote

corpus, bucket, part, older, *moments = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:  # what a run imports, its children need not
    twinset.dedup(["a few words"] * 2).save(folder + "/report")
remote.BLOCK = int(part)
CHANGES = ("put_object", "delete_objects", "create_multipart_upload", "upload_part",
           "complete_multipart_upload", "copy_object")
ask, count = s3fs.S3FileSystem._call_s3, 0

async def _call_s3(self, method, *args, **options):
    global count, moment
    if method in CHANGES:
        count += 1
        request = f" {count} {method} {options.get('Key', '')}"
        if moment and moment in request:
            moment = ""
            print("AT" + request, flush=True)
            os.kill(os.getpid(), signal.Signals[ending])
    return await ask(self, method, *args, **options)

s3fs.S3FileSystem._call_s3 = _call_s3
s3fs.S3FileSystem.call_s3 = sync_wrapper(_call_s3)
if len(moments) == 1:
    moments = [f"{moments[0]}: {n} " for n in range(1, 1000)]
for number, name in enumerate(moments, 1):
    ending, _, moment = name.partition(":")
    child = os.fork()
    if not child:
        if older:
            at, moment = moment, ""
            twinset.dedup(older.split()).save(f"{bucket}/{number}")
            moment, count = at, 0
        sys.argv = ["twinset", "dedup", corpus, "-o", f"{bucket}/{number}", "-q", "--force"]
        try:
            main()
        finally:
            os._exit(0 if moment else 1)
    if os.waitpid(child, 0)[1] == 0:
        break
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Short documents of which some are copies, with more beside than fits into one part."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    texts = [f"{number % 10} words " * 20 for number in range(12)]
    beside = "-" * (PART // 9)
    rows = ({"id": str(n), "text": text, "beside": beside} for n, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def here(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a local run."""
    folder = tmp_path_factory.mktemp("here") / "report"
    twinset.dedup(corpus).save(folder)
    return folder


def ended(corpus: Path, bucket: str, *moments: str, older: str = "") -> list[str]:
    """The requests at which runs ended, into the folders 1, 2, and so on.

    A signal without a moment comes before each request in turn. With ``older`` words, there is a
    report on each of them before.
    """
    command = [sys.executable, "-c", RUNNER, str(corpus), bucket, str(PART), older, *moments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert "Traceback" not in run.stderr, run.stderr
    return [line.removeprefix("AT ") for line in run.stdout.splitlines() if line[:3] == "AT "]


def files(folder: RemotePath) -> set[str]:
    folder.system.invalidate_cache()
    return {path.removeprefix(f"{folder.path}/") for path in folder.system.find(folder.path)}


def content(folder: Path | RemotePath) -> dict[str, Any]:
    tables = ("documents", "pairs", "clusters")
    read = {name: (folder / f"{name}.parquet").read_bytes() for name in tables}
    documents = {name: (folder / name).read_bytes() for name in ("kept.jsonl", "removed.jsonl")}
    return {
        **{name: pq.read_table(pa.BufferReader(data)) for name, data in read.items()},
        **documents,
    }


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), prog_name="twinset")
    return result.exit_code, result.stderr


def uploads(folder: RemotePath) -> list[str]:
    """The files of which parts were sent, and nothing else."""
    bucket, _, name = folder.path.partition("/")
    keys = [entry["Key"] for entry in folder.system.list_multipart_uploads(bucket)]
    return [key for key in keys if key.startswith(f"{name}/")]


def check_nothing(folder: RemotePath) -> None:
    assert (files(folder), uploads(folder)) == (set(), [])


def check_remains(folder: RemotePath) -> None:
    """What is there is no report, or nothing, and the next run says so."""
    left = files(folder)
    assert "manifest.json" not in left
    if not left:
        ensure_free(folder)
        return
    with pytest.raises(ReportError, match="has not finished"):
        twinset.open_report(folder)
    with pytest.raises(ReportError, match="has not finished; if it is not running any more"):
        ensure_free(folder)


def check_replaced(folder: RemotePath, corpus: Path, here: Path) -> None:
    assert run("dedup", str(corpus), "-o", str(folder), "-q", "--force") == (0, "")
    assert content(folder) == content(here)
    assert files(folder) == {path.name for path in here.iterdir()}
    assert not uploads(folder)


def test_no_run_that_ends_early_leaves_a_report(corpus: Path, bucket: str, here: Path) -> None:
    moments = ("SIGKILL:upload_part", "SIGKILL:manifest", "SIGINT:upload_part", "SIGTERM:report.")
    lines = ended(corpus, bucket, *moments)
    assert len(lines) == len(moments)
    for moment, line in zip(moments, lines, strict=True):
        assert moment.partition(":")[2] in line
    for number in (1, 2):
        check_remains(RemotePath.of(f"{bucket}/{number}"))
    for number in (3, 4):
        check_nothing(RemotePath.of(f"{bucket}/{number}"))
    code, message = run("dedup", str(corpus), "-o", f"{bucket}/2", "-q")
    assert (code, "has not finished" in message, "--force" in message) == (1, True, True)
    check_replaced(RemotePath.of(f"{bucket}/1"), corpus, here)


@pytest.mark.long
def test_a_run_killed_at_every_request(corpus: Path, bucket: str, here: Path) -> None:
    lines = ended(corpus, bucket, "SIGKILL")
    assert "manifest.json" in lines[-2]
    for number in range(1, len(lines)):
        check_remains(RemotePath.of(f"{bucket}/{number}"))
    # Before the mark is removed the report is whole.
    for number in (len(lines), len(lines) + 1):
        assert content(RemotePath.of(f"{bucket}/{number}")) == content(here)
        assert twinset.open_report(f"{bucket}/{number}").manifest["counts"]["removed"] == 2
    for number in range(1, len(lines) + 1, 4):
        check_replaced(RemotePath.of(f"{bucket}/{number}"), corpus, here)


@pytest.mark.long
def test_a_run_interrupted_at_every_request(corpus: Path, bucket: str) -> None:
    lines = ended(corpus, bucket, "SIGTERM")
    assert "manifest.json" in lines[-2]
    for number in range(1, len(lines) + 1):
        check_nothing(RemotePath.of(f"{bucket}/{number}"))
    assert "manifest.json" in files(RemotePath.of(f"{bucket}/{len(lines) + 1}"))


def check_either(folder: RemotePath, corpus: Path, here: Path) -> int:
    """The old report is whole, or the new one; how many documents it has."""
    report = twinset.open_report(folder)
    count = report.documents.num_rows
    assert len(report.pairs) == report.manifest["counts"]["pairs"]
    if count != len(OLDER.split()):
        below = report.manifest.get("folder")
        assert content(folder / below if below else folder) == content(here)
    return count


@pytest.mark.parametrize(
    "moments",
    [
        (
            *("SIGKILL:upload_part", "SIGKILL:manifest", "SIGKILL:copy_object"),
            *("SIGINT:report.html", "SIGTERM:copy_object", "SIGTERM:delete_objects"),
        ),
        pytest.param(("SIGKILL",), marks=pytest.mark.long),
        pytest.param(("SIGTERM",), marks=pytest.mark.long),
    ],
    ids=["some", "killed", "interrupted"],
)
def test_a_replacement_leaves_the_old_or_the_new_report(
    corpus: Path, bucket: str, here: Path, moments: tuple[str, ...]
) -> None:
    lines = ended(corpus, bucket, *moments, older=OLDER)
    assert len(lines) >= len(moments)
    folders = [RemotePath.of(f"{bucket}/{number}") for number in range(1, len(lines) + 1)]
    counts = [check_either(folder, corpus, here) for folder in folders]
    assert set(counts) == {2, 12}
    assert len(moments) > 1 or counts == sorted(counts)
    for folder in folders[:: max(1, len(folders) // 4)]:
        check_replaced(folder, corpus, here)


def test_parts_grow_with_what_was_sent(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twinset.system.upload._PARTS", 2)
    file, data = RemotePath.of(f"{bucket}/file"), bytes(range(256)) * 4096
    sizes = []
    part = s3fs.core.S3File._upload_chunk

    def noted(self: Any, final: bool = False) -> Any:
        sizes.append(self.buffer.tell())
        return part(self, final)

    monkeypatch.setattr(s3fs.core.S3File, "_upload_chunk", noted)
    with upload(file) as sent:
        for _ in range(33):
            sent.write(data)
    assert file.read_bytes() == data * 33
    assert sizes[0] < sizes[-2]
