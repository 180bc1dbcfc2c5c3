"""Scripts remove what they should and nothing else, whatever the names are."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.review.cleaning.actions.conftest import Desk
from twinset.review.cleaning.actions import as_csv, as_script, plan_rows

SHELLS = [shell for shell in ("sh", "dash", "bash", "busybox") if shutil.which(shell)]
ODD = ["-rf", "a b'c\"d\n;$(touch x)`y`", "*", "%s\\n", "new\nline", "#", os.fsdecode(b"\xff.txt")]

needs_b2sum = pytest.mark.skipif(shutil.which("b2sum") is None, reason="b2sum is not installed")


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    return ["busybox", "sh"] if request.param == "busybox" else [request.param]


def run(shell: list[str], desk: Desk, script: bytes) -> tuple[str, str]:
    (desk.root.parent / "remove").write_bytes(script)
    done = subprocess.run([*shell, "../remove"], cwd=desk.root, capture_output=True, check=False)
    assert done.returncode == (0 if b" 0 kept" in done.stdout else 1)
    return done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def test_odd_names_are_names(desk: Desk, shell: list[str]) -> None:
    desk.write(dict.fromkeys(["plain", *ODD], b"odd"))
    before = set(desk.content())
    out, err = run(shell, desk, as_script(desk.plan(desk.pairs(("plain", ODD)), "script")))
    assert (out, err) == (f"{len(ODD)} removed, 0 kept\n", "")
    assert set(desk.content()) == before - set(ODD)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("rm b", "it is not there"),
        ("ln -sf a b", "it is not there"),
        ("rm a", "the file to keep is not there"),
        ("ln -sf b a", "the file to keep is not there"),
        ("ln -f a b", "both names are one file"),
        ("printf longer > b", "it has changed"),
        ("printf longer > a", "the file to keep has changed"),
        pytest.param("printf eerht > b", "it has changed", marks=needs_b2sum),
        pytest.param("printf eerht > a", "the file to keep has changed", marks=needs_b2sum),
    ],
)
def test_a_file_stays_where_something_has_changed(desk: Desk, change: str, why: str) -> None:
    script = as_script(desk.plan(desk.pairs(("a", ["b"])), "script"))
    subprocess.run(["sh", "-c", change], cwd=desk.root, check=True)
    before = desk.content()
    out, err = run(["sh"], desk, script)
    assert out == "0 removed, 1 kept\n"
    assert f"({why})" in err
    assert desk.content() == before


def test_equal_files_are_compared_where_nobody_has_read_them(desk: Desk) -> None:
    plan = plan_rows(desk.pairs(("a", ["b"])), "script", home=desk.home, root=desk.root)
    (desk.root / "b").write_bytes(b"eerht")
    assert "(the two files differ)" in run(["sh"], desk, as_script(plan))[1]


@needs_b2sum
def test_another_version_that_was_changed_stays(desk: Desk, shell: list[str]) -> None:
    plan = desk.plan(desk.pairs(("a", ["cv.pdf"]), kind="revision"), "script")
    (desk.root / "cv.pdf").write_bytes(b"mulucirruc")
    assert run(shell, desk, as_script(plan))[0] == "0 removed, 1 kept\n"


def test_another_version_need_not_have_equal_bytes(desk: Desk) -> None:
    plan = desk.plan(desk.pairs(("a", ["cv.pdf"]), kind="revision"), "script")
    assert run(["sh"], desk, as_script(plan))[0] == "1 removed, 0 kept\n"


def test_a_table_has_what_goes_and_what_stays(desk: Desk) -> None:
    desk.write({"=1+1": b"three"})
    pairs = desk.pairs(("a", ["b", "=1+1"]), (None, ["alone"]))
    table = as_csv(desk.plan(pairs, "script"), lambda reason: f"<{reason.name}>").decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(Path(row["path"]).name, row["action"], row["reason"]) for row in rows] == [
        ("b", "remove", "<older>"),
        ("=1+1", "remove", "<older>"),
        ("alone", "keep", "<refused_every_copy>"),
    ]
    assert rows[0]["modified"].endswith("+00:00")
