"""Rows as names and values: what was written in JSON is what is written again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.reading.rows.record import Verbatim, as_json, distinct, fields_of, lines_of, quoted

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


@examples(200)
@given(OBJECTS, st.sampled_from([None, (",", ":"), (" , ", "\t: ")]), st.booleans())
def test_an_object_is_the_same_again(
    record: dict[str, Any], separators: tuple[str, str] | None, ascii: bool
) -> None:
    line = json.dumps(record, separators=separators, ensure_ascii=ascii)
    fields = fields_of(f" {line}\t")
    assert list(fields) == list(record)
    for name, value in record.items():
        if value is None or isinstance(value, str):
            assert fields[name] == value
            assert type(fields[name]) is not Verbatim
        else:
            assert type(fields[name]) is Verbatim
    assert json.loads(lines_of([fields])) == record


@examples(300)
@given(st.text('{}[]",:\\ \tab1.e-\n', max_size=14) | st.text('{"a1:,} \\', max_size=8))
def test_what_is_no_object_is_refused_as_json_refuses_it(line: str) -> None:
    for text in (line, '{"a":' + line + "}", '{"a":1' + line + "}"):
        try:
            expected = json.loads(text)
        except ValueError:
            expected = None
        if isinstance(expected, dict):
            assert json.loads(as_json(fields_of(text))) == expected
        else:
            with pytest.raises(ValueError, match=r"\w"):
                fields_of(text)


def test_numbers_stay_as_they_are_written() -> None:
    line = '{"a":1.0,"b":1,"c":1e400,"d":123456789012345678901234567890,"e":[0.10, -0],"f":1E+2}'
    assert lines_of([fields_of(line)]).decode() == line + "\n"
    long = "9" * 10_000  # more digits than Python makes a number of
    assert as_json(fields_of(f'{{"a":{long}}}')).decode() == f'{{"a":{long}}}'


def test_a_lone_surrogate_stays_an_escape() -> None:
    fields = fields_of('{"a":"x\\ud800y","b":"é","c":["\\udfff"]}')
    line = lines_of([{"n": "ё"}, fields]).decode()
    assert line.startswith('{"n":"ё"}\n')
    assert json.loads(line.splitlines()[1]) == {"a": "x\ud800y", "b": "é", "c": ["\udfff"]}


@examples(100)
@given(st.text(st.sampled_from('a\\"\n\r\t\x00\x1f\x7fё\u2028😀'), min_size=50, max_size=90))
def test_long_texts_are_written_as_short_ones(text: str) -> None:
    assert quoted(text).decode() == json.dumps(text, ensure_ascii=False)


def test_of_equal_names_the_last_one_counts() -> None:
    assert fields_of('{"a":1,"b":2,"a":3}') == {"a": "3", "b": "2"}


def test_json_has_no_numbers_that_are_none() -> None:
    fields = fields_of('{"a":NaN,"b":-Infinity,"c":"NaN"}')
    assert lines_of([fields]) == b'{"a":null,"b":null,"c":"NaN"}\n'
    assert fields["b"] == "-Infinity"


def test_no_name_hides_another() -> None:
    assert distinct(["a", "b", "a", "a_2", "a"]) == ["a", "b", "a_3", "a_2", "a_4"]


def test_one_name_for_all_columns() -> None:
    names = distinct(["a", "a_7"] + ["a"] * 200_000)
    assert names[:8] == ["a", "a_7", "a_2", "a_3", "a_4", "a_5", "a_6", "a_8"]
    assert len(set(names)) == len(names)
