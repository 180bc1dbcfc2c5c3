"""What to take from the input and how to treat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from twinset.spec import option, options_of

Html = Literal["auto", "yes", "no"]
OnError = Literal["skip", "stop"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What to take from the input and how to treat it.

    ``order`` is the field that the keep policy asks for: it comes from the plan and is no option.
    """

    id: str = option("id", "Field of the id, dotted if nested.", group="Input", metavar="FIELD")
    text: str = option(
        "text", "Field of the text, dotted if nested.", group="Input", metavar="FIELD"
    )
    html: Html = option("auto", "Whether texts are HTML pages.", group="Input")
    on_error: OnError = option(
        "skip", "Skip bad documents and count them, or stop at the first.", group="Input"
    )
    max_document_bytes: int = option(
        256 << 20,
        "Refuse a larger record: an endless line cannot take all memory.",
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
        "End with a fault when more of the rows, or of the files of records, could not be read.",
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
