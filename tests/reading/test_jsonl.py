"""JSON lines: ordinary and odd lines, faults, batch sizes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import twinset
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs


def rows(path: Path, batch_bytes: int = 1 << 20, **options: object) -> list[tuple[object, ...]]:
    inputs = open_inputs([path], ReadOptions(**options), batch_bytes=batch_bytes)  # type: ignore[arg-type]
    found: list[tuple[object, ...]] = []
    for batch in inputs.batches():
        batch.ids.validate(full=True)
        batch.texts.validate(full=True)
        found += zip(
            batch.ids.to_pylist(), batch.texts.to_pylist(), batch.places.tolist(), strict=True
        )
    return found


def faults(path: Path, **options: object) -> list[tuple[int | None, str]]:
    inputs = open_inputs([path], ReadOptions(**options))  # type: ignore[arg-type]
    return [(fault.line, fault.kind) for batch in inputs.batches() for fault in batch.faults]


def write(folder: Path, *lines: str | bytes, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_bytes(b"".join((s if isinstance(s, bytes) else s.encode()) + b"\n" for s in lines))
    return path


def test_nested_fields_and_keys_with_dots(tmp_path: Path) -> None:
    path = write(
        tmp_path, '{"meta": {"id": 5, "x": [1]}, "b": {"c": "t"}}', '{"b.c": "flat", "meta": null}'
    )
    assert rows(path, id="meta.id", text="b.c") == [("5", "t", 1), (None, "flat", 2)]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"id": 1, "text": "a", "text": "b"}', "text"),
        ('{"id": 1, "text": "a", "id": "z"}', "id"),
        ('{"text": "a", "at": 1, "at": 2}', None),
        ('{"text": "a", "more": {"id": 1, "id": 2, "text": 3, "text": 4}}', None),
    ],
)
def test_a_field_that_is_there_twice_is_a_fault(
    tmp_path: Path, line: str, field: str | None
) -> None:
    manifest = twinset.find(write(tmp_path, line), max_unread=1).manifest
    said = [(fault["line"], fault["detail"]) for fault in manifest["first_faults"]]
    assert said == ([(1, f"the field '{field}' is there twice: leave one of them")] * bool(field))


def test_halves_of_surrogate_pairs_are_faults(tmp_path: Path) -> None:
    lines = [
        r'{"id": "a", "text": "\ud83d\ude00 whole"}',
        r'{"id": "b", "text": "a \ud83d half"}',
        r'{"id": "c \ud83d", "text": "one"}',
        r'{"id": "c \udc00", "text": "two", "other": "\udc00"}',
        r'{"id": "d", "text": "three", "other": "\udc00"}',
    ]
    path = write(tmp_path, "\n".join(lines))
    report = twinset.find(path)
    assert rows(path) == [
        ("a", "\U0001f600 whole", 1),
        ("b", None, 2),
        (None, "one", 3),
        (None, "two", 4),
        ("d", "three", 5),
    ]
    said = [(fault["line"], fault["kind"]) for fault in report.manifest["first_faults"]]
    assert said == [(2, "encoding"), (3, "encoding"), (4, "encoding")]


BAD = [
    ('{"id": 1}', "missing"),
    ('{"id": 1, "text": null}', "missing"),
    ('{"id": 1, "text": 5}', "type"),
    ('{"id": 1, "text": ["a"]}', "type"),
    ('{"id": 1, "text": "a"', "syntax"),
    ('{"id": 1, "text": "a"} x', "syntax"),
    ('{"id": 1, "text": "a}', "syntax"),
    ('{"id": 1, "text": "a",}', "syntax"),
    ('{"id": 01, "text": "a"}', "syntax"),
    ('{"id": 1, "text": "a\tb"}', "syntax"),
    ('{"id": 1, "text": "\\x"}', "syntax"),
    ('{"id": 1, "x": [1, {"a": }], "text": "a"}', "syntax"),
    ('["text"]', "syntax"),
    ("nonsense", "syntax"),
    ('{"x": ' + "[" * 100_000 + "]" * 100_000 + ', "text": "a"}', "syntax"),
]


@pytest.mark.parametrize(("line", "kind"), BAD)
def test_bad_lines_are_faults_and_the_rest_is_read(tmp_path: Path, line: str, kind: str) -> None:
    path = write(tmp_path, '{"id": "a", "text": "one"}', line, '{"id": "b", "text": "two"}')
    assert faults(path) == [(2, kind)]
    assert [row[1] for row in rows(path)] == ["one", None, "two"]


def test_stop_names_file_line_and_remedy(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": "a", "text": "one"}', "nonsense")
    with pytest.raises(ReadError, match=r"x\.jsonl:2: .*--on-error skip") as caught:
        rows(path, on_error="stop")
    assert caught.value.line == 2


def test_a_line_beyond_the_limit_is_refused_and_the_rest_read(tmp_path: Path) -> None:
    long = json.dumps({"id": 2, "text": "x" * 5000})
    path = write(tmp_path, '{"id": 1, "text": "a"}', long, '{"id": 3, "text": "b"}', long)
    for batch_bytes in (100, 3000, 1 << 20):
        found = rows(path, batch_bytes, max_document_bytes=4000)
        assert [(row[1], row[2]) for row in found] == [("a", 1), (None, 2), ("b", 3), (None, 4)]
    assert faults(path, max_document_bytes=4000) == [(2, "too-long"), (4, "too-long")]
    assert [row[1] for row in rows(path, 100)][1] == "x" * 5000


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": 1, "text": "привет"}\n{"id": 2, "text": "x"}', encoding=encoding)
    assert rows(path) == [("1", "привет", 1), ("2", "x", 2)]


def test_order_field(tmp_path: Path) -> None:
    values = ["1.5", "-3", '"7"', "null", "1e300", "0.1", "123456789012345678", "true"]
    lines = [f'{{"text": "a", "stars": {value}}}' for value in values]
    inputs = open_inputs([write(tmp_path, *lines)], ReadOptions(order="stars"))
    (batch,) = inputs.batches()
    assert batch.order is not None
    wanted = ["1.5", "-3.0", "7.0", "nan", "1e+300", "0.1", "1.2345678901234568e+17", "nan"]
    assert [str(value) for value in batch.order.tolist()] == wanted
