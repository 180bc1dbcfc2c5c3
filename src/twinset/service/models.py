"""Bodies, parameters and answers of the service: what is taken, and what OpenAPI says of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from twinset.index.work import TOP

Value = TypeVar("Value")
DEEPEST = 1_000_000
"""The most that ``top`` may be."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class ServiceSettings:
    """The index, the address, and the bounds of a request.

    ``is_open`` says that anybody who reaches another address than this machine's may come in
    without a key, as long as there are no keys.
    """

    place: str
    host: str = "127.0.0.1"
    port: int = 8760
    workers: int = 1
    is_open: bool = False
    most_bytes: int = 16 << 20
    most_documents: int = 1000
    most_waiting: int = 256
    timeout: float = 30.0

    @property
    def most_bytes_at_once(self) -> int:
        """Bytes of all requests that are being read or worked on."""
        return 8 * self.most_bytes

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine reach the service."""
        return self.host in LOOPBACK


class RequestError(Exception):
    """A request that cannot be answered, with its status and what else the answer holds."""

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        self.status, self.sentence, self.more = status, sentence, more
        self.headers = dict(headers or {})
        super().__init__(sentence)


class NewDocument(BaseModel):
    """A document to be added."""

    id: Annotated[str, Field(min_length=1)]
    text: str


class AskedText(BaseModel):
    """A document that is asked about; one that is in the index matches its copies, not itself."""

    id: str | None = None
    text: str


class AddParameters(BaseModel):
    """How documents are added."""

    model_config = ConfigDict(extra="forbid")
    replace: bool = Field(False, description="Another text for an id replaces the older one.")
    dedup: bool = Field(False, description="Leave out near-duplicates, and list them.")


class QueryParameters(BaseModel):
    """How documents are asked about."""

    model_config = ConfigDict(extra="forbid")
    top: int = Field(TOP, ge=0, le=DEEPEST, description="The most matches of each; 0 lists all.")
    passages: bool = Field(False, description="Add the passages that both texts share.")


class Removed(BaseModel):
    """How many documents were there and are gone."""

    removed: int


class RequestFault(BaseModel):
    """What is wrong, and what helps."""

    error: str


NEW = TypeAdapter(list[NewDocument])
ASKED = TypeAdapter(list[AskedText])
IDS = TypeAdapter(list[str])


def parsed(kind: TypeAdapter[Value], body: bytes) -> Value:
    """What a body holds."""
    try:
        value = kind.validate_json(body)
    except ValidationError as fault:
        raise _refused("the body", fault) from None
    json.loads(body, object_pairs_hook=_each_once)
    return value


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object that has a name twice: which value is meant, nobody knows."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise RequestError(400, f"an object has the name '{name}' twice: leave one of them")


def options_of(kind: type[BaseModel], given: Mapping[str, str]) -> Any:
    """The parameters of a request."""
    try:
        return kind.model_validate(dict(given))
    except ValidationError as fault:
        raise _refused("the address", fault) from None


def _refused(what: str, fault: ValidationError) -> RequestError:
    first = fault.errors(include_url=False, include_input=False)[0]
    place = ", ".join(f"item {at}" if isinstance(at, int) else f'"{at}"' for at in first["loc"])
    said = first["msg"][:1].lower() + first["msg"][1:]
    return RequestError(400, f"{what} cannot be read{place and f' at {place}'}: {said}")
