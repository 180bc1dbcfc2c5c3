"""What is read from the input and how, and in which form documents are written."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, get_type_hints

from twinset.errors import did_you_mean
from twinset.plan.spec import checked_values, option, options_of

Html = Literal["auto", "yes", "no"]
PageText = Literal["main", "whole"]
Repeated = Literal["drop", "keep"]
OnError = Literal["skip", "stop"]
_LANGUAGES = re.compile(r"\w+(?:\+\w+)*", re.ASCII)
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which fields to read from the input and how to treat them.

    ``order`` is the field that the keep policy asks for, ``raw`` says that the method asks for the
    bytes of the documents as well, ``vectors`` is the column of vectors that it asks for, and
    ``boilerplate`` is the number of documents, or the share, beyond which a paragraph is left out:
    these come from the plan and are no options. Neither is ``paged``: a report that says on which
    pages a part stands reads a text again page by page, with form feeds between the pages, slides,
    sheets or chapters.
    """

    id: str = option("id", "Field with the id, dots where nested.", group="Input", metavar="FIELD")
    text: str = option(
        "text",
        "Field with the text, dots where nested.",
        group="Input",
        metavar="FIELD",
    )
    html: Html = option("auto", "Whether to treat texts as HTML pages.", group="Input")
    page_text: PageText = option(
        "main",
        "Text of an HTML page to compare: without navigation and the like, or all of it.",
        group="Input",
    )
    repeated: Repeated = option(
        "drop",
        "Lines that pages of many articles repeat, as menus do: drop them from main texts, or keep "
        "them.",
        group="Input",
    )
    ocr: str = option(
        "no",
        "Read scanned PDF pages and pictures by tesseract: yes, no, or its languages (eng+rus).",
        group="Input",
        metavar="LANGUAGES",
    )
    each_file: bool = option(
        False,
        "Read every file as one document, a file of records too, and every hard link.",
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
    reference: tuple[str, ...] = option(
        (),
        "Compare with what this folder holds, too, and remove nothing there; what is alike inside "
        "it alone is not reported.",
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
    raw: bool = False
    vectors: str | None = None
    boilerplate: float | None = None
    paged: bool = False

    @property
    def fields(self) -> tuple[str, str, str]:
        """The fields of a record that are asked for: id, text and order, which may be empty."""
        return self.id, self.text, self.order or ""

    @property
    def drops_repeated(self) -> bool:
        """Whether pages lose the lines that their sites repeat."""
        return self.repeated == "drop" and self.page_text == "main" and self.html != "no"

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        faults = [f"{name} must name a field" for name in ("id", "text") if not getattr(self, name)]
        if not _LANGUAGES.fullmatch(self.ocr):
            faults.append(
                f"ocr is '{self.ocr}'; give yes, no, or languages of tesseract such as eng+rus"
            )
        return faults + self._boilerplate_faults()

    def _boilerplate_faults(self) -> list[str]:
        faults, more_than = [], self.boilerplate
        if not isinstance(more_than, int | float):
            return []
        if more_than >= 1 and more_than % 1 != 0:
            faults.append(
                "drop-boilerplate must be a whole number of documents, or a share of them below 1, "
                f"not {more_than:g}"
            )
        if self.raw:
            faults.append(
                "drop-boilerplate leaves paragraphs out of texts, and the method compares raw "
                "bytes: let md5 take words or text, or leave drop-boilerplate out"
            )
        return faults


class Reading(TypedDict, total=False):
    """The options of reading as arguments of a function; None means the default."""

    id: str | None
    text: str | None
    html: Html | None
    page_text: PageText | None
    repeated: Repeated | None
    ocr: str | None
    each_file: bool | None
    on_error: OnError | None
    max_document_bytes: int | str | None
    within: Sequence[str]
    reference: Sequence[str]
    max_unread: float | None


def reads_documents(function: Function) -> Function:
    """Show the options of reading one by one in the signature of a function with ``**reading``."""
    hints = get_type_hints(Reading)
    signature = inspect.signature(function)
    *others, rest = signature.parameters.values()
    shown = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=() if name in ("within", "reference") else None,
            annotation=hint,
        )
        for name, hint in hints.items()
    ]
    own = {name: hint for name, hint in function.__annotations__.items() if name != rest.name}
    function.__annotations__ = own | hints
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*others, *shown]
    )
    return function


def reading_arguments(arguments: Mapping[str, Any], function: str) -> dict[str, Any]:
    """The options of reading that a function was called with, None for those not given."""
    names = options_of(ReadOptions)
    for name in arguments:
        if name not in names:
            meant = did_you_mean(name, names).rstrip()
            fault = f"{function}() got an unexpected keyword argument '{name}'; {meant}"
            raise TypeError(fault.rstrip("; "))
    return {name: arguments.get(name) for name in names}


FORMATS = ("jsonl", "csv", "parquet")
COMPRESSIONS = ("gz", "bz2", "xz", "zst")


@dataclass(frozen=True, slots=True)
class OutputForm:
    """In which form kept, removed and annotated documents are written."""

    annotate: bool = option(
        False,
        "Write all documents, too, with their cluster, what is kept of it and the score.",
        group="Output",
    )
    no_split: bool = option(
        False,
        "Write neither kept nor removed documents: the tables, and what --annotate asks for.",
        group="Output",
    )
    to: str | None = option(
        None,
        "Format of the documents: jsonl, csv or parquet; jsonl.gz, .bz2, .xz or .zst is compressed "
        "[that of the input].",
        group="Output",
        metavar="FORMAT",
    )
    shards: int | None = option(
        None,
        "Write N files of about equally many documents each [as many files as the input has].",
        group="Output",
        metavar="N",
        least=1,
    )

    @classmethod
    def make(cls, **values: Any) -> OutputForm:
        """The form with these values; raises for all that do not fit."""
        return checked_values(cls(**values))

    def faults(self) -> list[str]:
        """What is wrong with the values together, a sentence each."""
        if self.to is None:
            return []
        format, _, compression = self.to.lower().partition(".")
        if format not in FORMATS or compression not in ("", *COMPRESSIONS):
            packed = [f"{name}.{end}" for name in ("jsonl", "csv") for end in COMPRESSIONS]
            return [
                f"to {self.to} is no format that documents are written in; "
                f"{did_you_mean(self.to.lower(), [*FORMATS, *packed])}write one of "
                f"{', '.join(FORMATS)}, with .{', .'.join(COMPRESSIONS)} behind it to compress it"
            ]
        if format == "parquet" and compression:
            return [f"to {self.to}: a Parquet file is compressed inside; write parquet"]
        return []
