"""Every refusal is a sentence in every language, with values that the code gives."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import twinset.review.cleaning.actions as actions
from twinset.pages.language import LANGUAGES, sentences
from twinset.review.cleaning.model import Reason, worded

SOURCES = sorted(Path(actions.__file__).parent.glob("*.py"))


def refusals() -> Iterator[tuple[str, set[str]]]:
    """The refusals of the code, by name, with the names of their values."""
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                first, values = node.args[0], {str(word.arg) for word in node.keywords}
                name = str(first.value) if isinstance(first, ast.Constant) else ""
                if name.startswith("refused_") and name != "refused_":
                    yield name, values


NAMED = dict(refusals())
NAMED |= {
    name.replace("refused_", "refused_keeper_"): {"keeper"}
    for name in (
        *("refused_missing", "refused_special", "refused_changed", "refused_unreadable"),
        "refused_linked",
    )
}


def test_a_keep_policy_speaks_for_itself() -> None:
    assert worded(Reason("later")) == "read later"  # and not the button of that name
    assert worded(Reason("older", {"seconds": 86_400 * 330})) == "older by 11 months"
    assert worded(Reason("refused_fault", {"fault": "no"}), "ru") == "система отказывает: no"


def test_the_names_were_read() -> None:
    assert {"refused_changed", "refused_in_the_way", "refused_fault"} <= NAMED.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(NAMED))
def test_each_has_a_sentence(name: str, language: str) -> None:
    text = sentences(language)[f"cleaning.{name}"]
    fields = {field for _, field, _, _ in string.Formatter().parse(text) if field}
    assert fields <= NAMED[name]
