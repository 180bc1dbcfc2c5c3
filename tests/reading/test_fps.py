"""Images to a file and back: the same clusters, and damaged lines are faults with their place."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.contracts.collection import HARDLY, collection, with_copies
from tests.kernels.examples import examples
from twinset.cli import app
from twinset.errors import PlanError
from twinset.model.ids import quoted_id
from twinset.plan import ReadOptions
from twinset.reading.fps import ImageFiles

IMAGES = ["bottom:size=20", "minwise:size=16", "oph:size=16", "mod:size=3", "log", "full"]
ODD = [
    "two words",
    "#5",
    "",
    'a"b',
    "tab\there",
    "new\nline",
    "Ж",
    "漢 字",
    '"',
    "\u2028",
    "\x85 \xa0",
]


def run(*words: object) -> Any:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def source(tmp_path: Path) -> Path:
    texts = with_copies() | HARDLY
    texts |= {f"{id} ~": text[: len(text) * 3 // 4] for id, text in collection(5).items()}
    path = tmp_path / "in.jsonl"
    rows = (json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items())
    path.write_text("".join(rows), encoding="utf-8")
    return path


def sets(findings: twinset.Findings) -> list[tuple[Any, ...]]:
    columns = ("cluster", "id", "shared")
    return list(zip(*(findings.clusters[name].to_pylist() for name in columns), strict=True))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("image", IMAGES)
def test_imported_images_make_the_same_closed_sets(
    source: Path, tmp_path: Path, image: str, packed: bool
) -> None:
    target = tmp_path / ("shingles.fps.gz" if packed else "shingles.fps")
    run("lab", "images", source, "-o", target, "--image", image, "--shingle", "2", "-q")
    options: dict[str, Any] = {"clusters": "closed:k=3,kind=closed"}
    direct = twinset.find(source, image=image, shingle=2, recall=0.5, **options)
    imported = twinset.find(target, **options)
    assert sets(direct) == sets(imported)
    assert len(direct.clusters)
    assert imported.documents["id"].to_pylist() == direct.documents["id"].to_pylist()
    assert imported.manifest["plan"]["method"].startswith("given")
    assert imported.manifest["faults"] == {}


def test_a_file_of_another_tool(tmp_path: Path) -> None:
    path = tmp_path / "other.fps"
    path.write_text(
        'http://a.example/x  0017 4 99\n\n# a remark\n"a b"\t17\t4\t5 6\n'
        "Ж 18446744073709551615 17 4\r\nlonely\n",
        encoding="utf-8",
    )
    findings = twinset.find(path, clusters="closed:k=2")
    assert [row["id"] for row in findings.clusters.to_pylist()] == [
        "http://a.example/x",
        "a b",
        "Ж",
    ]
    assert findings.clusters["shared"].to_pylist() == [2, 2, 2]
    assert findings.documents["status"].to_pylist() == ["ok", "ok", "ok", "empty"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"x 1 two 3", "'two' is no value of an image"),
        (b"x 1 -3", "'-3' is no value"),
        (b'"x 1 2', "no JSON string"),
        (b'"x"1 2', "no JSON string"),
        (b"\xff\xfe 1 2", "not UTF-8"),
        ("x ٣".encode(), "'٣' is no value"),
    ],
)
def test_damaged_lines_are_faults_with_their_place(tmp_path: Path, line: bytes, told: str) -> None:
    path = tmp_path / "bad.fps"
    path.write_bytes(b"a 1 2 3\n" + line + b"\nb 1 2 3\n")
    findings = twinset.find(path)
    [fault] = findings.manifest["first_faults"]
    assert fault["source"] == str(path)
    assert fault["line"] == 2
    assert told in fault["detail"]
    assert len(findings.pairs) == 1
    with pytest.raises(twinset.ReadError, match=":2: "):
        twinset.find(path, on_error="stop")


def test_a_packed_file_that_ends_early_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "cut.fps.gz"
    whole = gzip.compress(b"".join(b"d%d 1 2 3\n" % n for n in range(9_999)))
    for damaged in (whole[:-300], whole[:-300] + b"\xff" * 300):
        path.write_bytes(damaged)
        faults = twinset.find(path).manifest["first_faults"]
        assert "the gzip data are" in faults[-1]["detail"]


def test_what_images_cannot_do_is_refused(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "s.fps"
    run("lab", "images", source, "-o", target, "-q")
    with pytest.raises(PlanError, match="leave out shingle"):
        twinset.find(target, shingle=3)
    with pytest.raises(PlanError, match="images and documents"):
        twinset.find([target, source])
    with pytest.raises(twinset.TwinsetError, match="there is no such file"):
        twinset.find(tmp_path / "none.fps")
    new = tmp_path / "new.fps"
    for path, out in ((source, target), (source, tmp_path / "images.txt"), (target, new)):
        result = CliRunner().invoke(app, ["lab", "images", str(path), "-o", str(out)])
        assert result.exit_code in (1, 2)
    assert not new.exists()


def parted(lines: str) -> set[tuple[frozenset[str], int]]:
    """Result lines as sets of ids, each with its count."""
    sets = set()
    for line in lines.splitlines():
        words = re.findall(r'"(?:[^"\\]|\\.)*"|\S+', line)
        *ids, count = (json.loads(word) if word[0] == '"' else word for word in words)
        sets.add((frozenset(ids), int(count)))
    return sets


def test_the_sets_of_a_report_are_named_by_its_ids(source: Path, tmp_path: Path) -> None:
    images, report = tmp_path / "s.fps", tmp_path / "report"
    run("lab", "images", source, "-o", images, "--image", "bottom:size=20", "--shingle", "2", "-q")
    run("find", images, "--clusters", "closed:k=5", "-o", report, "-q")
    numbers = report / "shingles.txt.out"
    mined = run("lab", "mine", numbers, "--support", "5", "--names", report).stdout
    members: dict[int, set[str]] = {}
    for row in twinset.open_report(report).clusters.to_pylist():
        members.setdefault(row["cluster"], set()).add(row["id"])
    assert {ids for ids, _ in parted(mined)} == set(map(frozenset, members.values()))
    assert any(" " in id for ids, _ in parted(mined) for id in ids)
    table = tmp_path / "table.txt"
    table.write_text("0 1 99\n")
    result = CliRunner().invoke(
        app, ["lab", "mine", str(table), "--support", "1", "--names", str(report)]
    )
    assert result.exit_code == 1
    assert "the table has number 99" in result.output


@pytest.mark.parametrize("packed", [False, True])
def test_dedup_splits_the_lines(tmp_path: Path, packed: bool) -> None:
    text = b"# a remark\na 1 2 3\n\nb 1 2 3\nx 1 two\nc 7 8 9"
    path = tmp_path / ("s.fps.gz" if packed else "s.fps")
    path.write_bytes(gzip.compress(text) if packed else text)
    folder = twinset.dedup(path).save(tmp_path / "clean")
    kept, removed = (
        (gzip.decompress(file.read_bytes()) if packed else file.read_bytes())
        for file in (folder / f"{name}{path.name[1:]}" for name in ("kept", "removed"))
    )
    assert kept == b"# a remark\na 1 2 3\n\nx 1 two\nc 7 8 9"
    assert removed == b"# a remark\nb 1 2 3\n"
    ids = twinset.find(folder / f"kept{path.name[1:]}").documents["id"].to_pylist()
    assert ids == ["a", "x", "c"]


@given(st.one_of(st.sampled_from(ODD), st.text(max_size=8)), st.lists(st.integers(0, 2**64 - 1)))
@examples(200)
def test_ids_and_values_come_back(
    tmp_path_factory: pytest.TempPathFactory, id: str, values: list[int]
) -> None:
    path = tmp_path_factory.mktemp("fps") / "one.fps"
    written = " ".join([quoted_id(id), *map(str, values)])
    assert "\n" not in written
    path.write_text(f"{written}\n", encoding="utf-8", newline="\n")
    [batch] = ImageFiles([path], ReadOptions()).batches()
    assert batch.ids.to_pylist() == [id or None]
    assert batch.texts.to_pylist() == [" ".join(map(str, values))]
    assert batch.faults == ()
