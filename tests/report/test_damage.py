"""Damaged and foreign report folders: a sentence that names the file, never a traceback.

Every file of three good reports is harmed in every way, one at a time, and every command and page
that reads a report is run on what is left.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

import twinset
from tests.web.conftest import visitor
from twinset.cli import app
from twinset.errors import ReportError, TwinsetError
from twinset.result import read
from twinset.result.manifest import read_manifest
from twinset.review import Journal, apply, opened
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

KINDS: dict[str, dict[str, Any]] = {
    "plain": {"threshold": 0.5, "exact": True},
    "closed": {"threshold": 0.5, "clusters": "closed", "k": 6, "image": "full"},
    "words": {"threshold": 0.3, "method": "lexical"},
    "keys": {"method": "tf"},
}
SHARED = "kept", "removed", "report.html", "duplicates.txt", "removals.csv", "decisions.jsonl"


def texts() -> dict[str, str]:
    """Three groups that chain: each document shares half of its words with the next."""
    found = {}
    for group in range(3):
        for place in range(4):
            words = [f"w{group}x{number}" for number in range(place * 8, place * 8 + 24)]
            found[f"d{group}{place}"] = " ".join(words)
        found[f"d{group}same"] = found[f"d{group}0"]
    return found


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reports")
    corpus = place / "corpus.jsonl"
    rows = ({"id": id, "text": text} for id, text in texts().items())
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for kind, options in KINDS.items():
        twinset.dedup(corpus, **options).save(place / kind)
        Journal(place / kind).add(["d00", "d01"], "duplicate", None)
    truth = "left,right\nd00,d01\nd00,d0same\n"
    (place / "truth.csv").write_text(truth)
    return place


def commands(folder: Path, truth: Path) -> list[list[str]]:
    here = str(folder)
    return [
        ["show", here],
        ["show", here, "--json", "--sort", "weakest"],
        ["show", here, "--cluster", "0"],
        ["show", here, "--cluster", "0", "--shared"],
        ["show", here, "--threshold", "0.9"],
        ["show", here, "--pair", "d00", "d01"],
        ["show", here, "--with-id", "d0"],
        ["lab", "evaluate", here, "--truth", str(truth)],
        ["lab", "evaluate", here, "--truth", str(truth), "--by", "clusters", "--json"],
        ["lab", "evaluate", str(truth), "--truth", f"{here}/pairs.parquet"],
    ]


NAMED = ("manifest.json", ".parquet")
HONEST = ("cannot be read again", "knows none below", "keys or weights, not passages")
FEW = (0, 3, 5)  # show, its shared text, another threshold
PAGES = [
    "",
    "/clusters",
    "/clusters?sort=weakest&id=d0",
    "/cluster/0",
    "/cluster/0/parts",
    "/heads?first=0&d=1",
    "/pair?left=d00&right=d01",
    "/export",
    "/labels.csv",
    "?t=0.9",
]


class Reader:
    """Runs everything that reads a report."""

    def __init__(self, place: Path, truth: Path) -> None:
        self.truth = truth
        self.settings = Settings((place,), place / "home", token="t" * 43)
        self.client: TestClient = visitor(self.settings, raise_server_exceptions=False)
        self.client.cookies.set(cookie_name(self.settings), pass_of(self.settings))

    def everything(self, folder: Path) -> Iterator[tuple[str, int, str]]:
        """What was run, how it ended, and what it said."""
        for command in commands(folder, self.truth):
            yield self.run(command)
        yield self.applied(folder)
        yield from self.pages(folder)

    def few(self, folder: Path) -> Iterator[tuple[str, int, str]]:
        """The same for commands that between them read all files and all of the manifest."""
        every = commands(folder, self.truth)
        yield from (self.run(every[number]) for number in FEW)
        yield self.applied(folder)

    def applied(self, folder: Path) -> tuple[str, int, str]:
        """Decisions are carried out."""
        try:
            apply(opened(folder), folder.parent / "out", undecided="remove", force=True)
        except (TwinsetError, OSError) as fault:
            return "apply", 1, f"{fault}\n"
        return "apply", 0, ""

    def run(self, command: list[str]) -> tuple[str, int, str]:
        result = CliRunner().invoke(app, command, prog_name="twinset")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise AssertionError(f"{command} broke") from result.exception
        return " ".join(command), result.exit_code, result.stderr

    def pages(self, folder: Path) -> Iterator[tuple[str, int, str]]:
        opened = self.client.post("/open-report", data={"folder": str(folder)})
        name = self.client.app.state.shelf.put(folder)  # type: ignore[attr-defined]
        yield "opened", opened.status_code, opened.text
        for page in PAGES:
            answer = self.client.get(f"/report/{name}{page}")
            assert answer.status_code < 500, f"{page} of {folder}"
            # As a shell would: 0 for what is fine.
            yield page, 0 if answer.status_code < 400 else answer.status_code, answer.text


@pytest.fixture(
    params=[pytest.param(1, marks=pytest.mark.long, id="all"), pytest.param(3, id="some")]
)
def every(request: pytest.FixtureRequest) -> int:
    """Of what is harmed alike every third is read by the commands; every one in the long tests."""
    return int(request.param)


@pytest.fixture
def reader(tmp_path: Path, reports: Path) -> Reader:
    return Reader(tmp_path, reports / "truth.csv")


def refused(action: Callable[[], object]) -> str | None:
    """What the reading room says against a folder; None where it lets it pass."""
    try:
        action()
    except ReportError as fault:
        return str(fault)
    return None


def fresh(reports: Path, kind: str, place: Path, number: int) -> Path:
    """A copy of a good report, under a name that no cache knows."""
    folder = place / str(number) / "report"
    shutil.copytree(reports / kind, folder)
    return folder


def check(reader: Reader, folder: Path, harm: str, few: bool = False) -> int:
    """Run everything, or a few commands that stand for all; says how much was refused."""
    refused = 0
    for what, code, said in reader.few(folder) if few else reader.everything(folder):
        assert code in (0, 1, 2, 200, 303, 400, 404), f"{harm}: {what} ended with {code}"
        if code in (1, 2):
            refused += 1
            is_named = any(part in said for part in (str(folder), *NAMED, *HONEST))
            assert is_named, f"{harm}: {what} says only: {said}"
            assert "Traceback" not in said
            assert said.count("\n") == 1, said
    return refused


def harmed_bytes(data: bytes) -> dict[str, bytes | None]:
    noise = random.Random(1)
    flipped = bytearray(data)
    for _ in range(5):
        flipped[noise.randrange(len(data))] ^= 1 << noise.randrange(8)
    return {
        "removed": None,
        "emptied": b"",
        "cut": data[: len(data) // 2],
        "random": noise.randbytes(len(data)),
        "flipped": bytes(flipped),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_good_reports_are_read_by_all(
    reports: Path, reader: Reader, tmp_path: Path, kind: str
) -> None:
    folder = fresh(reports, kind, tmp_path, 0)
    refused = {what for what, code, _ in reader.everything(folder) if code in (1, 2, 400, 404)}
    if kind in ("plain", "closed"):
        assert not refused


@pytest.mark.parametrize("kind", KINDS)
def test_harmed_files(reports: Path, reader: Reader, tmp_path: Path, kind: str, every: int) -> None:
    number = 0
    for path in sorted(path for path in (reports / kind).rglob("*") if path.is_file()):
        name = str(path.relative_to(reports / kind))
        is_shared = name.startswith(SHARED)
        if kind != "plain" and (is_shared or name in ("documents.parquet", "pairs.parquet")):
            continue
        for harm, data in harmed_bytes(path.read_bytes()).items():
            number += 1
            needed = name in ("documents.parquet", "pairs.parquet") and harm != "flipped"
            if number % every and not needed:
                continue
            folder = fresh(reports, kind, tmp_path, number)
            (folder / name).unlink()
            if data is not None:
                (folder / name).write_bytes(data)
            few = is_shared or number % (5 * every) > 0
            refused = check(reader, folder, f"{name} {harm}", few=few)
            if needed:
                assert refused >= 2, f"{name} {harm} was not noticed"


def harmed_columns(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The table with each of its columns wrong in each way."""
    rows = len(table)
    yield "no rows", table.slice(0, 0)
    yield "fewer rows", table.slice(0, rows - 1)
    yield "other columns", pa.table({"x": [1, 2], "y": ["a", "b"]})
    for place, field in enumerate(table.schema):
        others = {
            "missing": None,
            "null": pa.nulls(rows, field.type),
            "numbers": pa.array(range(rows), pa.int64()),
            "negative": pa.array([-(2**40)] * rows, pa.int64()),
            "large": pa.array([2**62] * rows, pa.int64()),
            "texts": pa.array([f"?{row}" for row in range(rows)], field.type)
            if pa.types.is_large_string(field.type)
            else pa.array(["?"] * rows),
            "infinite": pa.array([float("inf")] * rows),
            "not a number": pa.array([float("nan")] * rows),
            "lists": pa.array([["x"]] * rows),
        }
        for harm, column in others.items():
            changed = table.remove_column(place)
            if column is not None:
                changed = changed.add_column(place, field.name, column)
            yield f"{field.name} {harm}", changed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["documents", "pairs", "clusters", "components", "statistics", "groups"]
)
def test_harmed_columns(
    reports: Path, reader: Reader, tmp_path: Path, kind: str, name: str, every: int
) -> None:
    file = reports / kind / f"{name}.parquet"
    if not file.is_file() or (kind != "plain" and name in ("documents", "pairs")):
        return
    for number, (harm, table) in enumerate(harmed_columns(pq.read_table(file))):
        folder = fresh(reports, kind, tmp_path, number)
        pq.write_table(table, folder / f"{name}.parquet")
        refusal = refused(lambda folder=folder: (getattr(read(folder), name, 0), read(folder).more))
        assert refusal is None or f"{name}.parquet" in refusal
        # All read their columns in the same way: those that pass are worth a closer look.
        if number % (20 * every) == 0 and name in ("documents", "pairs", "clusters"):
            check(reader, folder, f"{name}.parquet, {harm}")
        elif refusal is None and number % (every * (2 if kind == "plain" else 5)) == 0:
            check(reader, folder, f"{name}.parquet, {harm}", few=True)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a manifest; of a list the first entry."""
    if way:
        yield way
    inner = value.items() if isinstance(value, dict) else []
    if isinstance(value, list) and value:
        inner = [(0, value[0])]
    for key, child in inner:
        yield from places(child, (*way, key))


def changed(manifest: dict[str, Any], way: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The manifest with another value in a place; ``...`` takes it away."""
    made = copy.copy(manifest)
    holder: Any = made
    for key in way[:-1]:
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
    if value is ...:
        del holder[way[-1]]
    else:
        holder[way[-1]] = value
    return made


OTHERS: list[Any] = [..., None, "x", -1, 10**30, 0.5, [], [[]], {}, {"x": 1}, True]


@pytest.mark.parametrize("kind", ["plain", "closed", "words"])
def test_harmed_manifests(
    reports: Path, reader: Reader, tmp_path: Path, kind: str, every: int
) -> None:
    manifest = json.loads((reports / kind / "manifest.json").read_text())
    number = survived = 0
    for way in places(manifest):
        for value in OTHERS:
            number += 1
            text = json.dumps(changed(manifest, way, value))
            folder = tmp_path / str(number) / "report"
            folder.mkdir(parents=True)
            (folder / "manifest.json").write_text(text)
            refusal = refused(lambda folder=folder: read_manifest(folder))
            if refusal is not None:
                assert str(folder / "manifest.json") in refusal
                continue
            survived += 1
            if survived % (60 * every):
                continue
            folder = fresh(reports, kind, tmp_path, number + 10_000)
            (folder / "manifest.json").write_text(text)
            for what, code, said in reader.few(folder):
                assert code in (0, 1, 2), (what, code, said)
            shutil.rmtree(folder.parent)
    assert survived > 50


def test_a_manifest_of_a_newer_version(reports: Path, reader: Reader, tmp_path: Path) -> None:
    folder = fresh(reports, "plain", tmp_path, 0)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest |= {"twinset": "99.1", "news": {"more": [1, 2]}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert read(folder).documents.num_rows == 15  # what is understood is read
    manifest["counts"] = {"all": {"documents": 15}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReportError, match=r"manifest\.json .* 99\.1 .* update twinset"):
        read(folder)
    for what, code, said in map(reader.run, commands(folder, reader.truth)[:-1]):
        assert code == 1, what
        assert "update twinset" in said


FOREIGN: dict[str, Callable[[Path, Path], object]] = {
    "evaluation": lambda reports, folder: twinset.evaluate(
        reports / "plain", reports / "truth.csv"
    ).save(folder),
    "generated": lambda reports, folder: twinset.generate(
        reports / "corpus.jsonl", folder, ops=["replace-words:10%"]
    ),
    "comparison": lambda reports, folder: (
        folder.mkdir(),
        (folder / "manifest.json").write_text('{"twinset": "0.1.0", "documents": 5}'),
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_folders_of_other_commands(
    reports: Path, reader: Reader, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "folder"
    FOREIGN[name](reports, folder)
    with pytest.raises(TwinsetError, match=r"manifest\.json"):
        read(folder)
    check(reader, folder, name)
