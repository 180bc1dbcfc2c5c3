"""Requests out of bytes, checked; what is wrong with one is said in a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from twinset.index.work import TOP
from twinset.lazy_dataclass import dataclass
from twinset.reading.encoding import without_surrogates

DEEPEST = 1_000_000
"""The most that ``top`` may be."""


class RequestError(Exception):
    """A request that cannot be answered, with its status and what else the answer holds."""

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        self.status, self.sentence, self.more = status, sentence, more
        self.headers = dict(headers or {})
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class AddRequest:
    """Documents to be added."""

    ids: list[str]
    texts: list[str]
    replace: bool = False
    dedup: bool = False


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """Documents to be asked about."""

    ids: list[str | None]
    texts: list[str]
    top: int = TOP
    passages: bool = False


def parse_json(body: bytes) -> Any:
    """The value that a body holds."""
    try:
        return json.loads(body)
    except RecursionError:
        raise RequestError(400, "the body is nested too deeply: send a list of objects") from None
    except ValueError as fault:  # and its children, as for bytes that are no UTF-8
        where = f" (at character {fault.pos})" if isinstance(fault, json.JSONDecodeError) else ""
        raise RequestError(400, f"the body is no JSON in UTF-8{where}") from None


def add_request(body: bytes, parameters: Mapping[str, str], most: int) -> AddRequest:
    """Documents, each with an id."""
    _only(parameters, "replace", "dedup")
    ids, texts = _documents(parse_json(body), most, needs_ids=True)
    names = [id for id in ids if id is not None]
    return AddRequest(names, texts, _truth(parameters, "replace"), _truth(parameters, "dedup"))


def query_request(body: bytes, parameters: Mapping[str, str], most: int) -> QueryRequest:
    """Documents, with ids or without."""
    _only(parameters, "top", "passages")
    ids, texts = _documents(parse_json(body), most, needs_ids=False)
    top = parameters.get("top", str(TOP))
    if not (top.isascii() and top.isdigit() and len(top) < 10 and int(top) <= DEEPEST):
        raise RequestError(400, f"top must be a whole number from 0 (all) to {DEEPEST:,}")
    return QueryRequest(ids, texts, int(top), _truth(parameters, "passages"))


def compare_request(body: bytes) -> tuple[str, str]:
    """Two texts."""
    value = parse_json(body)
    if not isinstance(value, dict):
        raise RequestError(400, 'the body must be an object: {"left": TEXT, "right": TEXT}')
    return _text(value, "left", "the body"), _text(value, "right", "the body")


def remove_request(body: bytes, most: int) -> list[str]:
    """Ids."""
    value = parse_json(body)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RequestError(400, "the body must be a list of ids, each a text")
    _check_count(value, most)
    return [without_surrogates(each) for each in value]


def _documents(value: Any, most: int, needs_ids: bool) -> tuple[list[str | None], list[str]]:
    if not isinstance(value, list):
        raise RequestError(400, 'the body must be a list: [{"id": ID, "text": TEXT}, ...]')
    _check_count(value, most)
    ids: list[str | None] = []
    texts = []
    for place, each in enumerate(value):
        name = f"document {place}"
        if not isinstance(each, dict):
            raise RequestError(400, f'{name} must be an object: {{"id": ID, "text": TEXT}}')
        has_id = needs_ids or each.get("id") not in (None, "")
        ids.append(_text(each, "id", name) if has_id else None)
        if ids[-1] == "":
            raise RequestError(400, f'{name} has an empty "id": give it one')
        texts.append(_text(each, "text", name))
    return ids, texts


def _check_count(value: list[Any], most: int) -> None:
    if len(value) > most:
        raise RequestError(
            413, f"a request may hold {most:,} documents, and this has {len(value):,}: send parts"
        )


def _text(value: dict[str, Any], key: str, name: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        fault = "has no" if key not in value else "must have a text as"
        raise RequestError(400, f'{name} {fault} "{key}"')
    return without_surrogates(text)


def _only(parameters: Mapping[str, str], *known: str) -> None:
    for name in parameters:
        if name not in known:
            listed = " and ".join(known)
            raise RequestError(400, f"there is no parameter {name[:40]!r}: {listed} are known")


def _truth(parameters: Mapping[str, str], name: str) -> bool:
    value = parameters.get(name, "false")
    if value not in ("true", "false", "1", "0"):
        raise RequestError(400, f"{name} must be true or false")
    return value in ("true", "1")
