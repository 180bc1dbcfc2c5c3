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
