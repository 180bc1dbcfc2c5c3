"""The command line on reports at addresses: what works, and a sentence where it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner

import twinset
from twinset.cli import app
from twinset.review import Journal, apply, opened
from twinset.system.remote import RemotePath

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in a folder of its own: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run_it(*arguments: Any) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, [*map(str, arguments)], prog_name="twinset")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run_it


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    texts = (f"a few words that are said once or twice {number // 2}" for number in range(8))
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def report(corpus: Path) -> str:
    return str(twinset.dedup(corpus).save(f"memory://{uuid4().hex}/report"))


def test_a_report_elsewhere_is_shown(run: Run, report: str, tmp_path: Path) -> None:
    here = twinset.open_report(report)
    for options in ([], ["--cluster", "0", "--shared"], ["--pair", "0", "1"]):
        code, out, err = run("show", report, *options)
        assert (code, err) == (0, "")
        assert out
    code, _, err = run("show", report, "--cluster", "99")
    assert (code, report in err) == (1, True)
    assert str(here.folder) not in err


def test_a_report_elsewhere_is_evaluated(run: Run, report: str, tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("left,right\n0,1\n2,3\n")
    evaluation = f"{report}-evaluation"
    code, _, err = run("lab", "evaluate", report, "--truth", "truth.csv", "-o", evaluation)
    assert (code, err) == (0, "")
    assert (RemotePath.of(evaluation) / "evaluation.html").is_file()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["clean", "REPORT"], "cleaning writes into"),
        (["ui", "REPORT", "--no-browser"], "the page opens a local folder"),
        (
            ["lab", "generate", "IN", "--op", "truncate", "-o", "memory://c/x"],
            "a collection is made in",
        ),
        (
            ["lab", "compare", "IN", "--methods", "md5,minhash", "-o", "memory://c/x"],
            "an experiment is written to",
        ),
        (["tune", "IN", "-o", "memory://c/plan.toml"], "written to a local file"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_needs_this_machine_says_so(
    run: Run, report: str, corpus: Path, command: list[str], words: str
) -> None:
    named = {"REPORT": report, "IN": str(corpus)}
    code, _, err = run(*(named.get(word, word) for word in command))
    assert code in (1, 2)
    assert " ".join(err.split()).count(words) == 1
    assert len(err.splitlines()) == 1


def test_decisions_are_applied_to_an_address(run: Run, corpus: Path) -> None:
    target = f"memory://{uuid4().hex}/decided"
    assert run("find", corpus, "-o", "report", "-q")[0] == 0
    Journal(Path("report")).add(["0", "1"], "duplicate")
    apply(opened("report"), target)
    assert len((RemotePath.of(target) / "removed.jsonl").read_bytes().splitlines()) == 1


def test_a_missing_bucket_is_said_before_the_work(run: Run, store: str, corpus: Path) -> None:
    for command in ("find", "dedup"):
        code, out, err = run(command, corpus, "-o", "s3://no-such-bucket/report")
        assert (code, out) == (1, "")
        assert "there is no such bucket; make it, or check its name" in err
        assert len(err.splitlines()) == 1
    code, _, err = run("show", "s3://no-such-bucket/report")
    assert code == 2
    assert "there is no report folder s3://no-such-bucket/report" in err


def test_no_credentials_and_no_server(
    run: Run, store: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name, value, words in (
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9", "it cannot be reached (Could not connect to"),
        ("AWS_ACCESS_KEY_ID", None, "no credentials were found; set AWS_ACCESS_KEY_ID"),
    ):
        s3fs.S3FileSystem.clear_instance_cache()
        with monkeypatch.context() as patched:
            if value is None:
                patched.delenv(name)
                patched.delenv("AWS_SECRET_ACCESS_KEY")
            else:
                patched.setenv(name, value)
            code, _, err = run("dedup", corpus, "-o", "s3://bucket/report")
        assert (code, words in err, len(err.splitlines())) == (1, True, 1), err
    s3fs.S3FileSystem.clear_instance_cache()


def test_no_right_to_delete(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = RemotePath.of(f"memory://{uuid4().hex}/report")
    monkeypatch.setattr(place.system, "rm", lambda path, **options: None)
    code, _, err = run("dedup", corpus, "-o", place)
    assert (code, "needs the right to delete files" in err) == (1, True)
