"""Documents of many scripts for the tests: words, sentences, paragraphs, pages."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.kernels.examples import examples

relaxed = examples(60)

WORDS = (
    "alpha", "Beta", "GAMMA", "naïve", "cafe\u0301", "x", "42", "слово", "Ёжик", "ΛΟΓΟΣ", "מילה",
    "كَلِمَة", "हिन्दी", "한글", "漢", "字", "か", "ไ", "ท", "กำ", "👍", "straße", "istanbul", "don",
)  # fmt: skip
word = st.sampled_from(WORDS)
sentence = st.tuples(st.lists(word, min_size=1, max_size=8), st.sampled_from(".!?。")).map(
    lambda made: " ".join(made[0]) + made[1]
)
paragraph = st.lists(sentence, min_size=1, max_size=4).map(" ".join)
gap = st.sampled_from(["\n\n", "\n \n", "\r\n\r\n", "\n\n---\n\n", "\f", "\u2029"])


@st.composite
def plain(draw: st.DrawFn, most: int = 12) -> str:
    parts = draw(st.lists(paragraph, min_size=1, max_size=most))
    gaps = [draw(gap) for _ in parts[1:]]
    body = parts[0] + "".join(g + p for g, p in zip(gaps, parts[1:], strict=True))
    return draw(st.sampled_from(["", "\n", "  "])) + body + draw(st.sampled_from(["", "\n"]))
