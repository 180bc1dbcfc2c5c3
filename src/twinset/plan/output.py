"""In which form the documents of a run are written; it decides nothing about the result."""

from __future__ import annotations

from typing import Any

from twinset.errors import did_you_mean
from twinset.lazy_dataclass import dataclass
from twinset.spec import checked_values, option

FORMATS = ("jsonl", "csv", "parquet")
COMPRESSIONS = ("gz", "bz2", "xz", "zst")


@dataclass(frozen=True, slots=True)
class OutputForm:
    """In which form kept, removed and annotated documents are written."""

    annotate: bool = option(
        False,
        "Write all documents, too, with the fields twinset_cluster, twinset_keep, twinset_kept_id "
        "and twinset_score.",
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
