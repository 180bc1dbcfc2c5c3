"""Property tests try as many examples as they say, and fewer where everything is slow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kernels.examples import USUAL, examples

ROOT = Path(__file__).resolve().parents[1]
TESTS = sorted(ROOT.rglob("*.py"))
OF_THE_PROFILES = {"conftest.py", "kernels/test_examples.py", "kernels/examples.py"}


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


def test_no_test_sets_its_examples_otherwise() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in TESTS}
    assert len(texts) > 200
    own = [name for name, text in texts.items() if "max_examples" in text and sets_examples(text)]
    assert set(own) <= OF_THE_PROFILES


def sets_examples(text: str) -> bool:
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return any(keyword.arg == "max_examples" for call in calls for keyword in call.keywords)
