"""The stub of the compiled kernels tells the truth about them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import twinset._kernels
from twinset._kernels import _native

STUB = Path(twinset._kernels.__file__).with_name("_native.pyi")
Parameters = list[tuple[str, bool]]  # names, and whether they have a default
SIGNATURE = re.compile(r"def \w*\((.*)\) -> (.*)", re.DOTALL)
SCALARS = {"int", "float", "bool", "str"}


def stub_functions() -> dict[str, ast.FunctionDef]:
    """The functions and, as ``Class.name``, the methods and properties of the stub."""
    functions = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = (child for child in node.body if isinstance(child, ast.FunctionDef))
            functions |= {f"{node.name}.{method.name}": method for method in methods}
    return functions


def stub_names() -> set[str]:
    """The public names of the stub."""
    names = set()
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def compiled_functions() -> Iterator[tuple[str, Any]]:
    """The same of the compiled module."""
    for name, value in vars(_native).items():
        if hasattr(value, "__nb_signature__"):
            yield name, value
        elif isinstance(value, type):
            for member, thing in vars(value).items():
                if isinstance(thing, property):
                    yield f"{name}.{member}", thing.fget
                elif hasattr(thing, "__nb_signature__"):
                    yield f"{name}.{member}", thing


def compiled_signature(function: Any) -> ast.FunctionDef:
    """nanobind's signature, with its array types replaced by a word that Python can parse."""
    ((text, _, _),) = function.__nb_signature__
    # Brackets hold commas and equals signs that are no part of the parameters.
    text = re.sub(r"(?:numpy\.)?ndarray\[[^\]]*\]", "array", text).replace("\\0", "...")
    match = SIGNATURE.fullmatch(text)
    assert match is not None, text
    node = ast.parse(f"def f({match[1]}) -> {match[2]}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def parameters(node: ast.FunctionDef) -> Parameters:
    names = [argument.arg for argument in node.args.args]
    required = len(names) - len(node.args.defaults)
    listed = [(name, place >= required) for place, name in enumerate(names)]
    return [*listed, ("*", False)] if node.args.vararg else listed


def scalars(node: ast.FunctionDef) -> list[str | None]:
    """The types of the parameters that are plain values; None for arrays and objects."""
    types = [argument.annotation for argument in node.args.args]
    return [t.id if isinstance(t, ast.Name) and t.id in SCALARS else None for t in types]


def returned(node: ast.FunctionDef) -> str | int | None:
    """The plain type that is returned, or how many values a tuple has; None for the rest."""
    result = node.returns
    if isinstance(result, ast.Name):
        return result.id if result.id in SCALARS else None
    if isinstance(result, ast.Subscript) and isinstance(result.slice, ast.Tuple):
        return len(result.slice.elts)
    return "nothing" if isinstance(result, ast.Constant) else None


COMPILED = dict(compiled_functions())


def test_the_stub_has_the_names_of_the_module() -> None:
    public = {name for name in vars(_native) if not name.startswith("_")}
    assert stub_names() == public
    assert set(stub_functions()) == set(COMPILED)


def test_the_stub_has_the_parameters_and_results_of_every_kernel() -> None:
    promises = stub_functions()
    for name, function in COMPILED.items():
        promised, actual = promises[name], compiled_signature(function)
        assert parameters(promised) == parameters(actual), name
        assert scalars(promised) == scalars(actual), name
        # The signature of some kernels says no more than that a tuple comes back.
        if ast.unparse(actual.returns or ast.Constant(None)) != "tuple":
            assert returned(promised) == returned(actual), name


def test_the_package_offers_the_names_of_the_module() -> None:
    for name in stub_names():
        assert getattr(twinset._kernels, name) is getattr(_native, name)
