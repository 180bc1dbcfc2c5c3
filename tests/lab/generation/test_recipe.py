"""Recipes: how they are written, what is refused, and that a key decides everything."""

from __future__ import annotations

import hashlib

import pytest

from twinset.errors import PlanError
from twinset.lab.generate import Recipe
from twinset.lab.sheet import Draw, parts_of
from twinset.plan import spec as parts

TEXT = "\n\n".join(f"Paragraph {n} tells of things. It has two sentences, {n}." for n in range(20))
NAMES = list(parts.names("operation"))


def fault(*specs: str) -> str:
    with pytest.raises(PlanError) as caught:
        Recipe.parse(specs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("delete-paragraph:5%", "did you mean 'delete-paragraphs'?"),
        ("shuffle:5%", "there is no operation 'shuffle'"),
        ("delete-paragraphs:120%", "percent must be between 0 and 100, not 120"),
        ("delete-paragraphs:-1", "percent must be between 0 and 100, not -1"),
        ("delete-paragraphs:nan", "'nan' is not a number"),
        ("delete-paragraphs:some", "'some' is not a number"),
        ("delete-paragraphs:5%,often=2", "has no option 'often'; known: percent, by"),
        ("delete-paragraphs:5%,2", "has no option '2'"),
        ("delete-paragraphs:5%,by=page", "'page' is not one of paragraph, sentence"),
        ("replace-words:2%,dictionary=nowhere.txt", "'nowhere.txt' cannot be read (No such file"),
        ("replace-characters:pairs=ab", "'ab' is not a pair; write old>new"),
        ("replace-characters:pairs=", "pairs is empty; write old>new"),
        ("replace-characters:pairs=a>a", "the pair a>a changes nothing"),
        ("repeat-paragraphs:-1", "paragraphs must be between 0"),
        ("repeat-paragraphs:1,times=2000", "times must be between 0 and 1000, not 2000"),
    ],
)
def test_what_is_wrong_is_reported_with_the_remedy(spec: str, told: str) -> None:
    assert told in fault(spec)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "...", "\n\n\n"])
def test_documents_without_words_stay_and_the_log_says_so(name: str, text: str) -> None:
    made = Recipe.parse([name]).make(text, others=[TEXT])
    assert made.text == text
    assert made.log[0]["notes"] == ["the document has no words: nothing was changed"]


@pytest.mark.parametrize(
    ("spec", "note"),
    [
        ("reorder-paragraphs:100%", "nothing to reorder: the document has one paragraph"),
        ("delete-paragraphs:100%", "one paragraph always stays"),
        ("repeat-paragraphs:3", "the document has 1 paragraphs, fewer than 3"),
        ("truncate:100%", "one word always stays"),
        ("replace-characters:pairs=q>w", "none of the characters to replace occurs"),
        ("add-paragraphs:100%", "nothing to add: there are no paragraphs of other documents"),
        ("key-block:100%", "nothing to add: there are no paragraphs of other documents"),
        ("key-block:0%", "the document has 1 paragraph: nothing of it was cut out"),
        ("replace-words:50%", "words come from the document itself"),
    ],
)
def test_what_cannot_be_done_is_noted(spec: str, note: str) -> None:
    made = Recipe.parse([spec]).make("One paragraph alone.")
    assert note in made.log[0]["notes"][0]


def test_the_key_decides_everything() -> None:
    recipe = Recipe.parse(["reorder-paragraphs:50%", "replace-words:20%"])
    first = recipe.make(TEXT, seed=1, id="a").text
    assert recipe.make(TEXT, seed=1, id="a").text == first
    others = [
        recipe.make(TEXT, seed=2, id="a"),
        recipe.make(TEXT, seed=1, id="b"),
        recipe.make(TEXT, seed=1, id="a", variant=2),
    ]
    assert len({first, *(made.text for made in others)}) == 4


def test_operations_work_on_what_the_one_before_has_left() -> None:
    made = Recipe.parse(["delete-paragraphs:50%", "delete-paragraphs:50%"]).make(TEXT)
    assert [step.of for step in made.steps] == [20, 10]
    assert len(parts_of(made.text, "paragraph")) == 5


@pytest.mark.parametrize(
    ("specs", "digest"),
    [
        (
            [*(name for name in NAMES if name != "key-block"), "delete-paragraphs:20%,by=sentence"],
            "9085575258e9ede7",
        ),
        (["key-block", "key-block:30%,blocks=3,choose=random"], "b85e43d58f1195a9"),
    ],
)
def test_the_same_bytes_on_every_machine(specs: list[str], digest: str) -> None:
    """A fixed digest: a change of it changes every collection that was made with a seed."""
    recipe = Recipe.parse(specs)
    other = "\n\n".join(f"{part} 漢字 слово" for part in TEXT.split("\n\n"))
    texts = [
        recipe.make(text, seed=7, id="x", others=[TEXT, "Else."]).text for text in (TEXT, other)
    ]
    assert hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16] == digest


def test_draws_are_fair() -> None:
    counts = [0] * 10
    for seed in range(3000):
        for place in Draw(seed, "fair").sample(10, 3):
            counts[place] += 1
    assert all(780 < count < 1020 for count in counts)
    assert all(a != b for a, b in enumerate(Draw(1).cycle(50)))
    assert sorted(Draw(1).cycle(50)) == list(range(50))
