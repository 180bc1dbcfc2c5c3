"""A document gets the same answer alone and among others, whatever is verified at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.index.pairs import near
from tests.kernels.examples import examples
from twinset.index import Index, folder, matching

TEXTS = near(12)
NAMES = sorted(TEXTS)


@st.composite
def questions(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Documents of the index, changed or not, under their own names or those of others."""
    asked = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6)):
        words = TEXTS[name].split(" ")
        cut = draw(st.integers(0, 3))
        text = " ".join(words[cut:] + words[:cut]) if cut else TEXTS[name]
        asked.append((draw(st.sampled_from([name, "another", NAMES[0]])), text))
    return asked


@pytest.fixture(scope="module", params=[1000, 2])
def index(tmp_path_factory: pytest.TempPathFactory, request: Any) -> Iterator[Index]:
    place: Path = tmp_path_factory.mktemp("index") / "index"
    with (
        Index.create(place, threshold=0.4, dense=request.param) as made,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(folder, "FEW", 5)
        for begin in range(
            0, len(NAMES), 11
        ):  # files of keys, of which one document is gone, and recent documents
            some = NAMES[begin : begin + 11]
            made.add_texts(some, [TEXTS[name] for name in some])
        made.add_texts(["gone", "late"], [TEXTS[NAMES[3]], TEXTS[NAMES[3]]])
        made.remove(["gone", NAMES[7]])
        yield made


@examples(60)
@given(asked=questions())
def test_alone_and_among_others(index: Index, asked: list[tuple[str, str]]) -> None:
    names, texts = map(list, zip(*asked, strict=True))
    alone = [index.query_texts([name], [text])[0] for name, text in asked]
    assert index.query_texts(names, texts) == alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "FEW", 0)
        patch.setattr(matching, "AT_ONCE", 2)
        assert index.query_texts(names, texts) == alone
        assert [index.query_texts([name], [text])[0] for name, text in asked] == alone
