"""``dedup -o -``: documents on stdout and nothing else, everything that is said on stderr."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, WORDS, Twinset


def piped(
    *arguments: str | Path, data: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The command as a shell runs it."""
    return subprocess.run(
        [*COMMAND, "dedup", *map(str, arguments)], input=data, capture_output=True, cwd=cwd
    )


def distinct_lines(count: int) -> str:
    """Lines of documents that are unlike each other, and no packing makes small."""
    words = (hashlib.sha256(str(number).encode()).hexdigest() for number in range(count))
    return "".join(json.dumps({"text": f"{word} {WORDS}{word[::-1]}"}) + "\n" for word in words)


def test_the_kept_lines_come_out_as_they_went_in(corpus: Path, tmp_path: Path) -> None:
    lines = corpus.read_bytes().splitlines(keepends=True)
    done = piped("-", "-o", "-", data=corpus.read_bytes(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"".join(line for line in lines if json.loads(line)["id"] in "ade")
    assert b"Kept 3 documents" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.jsonl"]


def test_a_shell_pipe_of_compressed_lines(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(corpus.read_bytes()))
    twinset = " ".join(f"'{word}'" for word in COMMAND)
    script = f"set -o pipefail; gzip -dc x.jsonl.gz | {twinset} dedup - -q -o - | head -n 1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == corpus.read_bytes().splitlines(keepends=True)[0]


@pytest.mark.parametrize("to", [None, "jsonl.gz", "parquet"])
def test_a_closed_pipe_ends_quietly(tmp_path: Path, to: str | None) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text(distinct_lines(4000))
    more = [] if to is None else ["--to", to]
    run = [*COMMAND, "dedup", str(path), "-q", "--method", "md5", "-o", "-", *more]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 0
    assert "Error" not in said
    assert "Exception" not in said
    assert "Kept" not in said  # it ended when the pipe did


def test_a_run_that_fails_leaves_the_pipe_empty(tmp_path: Path, twinset: Twinset) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id":1,"text":"a b c"}\n' + "broken\n" * 9)
    for arguments, code in (
        (("bad.jsonl",), 1),
        (("missing.jsonl",), 2),
        (("bad.jsonl", "--on-error", "stop"), 1),
        (("bad.jsonl", "--threshold", "7"), 2),
    ):
        done = twinset("dedup", *arguments, "-o", "-")
        assert (done.returncode, done.stdout) == (code, "")
        assert "twinset: " in done.stderr


def test_what_no_stream_can_be_is_said_before_anything_is_read(twinset: Twinset) -> None:
    for arguments, fault in (
        (("find", "missing.jsonl", "-o", "-"), "call dedup"),
        (("dedup", "missing.jsonl", "-o", "-", "--shards", "2"), "name a folder"),
        (("dedup", "missing.jsonl", "-o", "-", "--to", "excel"), "no format"),
        (("dedup", "missing.jsonl", "-o", "-", "--no-split"), "--annotate"),
    ):
        done = twinset(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert fault in done.stderr


def test_files_that_cannot_be_one_are_refused(
    tmp_path: Path, corpus: Path, twinset: Twinset
) -> None:
    (tmp_path / "x.txt").write_text("a plain text")
    done = twinset("dedup", corpus, "x.txt", "-q", "-o", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "x.txt: plain files cannot be joined in one; add --to jsonl" in done.stderr
    done = twinset("dedup", corpus, "x.txt", "-q", "-o", "-", "--to", "jsonl")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4)


def test_json_is_an_object_on_stderr(corpus: Path, twinset: Twinset) -> None:
    done = twinset("dedup", corpus, "-q", "-o", "-", "--json", "--annotate")
    keep = [json.loads(line)["twinset_keep"] for line in done.stdout.splitlines()]
    assert keep == [True, False, False, True, True]
    manifest = json.loads(done.stderr)
    assert manifest["written"]["annotated"]["documents"] == 5
    assert manifest["counts"]["kept"] == 3


def test_records_left_out_of_another_format_are_said(tmp_path: Path, twinset: Twinset) -> None:
    (tmp_path / "x.jsonl").write_text(distinct_lines(20) + "broken\n")
    done = twinset("dedup", "x.jsonl", "-q", "--method", "md5", "-o", "-", "--to", "csv")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 21
    assert "1 record cannot be read and cannot be written in another format" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")
def test_no_terminal_gets_binary_data(corpus: Path) -> None:
    main, terminal = os.openpty()
    run = [*COMMAND, "dedup", str(corpus), "-q", "-o", "-", "--to", "parquet"]
    done = subprocess.run(run, stdout=terminal, stderr=subprocess.PIPE)
    os.close(terminal)
    os.close(main)
    assert done.returncode == 2
    assert b"redirect it to a file" in done.stderr


def test_devices_are_written_to_as_files_and_never_as_folders(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "sets.dat").write_text("1 2\n1 2 3\n")
    mine = [*COMMAND, "lab", "mine", "sets.dat", "--support", "2", "-q", "-o", "/dev/stderr"]
    done = subprocess.run(mine, capture_output=True, cwd=tmp_path, check=True)
    assert b"1 2 2\n" in done.stderr
    done = piped(corpus, "-o", "/dev/null", cwd=tmp_path)
    assert done.returncode == 1
    assert b"is a file; name a new folder" in done.stderr
