"""Programs by their tokens: what a copy keeps, what none is, and what no input may do."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twinset
from code_copies import LANGUAGES, documents
from twinset.errors import PlanError, ReportError
from twinset.plan import Plan
from twinset.result.passages import shared_text
from twinset.text.code import Code, dialect_of
from twinset.text.segments import words
from twinset.text.wording import rewriter_of

C = """/* Sums. */
#include <stdio.h>
int total(const int *values, int count) {
    int sum = 0;  // so far
    for (int i = 0; i < count; i++) { sum += values[i] * 2; }
    printf("%d\\n", sum); return sum;
}
"""
DISGUISED = """#include <stdio.h>
#include <stdlib.h>

int adds(const int* list, int n)
{
    /* "nothing" at first; it's
       what we return */
    int r=17;
    for (int k=3; k<n; k++)
        r+=list[k]*0x1f;
    printf("the sum, then: %i", r)
    return r;
}"""
PYTHON = '''def total(values, limit=10):
    """Adds: what is below."""
    # result = 1
    result = 0
    for each in values:
        if each < limit // 2 and not each == 'a "quote"':
            result += each * 2.5  # twice
    return result
'''
RENAMED = """def f(v,
      top=99):

  r = 1
  for x in v:
    if x < top // 4 and not x == "other":
      r += x * 7
  return r"""
PROSE = (
    "It's a contract; both of the parties (whoever they are) agree, in writing, to the following "
    "terms: what one of them lends, the other one gives back when asked for it. "
)


def written(*texts: str | None, **options: str) -> list[str]:
    return Code(**options).written(list(texts))


@pytest.mark.parametrize(("one", "two"), [(C, DISGUISED), (PYTHON, RENAMED)])
def test_renamed_and_reformatted_copies_are_equal(one: str, two: str) -> None:
    rows = [("one", one), ("two", two), ("prose", PROSE), ("empty", ""), ("none", None)]
    findings = twinset.find(rows, preset="code")
    assert findings.pairs.select(["left", "right", "score"]).to_pylist() == [
        {"left": "one", "right": "two", "score": 1.0}
    ]
    assert findings.manifest["counts"]["code_left"] == 1
    assert written(one) == written(two)
    kept = written(one, two, names="keep")
    assert kept[0] != kept[1]
    assert "total" in kept[0]
    assert "Sums" not in kept[0]
    assert "Adds" not in kept[0]


def test_what_is_written_for_each_token() -> None:
    folded, kept = written("a = f(1, 'x y')  # z\n"), written("a = 0x1f;", names="keep")
    assert folded == ["name sign3d name sign28 number string sign29"]
    assert kept == ["a sign3d 0x1f"]
    assert written(PROSE, "", None) == [PROSE, "", ""]
    assert written("say so", language="c") == ["name name"]
    assert [dialect_of(text) for text in (C, DISGUISED, PYTHON, RENAMED)] == ["c"] * 2 + [
        "python"
    ] * 2


def test_tokens_are_words_that_no_method_drops() -> None:
    from twinset.text.tokens import Cleaning

    tokens = [each for text in written(C, PYTHON) for each in text.split()]
    assert words([" ".join(tokens)]) == [[each.lower() for each in tokens]]
    assert Cleaning("en+ru+de", 4).tokens([" ".join(tokens)], 1).lengths.tolist() == [len(tokens)]


@given(st.text(alphabet="ab \t\n'\"`\\/*#(){};:=.0é\U0001f600"), st.sampled_from(["c", "python"]))
def test_a_comment_and_blanks_make_no_difference(text: str, language: str) -> None:
    comment = {"c": "// it's (\n /* ' */", "python": "# it's ("}[language]
    end = "\n"  # a string or a comment that is open in the text may take all of it
    before = written(f"x = 1;{end}", language=language)
    assert written(f"\n  x=1; {comment}{end}", language=language) == before
    assert written(f"x = 1;{end}{text}", language=language)[0].startswith(before[0])


@pytest.mark.parametrize("language", ["c", "python"])
def test_no_text_takes_the_square_of_its_length(language: str) -> None:
    # Nothing is timed: at the square of its length, one of these would take minutes.
    for piece in ("'", '"', "`", "\\'", '\\"', "/*", "/", "#", '"""', "\n'''", "a ", "0.", "; "):
        text = piece * (1 << 17)
        assert len(written(text, language=language)) == 1
        assert dialect_of(text) in ("c", "python")


def test_batches_threads_and_surroundings_make_no_difference() -> None:
    rows = [*documents("java")[:24], ("prose", PROSE)]
    whole = twinset.find(rows, preset="code", threads=1)
    assert len(whole.pairs) >= 4 * 14
    table = pa.Table.from_batches(
        [pa.record_batch({"id": [name], "text": [text]}) for name, text in rows]
    )
    parts = twinset.find(table, preset="code", threads=3)
    assert parts.pairs.equals(whole.pairs)
    rewriter = rewriter_of(Plan.make(preset="code"))
    assert rewriter is not None
    texts = [text for _, text in rows]
    one_by_one = [rewriter.rewrite([text]).to_pylist()[0] for text in texts]
    assert rewriter.rewrite(pa.array(texts)).to_pylist() == one_by_one


def test_every_language_of_the_benchmark_is_told_and_its_copies_are_found() -> None:
    for language in LANGUAGES:
        rows = documents(language)[:48]
        assert {dialect_of(text) for _, text in rows} == {"python" if language == "python" else "c"}
        pairs = twinset.find(rows, preset="code").pairs
        found = {
            frozenset(pair) for pair in zip(*pairs.select([0, 1]).to_pydict().values(), strict=True)
        }
        for name, _ in rows:
            one = name.split(": ")[0]
            if name.endswith(("renamed", "reformatted", "reordered")):
                assert {f"{one}: original", name} in found
        wrong = [pair for pair in found if len({each.split(": ")[0] for each in pair}) == 2]
        assert len(wrong) <= 0.05 * len(found)


def test_what_has_no_meaning_for_programs_is_refused() -> None:
    rows = [("one", C), ("two", DISGUISED)]
    with pytest.raises(PlanError, match="programs have no synonyms: leave out"):
        twinset.find(rows, preset="code", synonyms="=car|auto")
    with pytest.raises(PlanError, match="language"):
        twinset.find(rows, forms="code:language=cobol")
    findings = twinset.find(rows, forms="code")
    with pytest.raises(ReportError, match="no passages of the texts"):
        shared_text(findings, ["one", "two"])
