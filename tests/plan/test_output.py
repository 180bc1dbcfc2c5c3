"""The form of written documents: what does not fit is said with what was probably meant."""

from __future__ import annotations

import pytest

from twinset.errors import PlanError
from twinset.plan import OutputForm


@pytest.mark.parametrize(
    ("to", "meant"),
    [("parqet", "parquet"), ("json", "jsonl"), ("jsonl.zstd", "jsonl.zst"), ("CSV.gzip", "csv.gz")],
)
def test_a_misspelt_format_is_answered_with_the_nearest(to: str, meant: str) -> None:
    with pytest.raises(PlanError, match=f"to {to} is no format .* did you mean '{meant}'\\? write"):
        OutputForm.make(to=to)


def test_a_format_that_is_like_none_is_answered_with_all() -> None:
    with pytest.raises(PlanError, match=r"written in; write one of jsonl, csv, parquet, with \.gz"):
        OutputForm.make(to="xlsx")


def test_a_compressed_parquet_file_is_refused() -> None:
    with pytest.raises(PlanError, match=r"parquet\.gz: a Parquet file is compressed inside"):
        OutputForm.make(to="parquet.gz")


@pytest.mark.parametrize("to", ["jsonl", "CSV", "csv.bz2", "jsonl.zst", "parquet"])
def test_formats_that_fit(to: str) -> None:
    assert OutputForm.make(to=to).to == to
