"""The whole way on a local S3: read there, killed there, written there; equal to a local run."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import twinset
from tests.doors.drawn import BASES
from twinset.cli import app

COMMAND = [sys.executable, "-c", "from twinset.__main__ import main; main()"]
FILES, EACH = 24, 4
TABLES = ("documents", "pairs", "clusters")


@pytest.fixture(scope="module")
def store() -> Iterator[Any]:
    """A client of a local S3 with a bucket, at the address that the environment then names."""
    boto3, s3fs = pytest.importorskip("boto3"), pytest.importorskip("s3fs")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            patched.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()  # of another store's address
        client = boto3.client("s3")
        client.create_bucket(Bucket="doors-crawl")
        yield client
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.fixture(scope="module")
def local(store: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shards on the disk, and the same ones in the store below ``in``."""
    folder = tmp_path_factory.mktemp("local")
    for number in range(FILES):
        rows = (
            {"id": f"{number}-{n}", "text": f"{BASES[(number + n) % 3]} {number % 5}", "n": n}
            for n in range(EACH)
        )
        path = folder / f"in/{number % 3}/{number:02}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        store.upload_file(str(path), "doors-crawl", path.relative_to(folder).as_posix())
    run("dedup", folder / "in", "-o", folder / "out")
    return folder


def run(*arguments: Any) -> Result:
    """Run the command within this process: imports cost time."""
    return CliRunner().invoke(app, [*map(str, arguments), "-q"], prog_name="twinset")


def keys(store: Any, folder: str) -> list[str]:
    listed = store.list_objects_v2(Bucket="doors-crawl", Prefix=f"{folder}/")
    return sorted(entry["Key"].removeprefix(f"{folder}/") for entry in listed.get("Contents", []))


def remote_table(store: Any, folder: str, name: str) -> pa.Table:
    body = store.get_object(Bucket="doors-crawl", Key=f"{folder}/{name}.parquet")["Body"].read()
    return pq.read_table(io.BytesIO(body))


def check_equal(store: Any, folder: str, local: Path) -> None:
    """The tables but for the names of the sources, and all documents."""
    for name in TABLES:
        here, there = (
            pq.read_table(local / f"out/{name}.parquet"),
            remote_table(store, folder, name),
        )
        where = [column for column in ("source",) if column in here.column_names]
        assert here.drop_columns(where).equals(there.drop_columns(where))
    for path in sorted((local / "out/kept").rglob("*.jsonl")):
        below = path.relative_to(local / "out").as_posix()
        body = store.get_object(Bucket="doors-crawl", Key=f"{folder}/{below}")["Body"].read()
        assert body == path.read_bytes()


def test_in_and_out_of_a_store_is_like_a_local_run(store: Any, local: Path) -> None:
    done = run("dedup", "s3://doors-crawl/in", "-o", "s3://doors-crawl/whole")
    assert done.exit_code == 0, done.stderr
    check_equal(store, "whole", local)
    report = twinset.open_report("s3://doors-crawl/whole")
    assert report.documents.num_rows == FILES * EACH
    again = run("dedup", "s3://doors-crawl/in/**/*.jsonl", "-o", "s3://doors-crawl/whole")
    assert again.exit_code == 1
    assert "--force" in again.stderr


def killed(store: Any, place: str) -> str:
    """Kill a run as soon as something of its report is there; what it has said."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    arguments = [*COMMAND, "dedup", "s3://doors-crawl/in", "-o", f"s3://doors-crawl/{place}", "-q"]
    with subprocess.Popen(arguments, env=environment, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 60
        while not keys(store, place) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        return "" if process.stderr is None else process.stderr.read().decode()


def test_a_killed_run_leaves_no_report(store: Any, local: Path) -> None:
    for place in ("killed", "killed-again", "killed-at-last"):  # a run may be over before the kill
        said = killed(store, place)
        if keys(store, place) and "manifest.json" not in keys(store, place):
            break
    assert keys(store, place), f"nothing was written before the kill: {said}"
    assert "manifest.json" not in keys(store, place), "the run was over before the kill"
    with pytest.raises(twinset.ReportError, match=r"finish|complete"):
        twinset.open_report(f"s3://doors-crawl/{place}")
    shown = CliRunner().invoke(app, ["show", f"s3://doors-crawl/{place}"])
    assert shown.exit_code != 0
    again = run("dedup", "s3://doors-crawl/in", "-o", f"s3://doors-crawl/{place}")
    assert again.exit_code != 0
    assert "--force" in again.stderr
    assert "manifest.json" not in keys(store, place)
    forced = run("dedup", "s3://doors-crawl/in", "-o", f"s3://doors-crawl/{place}", "--force")
    assert forced.exit_code == 0, forced.stderr
    check_equal(store, place, local)


def test_mistakes_are_answered(store: Any, local: Path) -> None:
    for wrong, expected in (
        ("s3://nobodys-bucket/x.jsonl", "nobodys-bucket"),
        ("s3://doors-crawl/none.jsonl", "no such file"),
        ("s3://doors-crawl/none-*.jsonl", "matches"),
        ("s33://crawl/x.jsonl", "s33"),
    ):
        done = run("dedup", wrong, "-o", local / "never")
        assert done.exit_code != 0
        assert expected in done.stderr
        assert not (local / "never").exists()
