"""The lazy decorator makes what the standard one makes; only ``__init__`` comes later."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any

import pytest

from twinset.lazy_dataclass import FEW, dataclass

FORMS: list[dict[str, bool]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "kw_only": True},
    {"eq": False, "repr": False},
]


def _class(decorator: Any, **options: bool) -> Any:
    class Shelf:
        name: str
        books: list[str] = field(default_factory=list)
        width: float = 1.5
        price: int = field(default=3, compare=False, repr=False)
        full: bool = field(default=False, init=False)
        lent: list[str] = field(default_factory=list, init=False)
        owner: str = field(default="us", kw_only=True)

    return decorator(**options)(Shelf)


@pytest.fixture(params=FORMS, ids=str)
def twins(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return _class(dataclass, **request.param), _class(dataclasses.dataclass, **request.param)


def _outcome(function: Any, *given: Any, **named: Any) -> Any:
    try:
        return function(*given, **named)
    except (TypeError, dataclasses.FrozenInstanceError) as fault:
        return type(fault)


@pytest.mark.parametrize("before", [0, FEW + 1])
def test_objects_are_those_of_the_standard_decorator(twins: tuple[Any, Any], before: int) -> None:
    for number in range(before):
        twins[0](name=str(number))
    for given, named in (
        ((), {"name": "a"}),
        (("a", ["b"], 2.0), {"owner": "you"}),
        ((), {}),
        (("a",), {"full": True}),
        (("a",), {"unknown": 1}),
        (("a",), {"name": "b"}),
        (("a", [], 1.0, 2, "more"), {}),
    ):
        ours, theirs = (_outcome(cls, *given, **named) for cls in twins)
        if isinstance(theirs, type):
            assert ours is theirs
            continue
        names = [each.name for each in dataclasses.fields(theirs)]
        assert [each.name for each in dataclasses.fields(ours)] == names
        assert [getattr(ours, n) for n in names] == [getattr(theirs, n) for n in names]


def test_methods_answer_as_those_of_the_standard_decorator(twins: tuple[Any, Any]) -> None:
    answers = []
    for cls in twins:
        one, same, other = cls(name="a"), cls(name="a"), cls(name="b")
        shown = repr(one) if "Shelf(" in repr(one) else "no form of its own"
        answers.append(
            (
                one == same,
                one == other,
                one == "a",
                shown,
                _outcome(setattr, one, "name", "b"),
                _outcome(delattr, other, "width"),
                isinstance(_outcome(hash, dataclasses.replace(one, books=())), int),
                _outcome(hash, same),
                dataclasses.asdict(dataclasses.replace(same, width=9.0)),
                hasattr(one, "__dict__"),
                cls.__match_args__,
            )
        )
    ours, theirs = answers
    if isinstance(theirs[7], int):  # of the place in memory
        assert isinstance(ours[7], int)
        ours, theirs = ours[:7] + ours[8:], theirs[:7] + theirs[8:]
    assert ours == theirs


def test_help_shows_the_parameters(twins: tuple[Any, Any]) -> None:
    ours, theirs = (str(inspect.signature(cls)) for cls in twins)
    assert ours == theirs


def test_no_list_is_shared_between_objects(twins: tuple[Any, Any]) -> None:
    first, second = twins[0](name="a"), twins[0](name="a")
    first.books.append("b")
    first.lent.append("c")
    assert second.books == second.lent == []


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0

    def __repr__(self) -> str:
        return f"<{self.x}, {self.y}>"


@dataclass
class Checked:
    x: int
    twice: int = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2 * self.x


@dataclass
class Named(Checked):
    name: str


def test_frozen_objects_with_slots_can_be_copied_and_pickled() -> None:
    point = Point(1, 2)
    assert copy.copy(point) == pickle.loads(pickle.dumps(point)) == point
    assert len({point, Point(1, 2), Point(2)}) == 2


def test_what_a_class_defines_itself_stays() -> None:
    assert repr(Point(1)) == "<1, 0>"


def test_a_class_inherits_fields_and_checks() -> None:
    assert (Named(2, "n").twice, Named(x=1, name="n").name, Checked(4).twice) == (4, "n", 8)


def test_a_frozen_class_can_be_inherited_from_in_the_usual_way() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Space(Point):
        z: int = 0

    assert (Space(1, z=2).y, Space(1, 2).x) == (0, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Space(1).z = 3  # type: ignore[misc]
