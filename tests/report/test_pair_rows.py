"""A window into two texts: nothing lost between folds, differences found where they are said."""

from __future__ import annotations

from twinset.finding.verify.side_by_side import side_by_side
from twinset.result.pair_rows import Fold, Line, outline, place_of, unfolded, window

WORDS = [f"w{n}" + ("\n" if n % 20 == 19 else "") for n in range(4000)]


def changed(*places: int) -> str:
    return " ".join("other" if n in places else w for n, w in enumerate(WORDS))


def test_rows_and_folds_are_all_rows() -> None:
    side = side_by_side(" ".join(WORDS), changed(100, 2000, 3999))
    rows: list[int] = []
    for item in outline(side):
        rows.extend(range(item.first, item.last) if isinstance(item, Fold) else [item])
    assert rows == list(range(len(side.rows)))
    assert sum(isinstance(item, Fold) for item in outline(side)) >= 3


def test_windows_follow_each_other() -> None:
    side = side_by_side(" ".join(WORDS), changed(*range(0, 4000, 50)))
    seen, at = [], 0
    while at is not None:
        part = window(side, at, 7)
        seen.extend(part.items)
        at = part.after  # type: ignore[assignment]
    assert seen == list(window(side, 0, 10**6).items)
    fold = next((item for item in seen if isinstance(item, Fold)), None)
    if fold:
        assert unfolded(side, fold.first, fold.last)[0].row == fold.first


def test_a_difference_is_where_its_place_says() -> None:
    side = side_by_side(" ".join(WORDS), changed(100, 2000, 3999))
    for number in range(len(side.differences)):
        item = window(side, place_of(side, number), 1).items[0]
        assert isinstance(item, Line)
        begun = [p.link for p in item.left if p.kind == "changed" and p.begins]
        assert begun == [number]


def test_equal_texts_are_not_folded() -> None:
    side = side_by_side(" ".join(WORDS), " ".join(WORDS))
    assert not any(isinstance(item, Fold) for item in outline(side))
    assert window(side_by_side("", "")).items == ()


def test_controls_are_shown() -> None:
    part = window(side_by_side("a\x00b \u202ec", "a\x00b d")).items[0]
    assert isinstance(part, Line)
    assert part.left[0].text == "a␀b"
    assert "⟨RLO⟩c" in [p.text for p in part.left]
