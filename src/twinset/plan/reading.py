"""Which fields to read from the input and how to treat them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from twinset.spec import option, options_of

Html = Literal["auto", "yes", "no"]
PageText = Literal["main", "whole"]
OnError = Literal["skip", "stop"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which fields to read from the input and how to treat them.

    ``order`` is the field that the keep policy asks for: it comes from the plan and is no option.
    """

    id: str = option(
        "id", "Field that holds the id; use dots for nested fields.", group="Input", metavar="FIELD"
    )
    text: str = option(
        "text",
        "Field that holds the text; use dots for nested fields.",
        group="Input",
        metavar="FIELD",
    )
    html: Html = option("auto", "Whether to treat texts as HTML pages.", group="Input")
    page_text: PageText = option(
        "main",
        "Text of an HTML page to compare: without navigation and the like, or all of it.",
        group="Input",
    )
    on_error: OnError = option(
        "skip", "Skip and count bad documents, or stop at the first one.", group="Input"
    )
    max_document_bytes: int = option(
        256 << 20,
        "Refuse larger records, so that an endless line does not fill the memory.",
        group="Expert",
        metavar="SIZE",
        least=1,
        size=True,
    )
    within: tuple[str, ...] = option(
        (),
        "Read nothing outside this folder, not even through links.",
        group="Input",
        metavar="DIR",
    )
    max_unread: float = option(
        0.5,
        "Exit with an error if a larger share of the records, or of their files, cannot be read.",
        group="Input",
        metavar="SHARE",
        least=0,
        most=1,
    )
    order: str | None = None

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return [f"{name} must name a field" for name in ("id", "text") if not getattr(self, name)]


def reading_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options of reading among the arguments of a function."""
    return {name: arguments[name] for name in options_of(ReadOptions)}
