"""A short turn of the fuzz targets, always the same one, as part of the ordinary tests."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from tests.fuzz import fuzz
from tests.fuzz.mutation import Target, make_input
from twinset.errors import TwinsetError

TURNS, MANY_TURNS = 40, 2000
TARGETS = fuzz.known_targets()
NAMES = [target.name for target in TARGETS]


def survive(target: Target, turns: int) -> None:
    rng = random.Random(target.name)
    seeds = target.seeds()
    for _ in range(turns):
        with suppress(TwinsetError):  # a clear refusal is as good as reading on
            target.function(make_input(seeds, rng))


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
@pytest.mark.filterwarnings("ignore")
def test_survives_mutations(target: Target) -> None:
    survive(target, TURNS)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
@pytest.mark.filterwarnings("ignore")
def test_survives_many_mutations(target: Target) -> None:
    survive(target, MANY_TURNS)
