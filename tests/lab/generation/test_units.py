"""Places of words and letters agree with the kernels, on every script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from text_strategies import characters, relaxed

from tests.text_segments import paragraphs, sentences
from twinset.lab.sheet import letters, parts_of, sentence_starts, word_spans
from twinset.text.segments import words

texts = st.text(characters, max_size=60)


@given(texts)
@relaxed
def test_words_lie_where_the_kernels_see_them(text: str) -> None:
    cut = [text[start:stop] for start, stop in word_spans(text)]
    own = [words([piece])[0] for piece in cut]
    assert all(len(found) == 1 for found in own)
    assert [found[0] for found in own] == words([text])[0]


@given(texts)
@relaxed
def test_paragraphs_are_those_of_the_kernels(text: str) -> None:
    found = [words([one])[0] for one in parts_of(text, "paragraph")]
    assert found == paragraphs([text])[0]


@given(texts)
@relaxed
def test_sentences_begin_where_the_kernels_say(text: str) -> None:
    assert len(sentence_starts([text])[0]) == len(sentences([text])[0])


@given(texts)
@relaxed
def test_a_letter_never_begins_with_a_mark_and_letters_cover_the_words(text: str) -> None:
    found = letters(text)
    covered = {place for start, stop in found for place in range(start, stop)}
    assert covered == {place for start, stop in word_spans(text) for place in range(start, stop)}
    assert all(words([text[start:stop]])[0] for start, stop in found)
