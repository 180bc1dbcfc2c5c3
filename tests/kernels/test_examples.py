"""Property tests try as many examples as they say, and fewer where everything is slow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kernels.examples import USUAL, examples

TESTS = sorted(Path(__file__).parent.glob("*.py"))


@pytest.mark.parametrize(("allowed", "expected"), [(USUAL, 300), (10, 30), (1, 5)])
def test_examples_follow_the_profile(allowed: int, expected: int) -> None:
    profile = settings.get_current_profile_name()
    settings.register_profile("allowed", max_examples=allowed)
    settings.load_profile("allowed")
    try:
        assert examples(300).max_examples == expected
        assert examples(300).deadline is None
    finally:
        settings.load_profile(profile)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_no_test_sets_its_examples_otherwise(path: Path) -> None:
    calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if is_settings(node))
    assert path.name in {"examples.py", "test_examples.py"} or list(calls) == []


def is_settings(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "settings"
    )
