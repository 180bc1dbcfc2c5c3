"""The option miner of closed sets: whoever mines them, the clusters are those of our search."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from tests.kernels.examples import examples
from twinset.errors import PlanError, TwinsetError
from twinset.finding.clusters.closed import Closed
from twinset.finding.clusters.closed_sets import SetKind
from twinset.finding.clusters.context import Context
from twinset.finding.clusters.mine import ALGORITHMS
from twinset.plan import Plan

OTHERS = [
    (name, kind)
    for name, algorithm in ALGORITHMS.items()
    for kind in algorithm.kinds
    if name != "search" and (not algorithm.needs_pyfim or find_spec("fim"))
]
documents = st.lists(st.sets(st.integers(0, 9), max_size=7), max_size=12)


@pytest.mark.parametrize(("miner", "kind"), OTHERS)
@examples(40)
@given(rows=documents, k=st.integers(1, 4))
def test_every_miner_gives_what_the_search_gives(
    miner: str, kind: SetKind, rows: list[set[int]], k: int
) -> None:
    context = Context.from_rows([sorted(row) for row in rows], np.uint64)
    ours = Closed(k=k, kind=kind).find(context)
    theirs = Closed(k=k, kind=kind, miner=miner).find(context)
    assert list(theirs) == list(ours)
    for name in ("component", "component_of", "least"):
        assert getattr(theirs, name).tolist() == getattr(ours, name).tolist(), name
    for name in ("documents", "sets", "truncated"):
        figures = getattr(theirs.components, name), getattr(ours.components, name)
        assert figures[0].tolist() == figures[1].tolist(), name
    assert theirs.too_short == ours.too_short


def test_a_report_is_the_same_with_another_miner() -> None:
    texts = ["a b c d e f g h", "a b c d e f g x", "a b c d e f y z", "k l m n o p q r"] * 2
    reports = [
        twinset.find(texts, clusters=f"closed:k=2,kind=closed,miner={miner}", image="full")
        for miner in ("search", "addintent")
    ]
    assert len(reports[0].clusters) > 4
    assert reports[0].clusters.equals(reports[1].clusters)
    assert reports[0].more["components"].equals(reports[1].more["components"])


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("share=0.8,miner=addintent", "addintent goes by one number of features for all"),
        ("k=2,miner=addintent,short=equal", "short=equal is for the miner search"),
        ("k=2,miner=mafia,kind=closed", "mafia finds maximal sets only"),
        ("k=2,miner=none", "'none' is not one of search"),
    ],
)
def test_what_a_miner_cannot_do_is_refused(options: str, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        Plan.make(clusters=f"closed:{options}")


def test_too_many_members_are_an_error_and_no_part_of_the_answer() -> None:
    context = Context.from_rows([[1, 2, 3]] * 5, np.uint64)
    with pytest.raises(TwinsetError, match="max_members is 4: give a larger k"):
        Closed(k=2, miner="addintent", max_members=4).find(context)
