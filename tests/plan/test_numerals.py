"""Numbers in texts and messages."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import twinset
from twinset.errors import PlanError
from twinset.plan.spec import plain_value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.8), 0.8),
        (np.float64(0.1) * 3, 0.1 * 3),
        (np.int16(7), 7),
        (np.uint64(2**63), 2**63),
        (np.bool_(True), True),
        (np.str_("body"), "body"),
        (Fraction(1, 4), 0.25),
        (None, None),
    ],
)
def test_values_of_numpy_become_those_of_python(value: Any, plain: Any) -> None:
    assert plain_value(value) == plain
    assert type(plain_value(value)) is type(plain)


def test_options_may_be_values_of_numpy() -> None:
    texts = {"a": "one two three four five six", "b": "one two three four five six", "c": "other"}
    for threshold in (*np.linspace(0.5, 1, 3), np.float32(0.8)):
        findings = twinset.find(texts, threshold=threshold, seed=np.int32(2), threads=np.int64(1))
        assert findings.pairs.num_rows == 1
        assert findings.manifest["plan"]["threshold"] == float(str(threshold))
    found = twinset.find(texts, threshold=np.float64(0.8), against={"older": texts["a"]})
    assert found.pairs.num_rows == 2
    assert twinset.spans(texts, np.int64(4)).spans.num_rows == 2
    assert twinset.reuse(texts, texts, least=np.int8(5), threshold=np.float16(0.9)).pairs.num_rows
    for wrong in (np.array([0.5]), np.array(0.5), [0.5]):
        with pytest.raises(PlanError, match="threshold must be a number"):
            twinset.find(texts, threshold=wrong)  # type: ignore[arg-type]
