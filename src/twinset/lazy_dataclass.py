"""Dataclasses whose ``__init__`` is compiled when more than a few objects are made.

The standard decorator compiles up to eight functions per class while its module is loaded. A small
run loads a hundred such classes, makes a few objects of a third of them and compares none: that was
a tenth of its time. To type checkers, `dataclasses.fields` and `dataclasses.replace` these are the
usual dataclasses.

A class that inherits from a frozen one takes the standard decorator.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True, kw_only=False):
        """As `dataclasses.dataclass`, with the options that are used here."""
        if cls is None:
            return partial(dataclass, frozen=frozen, slots=slots, eq=eq, repr=repr, kw_only=kw_only)
        methods = {"__repr__": _repr} if repr else {}
        if eq:
            methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
        if frozen:
            methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        if frozen and slots:
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
        own = {name for name, value in vars(cls).items() if value is not None}
        cls.__doc__ = cls.__doc__ or cls.__name__  # else the standard one puts a signature there
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
        cls = made(cls)
        cls.__dataclass_params__.frozen = frozen  # which the standard decorator asks of bases
        cls.__signature__ = _Signature()
        methods["__init__"] = _first_init(cls, frozen)
        for name in methods.keys() - own:
            setattr(cls, name, methods[name])
        return cls


class _Factory:
    """What a parameter has that is made by a function, as the standard decorator shows it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()
FEW = 8
"""Objects that are filled sooner than a function is compiled."""


def _first_init(cls: Any, frozen: bool) -> Any:
    """The ``__init__`` of the first objects of a class."""
    left = FEW

    def init(made: Any, *values: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0 or not _filled(cls, frozen, made, values, named):
            compiled()(made, *values, **named)

    def compiled() -> Any:
        cls.__init__ = _compiled_init(cls, frozen)
        return cls.__init__

    init.compiled = compiled  # type: ignore[attr-defined]
    return init


def _filled(
    cls: Any, frozen: bool, made: Any, values: tuple[Any, ...], named: dict[str, Any]
) -> bool:
    """Fill an object; False where the values do not fit: the compiled function says how."""
    fields, assign = dataclasses.fields(cls), object.__setattr__ if frozen else setattr
    places = [each.name for each in fields if each.init and not each.kw_only]
    given = dict(zip(places, values, strict=False))
    if len(given) < len(values) or given.keys() & named.keys():
        return False
    given |= named
    for each in fields:
        if each.init and each.name in given:
            value = given.pop(each.name)
        elif each.default is not dataclasses.MISSING:
            value = each.default
        elif each.default_factory is not dataclasses.MISSING:
            value = each.default_factory()
        elif each.init:
            return False
        else:
            continue
        assign(made, each.name, value)
    if given:
        return False
    if hasattr(cls, "__post_init__"):
        made.__post_init__()
    return True


def _compiled_init(cls: Any, frozen: bool) -> Any:
    """The function that the standard decorator would have made."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": _FACTORY}
    positional, named, body = ["self"], ["*"], []
    for field in dataclasses.fields(cls):
        name, value, default = field.name, field.name, ""
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = field.default_factory
            default = " = _missing"
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif field.default is not dataclasses.MISSING:
            known[f"_usual_{name}"] = field.default
            default = f" = _usual_{name}"
        if field.init:
            (named if field.kw_only else positional).append(name + default)
        elif not default:
            continue
        else:
            value = default.removeprefix(" = ") if value == name else f"_make_{name}()"
        body.append(f"_set(self, '{name}', {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(positional + (named if len(named) > 1 else []))
    lines = [f"def __init__({parameters}):", *(body or ["pass"])]
    exec("\n    ".join(lines), known)  # of names of fields, as in the standard library
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {each.name: each.type for each in dataclasses.fields(cls) if each.init}
    return init


class _Signature:
    """The parameters of a class, for help and editors."""

    def __get__(self, instance: Any, cls: Any) -> Any:
        import inspect

        init = getattr(cls.__init__, "compiled", lambda: cls.__init__)()
        of_init = inspect.signature(init)
        parameters = list(of_init.parameters.values())[1:]
        return of_init.replace(parameters=parameters, return_annotation=None)


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, each.name) for each in dataclasses.fields(self) if each.compare)


def _eq(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = (each.name for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"


def _refuse(self: Any, name: str, *value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
