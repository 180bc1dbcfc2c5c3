"""Sentences and paragraphs against their twins."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import text_twins as twins
from hypothesis import given
from hypothesis import strategies as st
from text_strategies import document, pack, relaxed, split

from twinset import _kernels

Kernel = Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray, np.ndarray]]

prose = st.text("aB1я漢ก\u0301\u200d .!?…。．।؟\n\r\t\x0c\u2028\u2029\xa0,\"'", max_size=40).map(
    str.encode
)
texts = st.lists(st.one_of(prose, prose, document), max_size=4)


def parts(kernel: Kernel, data: list[bytes], threads: int = 1) -> list[list[list[str]]]:
    starts = split(*kernel(*pack(data), threads))
    cut = []
    for text, first in zip(data, starts, strict=True):
        words = twins.words(text)
        bounds = [*first, len(words)]
        cut.append([words[a:b] for a, b in itertools.pairwise(bounds)])
    return cut


@relaxed
@given(texts)
def test_parts_equal_the_twin(data: list[bytes]) -> None:
    for kernel, twin in (
        (_kernels.sentences, twins.sentences),
        (_kernels.paragraphs, twins.paragraphs),
    ):
        expected = [twin(text) for text in data]
        assert parts(kernel, data) == expected
        assert parts(kernel, data * 20, threads=4) == expected * 20


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("One two. Three!", [2, 1]),
        ("Pi is 3.14, see example.com/index.html?q=1 now.", [12]),
        ("Why? Because… well... so", [1, 1, 1, 1]),
        ("He said “stop.” Then left", [3, 2]),
        ("А. Б. Пушкин", [1, 1, 1]),
        ("今天好。明天？后天．大后天", [3, 2, 2, 3]),
        ("राम गया। सीता आयी॥ अंत", [2, 2, 1]),
        ("كيف حالك؟ بخير۔ نعم", [2, 1, 1]),
        ("Title\n\nText goes\non here", [1, 4]),
        ("Title\r\nsame", [2]),
        ("Title\r\n \t\r\nother", [1, 1]),
        ("a\x0cb\u2029c\u2028d", [1, 1, 2]),
        ("... !!! ???", []),
        (". . a . . b", [1, 1]),
        ("", []),
    ],
)
def test_sentence_examples(text: str, sizes: list[int]) -> None:
    assert [len(one) for one in parts(_kernels.sentences, [text.encode()])[0]] == sizes


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("One. Two.\nThree", [3]),
        ("One\n\n\n\nTwo", [1, 1]),
        ("One\n  \t\nTwo\n\n", [1, 1]),
        ("One\n---\nTwo", [2]),
        ("One\n\n---\n\nTwo", [1, 1]),
        ("\n\nOne", [1]),
        ("One\r\rTwo\x85\x0cThree", [1, 1, 1]),
    ],
)
def test_paragraph_examples(text: str, sizes: list[int]) -> None:
    assert [len(one) for one in parts(_kernels.paragraphs, [text.encode()])[0]] == sizes
