"""A run into S3 that is killed or interrupted, at every moment: nothing looks like a report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import twinset
from twinset.cli import app
from twinset.errors import ReportError
from twinset.report import ensure_free
from twinset.system.remote import RemotePath

PART = 5 << 20
"""The least part of a file that S3 takes."""
# One child per moment, which is the number, or a part of the words, of a request that changes the
# store: it ends by the signal before this request. The parent has not spoken to the store, so that
# its children can.
RUNNER = """
import os, signal, sys
import s3fs
from fsspec.asyn import sync_wrapper
from twinset.cli import main
from twinset.system import remote

corpus, bucket, ending, part, *moments = sys.argv[1:]
remote.BLOCK = int(part)
ending = signal.Signals[ending]
CHANGES = ("put_object", "delete_objects", "create_multipart_upload", "upload_part",
           "complete_multipart_upload")
ask, count = s3fs.S3FileSystem._call_s3, 0

async def _call_s3(self, method, *args, **options):
    global count, moment
    if method in CHANGES:
        count += 1
        request = f" {count} {method} {options.get('Key', '')}"
        if moment and moment in request:
            moment = ""
            print("AT" + request, flush=True)
            os.kill(os.getpid(), ending)
    return await ask(self, method, *args, **options)

s3fs.S3FileSystem._call_s3 = _call_s3
s3fs.S3FileSystem.call_s3 = sync_wrapper(_call_s3)
for number, moment in enumerate(moments or (f" {n} " for n in range(1, 1000)), 1):
    child = os.fork()
    if not child:
        sys.argv = ["twinset", "dedup", corpus, "-o", f"{bucket}/{number}", "-q"]
        try:
            main()
        finally:
            os._exit(0 if moment else 1)
    if os.waitpid(child, 0)[1] == 0:
        break
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of which some are copies, more than fit into one part of an upload."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    texts = [f"{number % 10} words " * (PART // 72) for number in range(12)]
    rows = ({"id": str(number), "text": text} for number, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def here(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a local run."""
    folder = tmp_path_factory.mktemp("here") / "report"
    twinset.dedup(corpus).save(folder)
    return folder


def ended(corpus: Path, bucket: str, ending: str, *moments: str) -> list[str]:
    """The requests at which runs ended, into the folders 1, 2, and so on."""
    command = [sys.executable, "-c", RUNNER, str(corpus), bucket, ending, str(PART), *moments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
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
    bucket, _, name = folder.path.partition("/")
    uploads = folder.system.list_multipart_uploads(bucket)
    assert not [upload for upload in uploads if upload["Key"].startswith(f"{name}/")]


def test_a_killed_run_leaves_no_report(corpus: Path, bucket: str, here: Path) -> None:
    lines = ended(corpus, bucket, "SIGKILL", "upload_part", "2/manifest.json")
    assert [line.split()[1] for line in lines] == ["upload_part", "put_object"]
    for number in (1, 2):
        check_remains(RemotePath.of(f"{bucket}/{number}"))
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
    for number in range(1, len(lines) + 1):
        check_replaced(RemotePath.of(f"{bucket}/{number}"), corpus, here)


def check_nothing(bucket: str) -> None:
    folder = RemotePath.of(bucket)
    assert files(folder) == set()
    assert not folder.system.list_multipart_uploads(folder.path)


@pytest.mark.parametrize(
    ("ending", "moment"), [("SIGINT", "upload_part"), ("SIGTERM", "report.html")]
)
def test_an_interrupted_run_leaves_nothing(
    corpus: Path, bucket: str, ending: str, moment: str
) -> None:
    (line,) = ended(corpus, bucket, ending, moment)
    assert moment in line
    check_nothing(bucket)


@pytest.mark.long
def test_a_run_interrupted_at_every_request(corpus: Path, bucket: str) -> None:
    lines = ended(corpus, bucket, "SIGTERM")
    assert "manifest.json" in lines[-2]
    whole = RemotePath.of(f"{bucket}/{len(lines) + 1}")
    assert "manifest.json" in files(whole)
    whole.system.rm(whole.path, recursive=True)
    check_nothing(bucket)
