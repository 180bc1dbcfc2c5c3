"""Variations of collections keep what is said of their pairs."""

from __future__ import annotations

import itertools

import pytest

from judging import variations
from judging.labelled import Collection
from twinset.lab.decision import LIMITS, Limits


@pytest.fixture
def whole():
    """Ten groups of three, and a pair that nobody can decide."""
    truth = {pair for g in range(10) for pair in itertools.combinations(range(3 * g, 3 * g + 3), 2)}
    ids = [f"d{n}" for n in range(40)]
    texts = [f"text {n}" for n in range(40)]
    return Collection("toy", "toys", False, ids, texts, truth, ignored={(30, 31)}, hard={(0, 39)})


def by_id(collection, pairs):
    return {(collection.ids[left], collection.ids[right]) for left, right in pairs}


def test_half_has_whole_groups(whole):
    half = variations.half(whole, 1)
    assert 0 < len(half.ids) < 40
    assert by_id(half, half.truth) <= by_id(whole, whole.truth)
    assert len(half.truth) == 3 * sum(name in half.ids for name in whole.ids[0:30:3])
    assert variations.half(whole, 1).ids == half.ids != variations.half(whole, 2).ids


def test_alone_has_no_copies(whole):
    alone = variations.alone(whole)
    assert (alone.truth, alone.ignored) == (set(), set())
    assert len(alone.ids) == 10 + 9
    assert by_id(alone, alone.hard) == {("d0", "d39")}


def test_sixty_is_at_most_sixty(whole):
    assert len(variations.sixty(whole, 1).ids) == 40


def test_two_in_one_share_no_pair(whole, monkeypatch):
    monkeypatch.setattr(variations, "collection", lambda name: whole)
    both = variations.merged("toy", "toy")
    assert len(both.ids) == len(set(both.ids)) == 80
    assert len(both.truth) == 60
    assert not any(left < 40 <= right for left, right in both.truth)


def test_limits_in_the_middle_of_good_settings():
    from left_out import RANGES, middle

    assert all(getattr(LIMITS, name) in values for name, values in RANGES.items())
    settings = [Limits(rise=rise, crowd=crowd) for rise, crowd in ((0, 40), (0.05, 10), (0.08, 20))]
    assert (middle(settings).rise, middle(settings).crowd) == (0.05, 20)
