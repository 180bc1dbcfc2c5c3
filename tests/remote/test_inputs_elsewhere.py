"""Documents at addresses are those of the same bytes on this machine."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import twinset
from tests.reading.samples import DOCS, FORMATS, PACKERS, write
from tests.remote.web import Site, serving
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs
from twinset.system.remote import RemotePath

TWICE = (*DOCS, *((f"{id}-again", text) for id, text in DOCS))


@pytest.fixture(params=["memory", "s3"])
def elsewhere(request: pytest.FixtureRequest) -> str:
    """A folder elsewhere."""
    if request.param == "s3":
        return f"{request.getfixturevalue('bucket')}/folder"
    return f"memory://{uuid4().hex}"


@pytest.fixture
def memory() -> RemotePath:
    """A folder in the memory of this process."""
    return RemotePath.of(f"memory://{uuid4().hex}")


def put(path: Path, address: str) -> str:
    """The same file or folder at an address."""
    target = RemotePath.of(address)
    for file in [path] if path.is_file() else path.rglob("*"):
        if file.is_file():
            place = target / file.relative_to(path.parent)
            place.write_bytes(file.read_bytes())
    return f"{target}/{path.name}"


def tables(findings: Any) -> list[Any]:
    """What was found, without the columns that say where it lies."""
    left_out = {"source", "file", "modified"}
    columns = [name for name in findings.documents.column_names if name not in left_out]
    return [findings.documents.select(columns), findings.pairs, findings.clusters]


def shown(opened: Any) -> list[Any]:
    return [
        (place, id, text)
        for batch in opened.batches()
        for place, id, text in zip(
            batch.places.tolist(), batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True
        )
    ]


@pytest.mark.parametrize("reader", [*FORMATS, "files"])
def test_the_tables_are_those_of_a_local_run(reader: str, tmp_path: Path, elsewhere: str) -> None:
    here = write(tmp_path, reader, TWICE)
    there = put(here, elsewhere)
    assert tables(twinset.dedup(there)) == tables(twinset.dedup(here))


@pytest.mark.parametrize("has_ranges", [True, False])
@pytest.mark.parametrize("has_length", [True, False])
@pytest.mark.parametrize("reader", FORMATS)
def test_any_web_server_will_do(
    reader: str, has_ranges: bool, has_length: bool, tmp_path: Path
) -> None:
    here = write(tmp_path, reader, TWICE)
    with serving(Site({f"/{here.name}": here.read_bytes()}, has_ranges, has_length)) as site:
        findings = twinset.dedup(f"{site.address}/{here.name}?key=1")
    assert tables(findings) == tables(twinset.dedup(here))
    (entry,) = findings.manifest["inputs"]
    assert entry["path"] == f"{site.address}/{here.name}?key=1"
    assert entry["bytes"] == (here.stat().st_size if has_length else None)


@pytest.mark.parametrize("length", [40_000, 300_000, 3_000_000])
@pytest.mark.parametrize("reader", ["jsonl", "parquet"])
def test_files_of_any_length_come_from_a_web_server_without_ranges(
    reader: str, length: int, tmp_path: Path
) -> None:
    blob = random.Random(length).randbytes(length // 2).hex()
    here = write(tmp_path, reader, (*TWICE, ("long", blob)), None if reader == "parquet" else "gz")
    with serving(Site({f"/{here.name}": here.read_bytes()}, has_ranges=False)) as site:
        findings = twinset.dedup(f"{site.address}/{here.name}")
    assert tables(findings) == tables(twinset.dedup(here))


def test_patterns_and_folders_are_read_in_the_order_of_local_ones(
    tmp_path: Path, elsewhere: str
) -> None:
    root = tmp_path / "root"
    for name in ("part-1.jsonl.zst", "part-2.jsonl.gz", "part-10.jsonl", "b/part-3.jsonl.xz"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        packing = name.rpartition(".")[2]
        data = f'{{"id": "{name}", "text": "text of {name}"}}\n'.encode()
        (root / name).write_bytes(PACKERS.get(packing, bytes)(data))
    for name in ("a.txt", "a/b.txt", ".hidden", ".git/x.txt", "b/.hidden.jsonl", "table.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(
            "id1,id2\n1,2\n" if name.endswith("csv") else "some words of a note"
        )
    there = put(root, elsewhere)
    for pattern in ("", "/part-*.jsonl*", "/**/*.jsonl*", "/part-?.jsonl.*", "/*", "/[ab]"):
        local, remote = open_inputs(f"{root}{pattern}"), open_inputs(f"{there}{pattern}")
        assert shown(remote) == shown(local), pattern
        counts = [sorted(file.reason for file in opened.passed_over) for opened in (local, remote)]
        assert counts[0] == counts[1], pattern


def test_a_report_elsewhere_is_passed_over_in_a_folder_and_read_where_it_is_named(
    tmp_path: Path, memory: RemotePath
) -> None:
    report = twinset.dedup(write(tmp_path, "jsonl", TWICE)).save(tmp_path / "root/report")
    (tmp_path / "root/note.txt").write_text("a note beside it")
    there = put(tmp_path / "root", str(memory))
    local, remote = open_inputs(tmp_path / "root"), open_inputs(there)
    assert shown(remote) == shown(local)
    assert [id for _, id, _ in shown(remote)] == ["note.txt"]
    assert len(remote.passed_over) == len(local.passed_over) > 0
    assert len(shown(open_inputs(f"{there}/report"))) == len(DOCS)
    (RemotePath.of(f"{there}/report/kept.jsonl")).system.rm(
        RemotePath.of(f"{there}/report/kept.jsonl").path
    )
    with pytest.raises(ReadError, match="is a report of twinset, which holds no documents"):
        open_inputs(f"{there}/{Path(report).name}")


def test_addresses_in_a_list_and_references(tmp_path: Path, memory: RemotePath) -> None:
    there = put(write(tmp_path, "jsonl"), str(memory))
    other = put(write(tmp_path, "csv"), str(memory))
    mixed = twinset.find([there, RemotePath.of(other), tmp_path / "docs.csv"])
    assert len(mixed.documents) == 3 * len(DOCS)
    findings = twinset.dedup(there, reference=[other])
    assert findings.manifest["inputs"][0]["reference"] is True
    assert not findings.keep[len(DOCS) :].any()


def test_texts_are_read_again(tmp_path: Path, elsewhere: str) -> None:
    for reader in ("jsonl", "parquet", "files"):
        there = put(write(tmp_path, reader, TWICE), elsewhere)
        folder = twinset.find(there).save(tmp_path / f"report-{reader}")
        from twinset.result.texts import texts

        report = twinset.open_report(folder)
        ids = report.documents["id"].to_pylist()
        expected = dict(zip(ids, [text for _, text in sorted(TWICE)], strict=True))
        if reader != "files":
            expected = dict(TWICE)
        assert texts(report, ids) == expected
        name = there if reader != "files" else f"{there}/a1.txt"
        RemotePath.of(name).write_bytes(b"another text that is longer" * 100)
        assert "a1" not in texts(report, ids) or reader == "files"


def test_the_page_opens_no_address(tmp_path: Path, memory: RemotePath) -> None:
    from twinset.result.texts import reopen

    there = put(write(tmp_path, "jsonl"), str(memory))
    opened = open_inputs(there, ReadOptions(within=(str(tmp_path),)))
    assert not opened.sources
    assert [fault.kind for fault in opened.opening_faults] == ["outside"]
    manifest = twinset.find(there).manifest
    plan = manifest["plan"]
    bound = {**plan, "read": {**plan["read"], "within": [str(tmp_path)]}}
    assert not reopen({**manifest, "plan": bound}).sources
    source = open_inputs(there).sources[0]
    smuggled = dataclasses.replace(opened, sources=[source])
    faults = [fault for batch in smuggled.batches() for fault in batch.faults]
    assert "only folders of this machine" in faults[-1].detail
