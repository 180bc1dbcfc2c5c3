"""Strategies for parts and plans: any registered name, any value that its options allow."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from hypothesis import strategies as st

from twinset.plan import Plan, ReadOptions, spec

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
BOUND = 10**6


def values(option: spec.Option) -> st.SearchStrategy[Any]:
    """Values that an option allows."""
    if option.part:
        made = parts(option.part)
        if option.many:  # several fields of the input would be too many
            several = st.lists(made, max_size=3).map(tuple)
            return several.filter(lambda chosen: len({getattr(p, "field", 0) for p in chosen}) < 2)
        return made if option.usual else st.none() | made
    if option.type is bool:
        single: st.SearchStrategy[Any] = st.booleans()
    elif option.choices:
        single = st.sampled_from(option.choices)
    elif option.type is int:
        single = st.integers(int(_or(option.least, 0)), int(min(_or(option.most, BOUND), 2**40)))
    elif option.type is float:
        low = _or(option.least, _or(option.above, 0.0))
        high = _or(option.most, _or(option.below, 100.0))
        single = st.floats(low, high).filter(lambda v: not option.fault(v) and math.isfinite(v))
    else:
        single = TEXTS
    if option.many:
        return st.lists(single, max_size=3).map(tuple)
    may_be_missing = option.default is None
    return (st.none() | single) if may_be_missing else single


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound


def parts(kind: str) -> st.SearchStrategy[Any]:
    """Parts of a kind that have nothing wrong with them."""
    classes = sorted({spec.load(kind, name) for name in spec.names(kind)}, key=lambda c: c.__name__)
    return st.sampled_from(classes).flatmap(_part).filter(lambda part: not spec.faults_of(part))


def _part(cls: type[Any]) -> st.SearchStrategy[Any]:
    # A few options at a time differ from their defaults: together few of them fit.
    own = spec.options_of(cls)
    changed = st.sets(st.sampled_from(sorted(own)), max_size=3) if own else st.just(set())
    return changed.flatmap(lambda names: st.builds(cls, **{n: values(own[n]) for n in names}))


@st.composite
def plans(draw: Any) -> Plan:
    """Plans that have nothing wrong with them."""
    own, reading = spec.options_of(Plan), spec.options_of(ReadOptions)
    names = draw(st.sets(st.sampled_from(sorted([*own, *reading])), max_size=6))
    plan = dataclasses.replace(
        Plan(), **{name: draw(values(own[name])) for name in sorted(names & set(own))}
    )
    read = {name: draw(values(reading[name])) for name in sorted(names & set(reading))}
    return dataclasses.replace(plan, read=dataclasses.replace(plan.read, **read))
