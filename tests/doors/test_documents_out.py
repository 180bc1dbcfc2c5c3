"""Annotate, split, shards and pipe carry the same records, every other field unchanged, in order.

All is run by the command; what comes out is read by other libraries and held against the drawn
records and against the tables of the report.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.doors.drawn import ADDED, FORMATS, PACKERS, DrawnFormat, Record, records
from tests.kernels.examples import examples
from twinset.cli import app

NOTABLE = ("jsonl", "csv", "tsv", "parquet")
PLAIN = ["-q", "--exact", "-t", "0.7"]


def twinset(*arguments: Any, stdin: bytes | None = None) -> bytes:
    """What the command wrote to stdout; it must succeed."""
    result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin, prog_name="twinset")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


def kept_ids(report: Path) -> set[str]:
    """The ids of the documents that stay, by the report's table."""
    table = pq.read_table(report / "documents.parquet", columns=["id", "kept_as"]).to_pylist()
    return {row["id"] for row in table if row["kept_as"] is None}


def outcomes(report: Path) -> dict[str, tuple[Any, ...]]:
    """By id what the report's tables say: cluster, keep, the id kept in its place, the score."""
    clusters: dict[str, int] = {}
    for row in pq.read_table(report / "clusters.parquet").to_pylist():
        clusters[row["id"]] = min(row["cluster"], clusters.get(row["id"], row["cluster"]))
    return {
        row["id"]: (
            clusters.get(row["id"]),
            row["kept_as"] is None,
            row["kept_as"],
            row["kept_score"],
        )
        for row in pq.read_table(report / "documents.parquet").to_pylist()
    }


def without_added(row: Record) -> Record:
    return {name: value for name, value in row.items() if name not in ADDED}


def check_added(row: Record, expected: tuple[Any, ...]) -> None:
    """Compare the added fields, which are text in formats that know nothing else."""
    cluster, keep, kept_id, score = (row[name] for name in ADDED)
    if isinstance(keep, str):
        cluster = int(cluster) if cluster else None
        keep = {"true": True, "false": False}[keep.lower()]
        kept_id, score = kept_id or None, float(score) if score else None
    assert (cluster, keep, kept_id) == expected[:3]
    assert (
        score == pytest.approx(expected[3], abs=1e-6) if expected[3] is not None else score is None
    )


def files_of(place: Path, suffix: str) -> list[Path]:
    """The files below a folder, or the one file that is named like it."""
    if place.is_dir():
        return sorted(path for path in place.rglob("*") if path.is_file())
    return [place.with_name(place.name + suffix)]


def load_all(form: DrawnFormat, place: Path, suffix: str) -> list[Record]:
    return [row for path in files_of(place, suffix) for row in form.load(path)]


@pytest.mark.parametrize("name", FORMATS)
@examples(8)
@given(st.data())
def test_one_file_is_split_annotated_and_piped(name: str, data: st.DataObject) -> None:
    form = FORMATS[name]
    rows = data.draw(records(form.fields))
    suffix = form.suffix + data.draw(st.sampled_from(form.packings))
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        path = form.save(here / f"in{suffix}", rows)
        annotate = ["--annotate"] if name in NOTABLE else []
        twinset("dedup", path, "-o", here / "out", *annotate, *PLAIN)
        stay = kept_ids(here / "out")
        told = outcomes(here / "out")
        assert load_all(form, here / "out/kept", suffix) == [r for r in rows if r["id"] in stay]
        assert load_all(form, here / "out/removed", suffix) == [
            r for r in rows if r["id"] not in stay
        ]
        if name in NOTABLE:
            annotated = load_all(form, here / "out/annotated", suffix)
            assert list(map(without_added, annotated)) == rows
            for row in annotated:
                check_added(row, told[row["id"]])
        # The pipe, by name and by stdin, is the kept file unpacked.
        unpack = PACKERS["".join(Path(suffix).suffixes[1:]) or suffix.removeprefix(form.suffix)][1]
        for source, stdin in ((path, None), ("-", path.read_bytes())):
            piped = twinset("dedup", source, "-o", "-", *PLAIN, stdin=stdin)
            assert form.read(piped) == [r for r in rows if r["id"] in stay]
        if name != "parquet":
            kept = (here / f"out/kept{suffix}").read_bytes()
            assert piped == unpack(kept)
        if name in NOTABLE:
            piped = twinset("dedup", path, "-o", "-", "--annotate", *PLAIN)
            assert form.read(piped) == annotated


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"romip"}))
@examples(4)
@given(st.data())
def test_shards_in_shards_out(name: str, data: st.DataObject) -> None:
    form = FORMATS[name]
    rows = data.draw(records(form.fields, least=3))
    suffix = form.suffix + data.draw(st.sampled_from(form.packings))
    cuts = sorted(data.draw(st.lists(st.integers(1, len(rows) - 1), max_size=2)))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True) if a < b]
    shards = data.draw(st.integers(1, 4))
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for number, part in enumerate(parts):
            form.save(here / f"in/{number % 2}/part-{number}{suffix}", part)
        paths = sorted((here / "in").rglob(f"part-*{suffix}"))
        rows = [row for path in paths for row in form.load(path)]  # reading order
        annotate = ["--annotate"] if name in NOTABLE else []
        twinset("dedup", here / "in", "-o", here / "like", *annotate, *PLAIN)
        stay, told = kept_ids(here / "like"), outcomes(here / "like")
        if len(paths) > 1:
            for route, goes in (("kept", True), ("removed", False)):
                for path in paths:
                    written = here / "like" / route / _below(path, paths)
                    assert form.load(written) == [
                        row for row in form.load(path) if (row["id"] in stay) is goes
                    ]
        annotated = load_all(form, here / "like/annotated", suffix) if name in NOTABLE else []
        assert [row["id"] for row in annotated] == [row["id"] for row in rows if annotated]
        for row in annotated:
            check_added(row, told[row["id"]])
        twinset("dedup", here / "in", "-o", here / "out", *annotate, "--shards", shards, *PLAIN)
        for route, expected in (
            ("kept", [row for row in rows if row["id"] in stay]),
            ("removed", [row for row in rows if row["id"] not in stay]),
            ("annotated", annotated),
        )[: 3 if name in NOTABLE else 2]:
            files = files_of(here / "out" / route, suffix)
            assert len(files) == shards
            loaded = [form.load(path) for path in files]
            assert [row for part in loaded for row in part] == expected
            sizes = [len(part) for part in loaded]
            assert max(sizes) - min(sizes) <= 1


def _below(path: Path, paths: list[Path]) -> Path:
    """The path below the folder that all of them have in common, as outputs are named."""
    import os

    return path.relative_to(os.path.commonpath([p.parent for p in paths]))


@examples(5)
@given(st.data())
def test_folders_of_texts(data: st.DataObject) -> None:
    rows = data.draw(records({}, least=2))
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for number, row in enumerate(rows):
            path = here / f"in/{number % 2}/{number:02}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(row["text"], encoding="utf-8")
        twinset("dedup", here / "in", "-o", here / "out", *PLAIN)
        told = outcomes(here / "out")
        originals = {
            path.relative_to(here / "in").as_posix(): path.read_bytes()
            for path in (here / "in").rglob("*.txt")
        }
        for route, goes in (("kept", True), ("removed", False)):
            place = here / "out" / route
            assert {
                path.relative_to(place).as_posix(): path.read_bytes()
                for path in place.rglob("*")
                if path.is_file()
            } == {name: text for name, text in originals.items() if told[name][1] is goes}
        piped = twinset("dedup", here / "in", "-o", "-", "--to", "jsonl", *PLAIN)
        kept = FORMATS["jsonl"].read(piped)
        assert {row["id"]: row["text"].strip() for row in kept} == {
            name: text.decode().strip() for name, text in originals.items() if told[name][1]
        }


@pytest.mark.parametrize("to", ["jsonl", "csv", "parquet", "jsonl.zst", "csv.gz"])
@pytest.mark.parametrize("name", ["jsonl", "csv", "parquet"])
@examples(5)
@given(st.data())
def test_other_formats_hold_the_same_values(name: str, to: str, data: st.DataObject) -> None:
    form, target = FORMATS[name], FORMATS[to.partition(".")[0]]
    fields = {"n": st.integers(-(2**31), 2**31 - 1), "tags": st.lists(st.sampled_from("abc"))}
    drawn = data.draw(records(fields if name != "csv" else {"n": st.sampled_from("xyz")}))
    rows = [{**dict.fromkeys(form.fields), **row} for row in drawn] if name == "parquet" else drawn
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        path = form.save(here / f"in{form.suffix}", rows)
        twinset("dedup", path, "-o", here / "out", "--annotate", "--to", to, *PLAIN)
        stay, told = kept_ids(here / "out"), outcomes(here / "out")
        kept = target.load(here / f"out/kept.{to}")
        expected = [row for row in drawn if row["id"] in stay]
        assert [_plain(row, expected) for row in kept] == [
            _plain(row, expected) for row in expected
        ]
        annotated = target.load(here / f"out/annotated.{to}")
        assert [row["id"] for row in annotated] == [row["id"] for row in drawn]
        for row in annotated:
            check_added(row, told[row["id"]])
        piped = twinset("dedup", path, "-o", "-", "--to", to, *PLAIN)
        unpack = PACKERS[Path(f"x.{to}").suffix if "." in to else ""][1]
        assert target.read(unpack(piped)) == kept


def _plain(row: Record, expected: list[Record]) -> Record:
    """The fields that were drawn; a CSV file holds numbers and lists as their JSON."""
    row = {name: row[name] for name in (expected[0] if expected else ())}
    for name in ("n", "tags"):
        if isinstance(row.get(name), str) and row[name][0] in "[-0123456789":
            row[name] = json.loads(row[name])
    return row
