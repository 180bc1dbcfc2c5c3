"""Bodies, parameters and answers of the service: what is taken, and what OpenAPI says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from twinset.index.work import TOP

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


class RequestError(HTTPException):
    """A request that cannot be answered, and what its answer holds beside the sentence."""

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(status, sentence, headers)
        self.more = more


Text = Annotated[str, Field(min_length=0)]
"""A text with a bound, however low, is refused where it holds half a character of UTF-16."""


class NewDocument(BaseModel):
    """A document to be added."""

    id: Annotated[str, Field(min_length=1)]
    text: Text


class AskedText(BaseModel):
    """A document that is asked about; one that is in the index matches its copies, not itself."""

    id: Text | None = None
    text: Text


class AddParameters(BaseModel):
    """How documents are added."""

    model_config = ConfigDict(extra="forbid")
    replace: bool = Field(False, description="Another text for an id replaces the older one.")
    dedup: bool = Field(False, description="Leave out near-duplicates, and list them.")


class QueryParameters(BaseModel):
    """How documents are asked about."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    top: int = Field(TOP, ge=0, le=DEEPEST, description="The most matches of each; 0 lists all.")
    least: float | None = Field(
        None, gt=0, description="The lowest score, in place of the threshold of the index."
    )


class Removed(BaseModel):
    """How many documents were there and are gone."""

    removed: int


class RequestFault(BaseModel):
    """What is wrong, and what helps."""

    error: str
