"""Each operation's measured change equals its parameter within rounding, on every script."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from tests.lab.generation.texts import plain, relaxed, word
from twinset.lab.generate import Recipe, Variant
from twinset.lab.sheet import letters, parts_of
from twinset.text.segments import words

percents = st.one_of(st.integers(0, 100), st.floats(0, 100))
seeds = st.integers(0, 1000)
OTHERS = ["Foreign paragraph one.\n\nForeign paragraph two.", "A third foreign paragraph."]


def make(spec: str, text: str, seed: int = 1, others: list[str] = OTHERS) -> Variant:
    return Recipe.parse([spec]).make(text, seed=seed, others=others)


def share(count: int, percent: float) -> int:
    return int(count * percent / 100 + 0.5)


def parts(text: str) -> list[str]:
    return parts_of(text, "paragraph")


@given(plain(), percents, seeds)
@relaxed
def test_reorder_moves_its_share_and_loses_nothing(text: str, percent: float, seed: int) -> None:
    made = make(f"reorder-paragraphs:{percent}", text, seed)
    before, after = parts(text), parts(made.text)
    wanted = share(len(before), percent)
    wanted = 0 if len(before) < 2 else 2 if wanted == 1 else wanted
    assert Counter(before) == Counter(after)
    assert made.steps[0].changed == wanted
    moved = sum(a != b for a, b in zip(before, after, strict=True))
    assert moved <= wanted
    if len(set(before)) == len(before):
        assert moved == wanted


@given(plain(), percents, seeds)
@relaxed
def test_delete_removes_its_share(text: str, percent: float, seed: int) -> None:
    made = make(f"delete-paragraphs:{percent}", text, seed)
    before, after = parts(text), parts(made.text)
    gone = min(share(len(before), percent), len(before) - 1)
    assert len(after) == len(before) - gone
    assert not Counter(after) - Counter(before)
    assert made.steps[0].changed == gone
    assert is_subsequence(after, before)


@given(plain(), percents, seeds)
@relaxed
def test_add_takes_its_share_from_other_documents(text: str, percent: float, seed: int) -> None:
    made = make(f"add-paragraphs:{percent}", text, seed)
    before, after = parts(text), parts(made.text)
    added = Counter(after) - Counter(before)
    foreign = {one for other in OTHERS for one in parts(other)}
    assert sum(added.values()) == share(len(before), percent) == len(after) - len(before)
    assert set(added) <= foreign
    assert [one for one in after if one not in foreign] == [b for b in before if b not in foreign]


@given(plain(), st.integers(0, 300), st.integers(1, 5), st.booleans(), seeds)
@relaxed
def test_a_key_block_keeps_its_paragraphs_among_those_of_other_documents(
    text: str, percent: int, blocks: int, longest: bool, seed: int
) -> None:
    choose = "longest" if longest else "random"
    made = make(f"key-block:{percent}%,blocks={blocks},choose={choose}", text, seed)
    before, after = parts(text), parts(made.text)
    foreign = {one for other in OTHERS for one in parts(other)}
    kept = [one for one in after if one not in foreign]
    expected = min(blocks, len(before))
    assert len(kept) == expected
    assert is_subsequence(kept, before)
    added = max(1, share(len(before), percent)) if percent else 0
    assert len(after) - len(kept) == added
    if longest:
        sizes = [len(row) for row in words(before)]
        assert sorted(map(len, words(kept))) == sorted(sizes)[len(sizes) - expected :]
    assert made.steps[0].changed == len(before) - expected + added


def is_subsequence(some: list[str], every: list[str]) -> bool:
    rest = iter(every)
    return all(one in rest for one in some)


@given(plain(), st.integers(0, 15), st.integers(0, 4), seeds)
@relaxed
def test_repeat_adds_copies(text: str, count: int, times: int, seed: int) -> None:
    made = make(f"repeat-paragraphs:{count},times={times}", text, seed)
    before, after = parts(text), parts(made.text)
    expected = min(count, len(before)) * times
    assert len(after) == len(before) + expected
    assert set(after) == set(before)
    assert made.steps[0].changed == expected


@given(plain(), percents, seeds)
@relaxed
def test_replaced_words_are_others_in_the_same_number(text: str, percent: float, seed: int) -> None:
    made = make(f"replace-words:{percent}", text, seed)
    before, after = words([text, made.text])
    assert len(before) == len(after)
    differ = sum(a != b for a, b in zip(before, after, strict=True))
    assert differ == share(len(before), percent) == made.steps[0].changed


@given(plain(), percents, st.lists(word, min_size=2, unique=True))
@relaxed
def test_replaced_words_come_from_the_dictionary(
    tmp_path_factory: pytest.TempPathFactory, text: str, percent: float, known: list[str]
) -> None:
    path = tmp_path_factory.mktemp("dictionary") / "words.txt"
    path.write_text("\n".join(known), encoding="utf-8")
    made = make(f"replace-words:{percent},dictionary={path}", text)
    before, after = words([text, made.text])
    allowed = set(words([" ".join(known)])[0])
    changed = [b for a, b in zip(before, after, strict=True) if a != b]
    assert set(changed) <= allowed
    if len(allowed) > 1:
        assert len(changed) == share(len(before), percent)


@given(plain(), percents, st.sampled_from(["end", "start"]))
@relaxed
def test_truncate_cuts_its_share_of_words(text: str, percent: float, side: str) -> None:
    made = make(f"truncate:{percent},side={side}", text)
    before, after = words([text, made.text])
    gone = min(share(len(before), percent), len(before) - 1)
    kept = before[: len(before) - gone] if side == "end" else before[gone:]
    assert after == kept
    assert made.steps[0].changed == gone


@given(plain(), percents, seeds)
@relaxed
def test_characters_of_the_pairs_are_replaced(text: str, percent: float, seed: int) -> None:
    made = make(f"replace-characters:{percent},pairs=a>@ т>m .>!", text, seed)
    old = sum(text.count(char) for char in "aт.")
    wanted = share(old, percent)
    assert len(made.text) == len(text)
    differ = [(a, b) for a, b in zip(text, made.text, strict=True) if a != b]
    assert len(differ) == wanted == made.steps[0].changed
    assert set(differ) <= {("a", "@"), ("т", "m"), (".", "!")}


@given(plain(), percents, seeds)
@relaxed
def test_noise_meets_its_share_of_letters(text: str, percent: float, seed: int) -> None:
    made = make(f"ocr-noise:{percent}", text, seed)
    own = letters(text)
    wanted = share(len(own), percent)
    assert made.steps[0].changed == wanted
    assert words([made.text])[0]
    longest = max(stop - start for start, stop in own)
    assert Levenshtein.distance(text, made.text) <= wanted * (longest + 2)
    assert (made.text == text) == (wanted == 0)


@given(plain(), percents)
@relaxed
def test_boilerplate_has_its_share_of_words(text: str, percent: float) -> None:
    made = make(f"boilerplate:{percent}", text)
    before, after = words([text, made.text])
    added = share(len(before), percent)
    assert len(after) == len(before) + added
    above = (added + 1) // 2
    assert after[above : above + len(before)] == before


def test_capitals_make_no_other_word(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("straße\n", encoding="utf-8")
    made = make(f"replace-words:100%,dictionary={tmp_path / 'words.txt'}", "ONE Two")
    assert made.text == "straße Straße"


def test_noise_leaves_something_of_the_shortest_document() -> None:
    assert all(words([make("ocr-noise:100%", "a", seed).text])[0] for seed in range(64))
