"""The yardstick of the labelled collections: what counts, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from judging.collections import DATA, collection
from judging.labelled import Collection, Figures, f1, load, save


def small(**changes: object) -> Collection:
    values: dict[str, object] = {
        "name": "small",
        "kind": "toy",
        "real": False,
        "ids": ["a", "b", "c", "d"],
        "texts": ["a text", "a text", "a test", "другой\nтекст"],
        "truth": {(0, 1), (0, 2)},
    }
    return Collection(**{**values, **changes})  # type: ignore[arg-type]


def test_every_true_pair_counts_also_one_never_found() -> None:
    assert f1({(0, 1), (0, 3)}, small()) == Figures(pairs=2, true=2, common=1)
    assert f1({(0, 1), (0, 3)}, small()).f1 == 0.5


def test_ignored_pairs_count_neither_way() -> None:
    figures = f1({(0, 1), (0, 3)}, small(ignored={(0, 3)}))
    assert (figures.precision, figures.recall) == (1.0, 0.5)


def test_only_judged_pairs_count_where_pairs_are_judged() -> None:
    judged = {(0, 1), (0, 2), (2, 3)}
    assert f1({(0, 1), (0, 3), (2, 3)}, small(judged=judged)) == Figures(2, 2, 1)


def test_the_owner_is_unsure_where_the_labels_do_not_decide() -> None:
    owner = small(ignored={(0, 3)})
    answers = [owner.answer(*pair) for pair in (("b", "a"), ("d", "a"), ("c", "d"))]
    assert answers == ["yes", "unsure", "no"]
    judged = small(judged={(0, 1), (0, 2), (2, 3)})
    assert [judged.answer("d", other) for other in ("c", "b")] == ["no", "unsure"]


def test_a_made_collection_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = small(ignored={(0, 3)}, hard={(2, 3)}, html=True, why="The same text.")
    save(made, tmp_path)
    assert load(tmp_path) == made


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there is no {DATA}")
def test_real_collections_have_the_sizes_of_their_sources() -> None:
    sizes = {}
    for name in ("guide", "licences", "bills"):
        opened = collection(name)
        sizes[name] = (len(opened.ids), len(opened.truth), len(opened.judged or ()))
    assert sizes == {
        "guide": (2193, 8557, 0),
        "licences": (4057, 12724, 0),
        "bills": (2745, 397, 1416),
    }
