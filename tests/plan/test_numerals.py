"""Numbers in texts and messages."""

from __future__ import annotations

from twinset.spec.numerals import counted


def test_a_count_has_separators_and_the_plural_of_its_noun() -> None:
    assert counted(1, "pair") == "1 pair"
    assert counted(0, "pair") == "0 pairs"
    assert counted(12345, "cluster") == "12,345 clusters"
