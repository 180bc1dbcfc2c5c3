"""The kind of a pair on papers that were written by hand, and what must hold of any two texts."""

from __future__ import annotations

import random
import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.verify.fact_cases import FACTS, VERSIONS, filled
from tests.verify.kind_cases import CV, FORMS, INVOICE, LEASE, POLICY, REVISIONS
from twinset.finding.verify import valued_text
from twinset.finding.verify.kinds import kind_of, surely_form
from twinset.finding.verify.valued_text import ValuedText
from twinset.model.flow import KINDS

WORDS = "the rent is 10,200 for Tom Brewer 4 March 2024 INV-17 of flat"
PARAGRAPHS = st.lists(
    st.lists(
        st.sampled_from(
            [
                "the",
                "rent",
                "is",
                "10,200",
                "for",
                "Tom",
                "Brewer",
                "4",
                "March",
                "2024",
                "INV-17",
                "of",
                "flat",
            ]
        ),
        min_size=1,
        max_size=12,
    ).map(" ".join),
    min_size=1,
    max_size=6,
).map("\n".join)


@pytest.mark.parametrize("name", REVISIONS)
def test_another_version_is_a_revision(name: str) -> None:
    left, right = REVISIONS[name]
    assert kind_of(left, right) == kind_of(right, left) == "revision"


@pytest.mark.parametrize("name", FORMS)
def test_another_paper_of_a_form_is_no_revision(name: str) -> None:
    left, right = FORMS[name]
    assert kind_of(left, right) == kind_of(right, left) == "same-form"


@pytest.mark.parametrize("language", FACTS)
def test_numbers_dates_names_and_addresses_alone_make_a_form(language: str) -> None:
    papers = {what: filled(text) for what, text in FACTS[language].items()}
    assert {what for what, pair in papers.items() if kind_of(*pair) != "same-form"} == set()


@pytest.mark.parametrize("language", VERSIONS)
def test_other_wording_makes_a_version(language: str) -> None:
    texts = {what: filled(text) for what, text in VERSIONS[language].items()}
    assert {what for what, pair in texts.items() if kind_of(*pair) != "revision"} == set()


def test_other_line_ends_are_layout() -> None:
    assert kind_of(LEASE, " ".join(LEASE.split())) == "equal-layout"
    assert kind_of(LEASE, textwrap.fill(POLICY, 30)) != "equal-layout"


def test_blanks_case_and_punctuation_within_the_lines_are_no_difference() -> None:
    other = LEASE.replace(" ", "  ").replace("\n\n", "\n\n\n").replace(",\n", "\n").upper()
    assert kind_of(LEASE, other) == "equal-words"


def test_page_headers_and_numbers_are_layout() -> None:
    lines = [*LEASE.splitlines(), *POLICY.splitlines()]
    pages = [lines[at : at + 7] for at in range(0, len(lines), 7)]
    printed = "\n".join(
        "\n".join(["Whitby Lettings, printed copy", *page, f"- {number} of {len(pages)} -"])
        for number, page in enumerate(pages, 1)
    )
    assert kind_of("\n".join(lines), printed) == "equal-layout"


def test_words_broken_at_line_ends_and_numbers_of_lists_are_layout() -> None:
    broken = LEASE.replace("inspection", "inspec-\ntion")
    assert kind_of(LEASE, broken) in ("equal-words", "equal-layout")
    numbered = "\n".join(f"{n}. {line}" for n, line in enumerate(POLICY.splitlines(), 1))
    assert kind_of(POLICY, numbered) == "equal-layout"


def test_a_number_on_a_line_of_its_own_is_no_page_number() -> None:
    table = "Valve\n140\nLabour\n105\nHose\n12\n" + POLICY
    assert kind_of(table, table.replace("Hose\n12\n", "Hose\n")) == "revision"
    assert kind_of(table, table.replace("105", "106")) == "same-form"


def test_lines_of_numbers_of_any_length_and_script_are_compared() -> None:
    rows = "\n".join((LEASE, "7", "10000000000", "²", "፩", "٣", "1" * 5000))
    more = rows + "\n12345678901\n፪"
    assert kind_of(rows, more) == kind_of(more, rows) == "revision"
    assert kind_of(LEASE, f"{LEASE}\n፩") == "revision"


def test_a_repeated_row_of_a_table_is_no_page_header() -> None:
    rows = "Parking 4.00\n" * 3 + POLICY
    assert kind_of(rows, rows.replace("Parking 4.00\n", "", 2)) == "revision"


def test_zeros_that_a_spreadsheet_drops_are_layout() -> None:
    assert kind_of(INVOICE, INVOICE.replace("140.00", "140")) in ("equal-words", "equal-layout")


def test_an_excerpt_is_a_part_and_a_sentence_at_the_end_is_none() -> None:
    whole = LEASE + "\n\n" + POLICY + "\n\n" + CV
    assert kind_of(whole, POLICY) == kind_of(POLICY, whole) == "part"
    quoted = "Dear Ann,\nhere is what it says:\n" + POLICY + "\nRegards, Sue"
    assert kind_of(whole, quoted) == "part"
    assert kind_of(POLICY, POLICY + " This policy was agreed with the staff.") == "revision"


def test_a_form_is_no_part_of_a_longer_one() -> None:
    left, right = FORMS["invoices to two customers"]
    rows = "\n".join(f"Fitting number {n}      {n}.50" for n in range(20, 60))
    longer = right.replace("Total", rows + "\nTotal")
    assert kind_of(left, longer) == "same-form"


def test_texts_that_share_little_are_no_versions() -> None:
    assert kind_of(LEASE + POLICY[:80], CV + POLICY[:80]) == "same-form"


@given(PARAGRAPHS)
@examples(60)
def test_a_text_and_itself(text: str) -> None:
    assert kind_of(text, text) == "equal-words"
    assert kind_of(text, text.replace("\n", "\n\n\t")) == "equal-words"
    assert kind_of(text, text.replace("\n", " ")) in ("equal-words", "equal-layout")


@given(PARAGRAPHS, PARAGRAPHS)
@examples(100)
def test_the_order_of_two_texts_plays_no_part(left: str, right: str) -> None:
    kind = kind_of(left, right)
    assert kind in KINDS
    if left.casefold().split() != right.casefold().split():
        assert kind not in ("equal-bytes", "equal-words")
    assert (kind == "equal-words") == (kind_of(right, left) == "equal-words")


@given(st.text(max_size=60), st.text(max_size=60))
@examples(100)
def test_any_characters_have_a_kind(left: str, right: str) -> None:
    assert kind_of(left, right) in KINDS


@given(PARAGRAPHS, PARAGRAPHS)
@examples(100)
def test_the_quick_look_says_nothing_that_the_long_one_denies(left: str, right: str) -> None:
    sets = [ValuedText(text).value_sets for text in (left, right)]
    if surely_form(*sets):
        assert kind_of(left, right) == "same-form"


def test_the_quick_look_knows_most_invoices() -> None:
    assert surely_form(
        *(ValuedText(text).value_sets for text in FORMS["invoices to two customers"])
    )
    assert not any(
        surely_form(*(ValuedText(text).value_sets for text in pair)) for pair in REVISIONS.values()
    )


def test_the_head_and_foot_of_a_single_page_are_layout() -> None:
    paged = f"Hollis Estates, registered in England 04417733\n{LEASE}\nLease – 1 / 1"
    assert kind_of(LEASE, paged) == kind_of(paged, LEASE) == "equal-layout"
    head_of_title = f"LEASE, May 2024\n{LEASE}\nPage 1 of 1"
    assert kind_of(LEASE, head_of_title) == "equal-layout"
    # A number that is none of a page, and lines that are more than a head, are something new.
    assert kind_of(LEASE, f"Paid in advance\n{LEASE}\nPaid 1 / 3") == "revision"
    assert kind_of(LEASE, f"{LEASE}\nThe garden is shared by both floors.\nPage 1") == "revision"


@pytest.mark.parametrize(("one", "other"), [("C++", "C#"), ("A+", "A-"), ("< 40", "> 40")])
def test_a_sign_that_means_something_else_is_a_fact(one: str, other: str) -> None:
    first = f"The form was filled in by hand and says {one} in its last line."
    assert kind_of(first, first.replace(one, other)) == "same-form"
    assert kind_of(first, f"# {first}") == kind_of(first, f"> {first}") == "equal-words"


def test_numbers_of_lists_that_touch_their_text_are_layout() -> None:
    items = ["The tenant pays the rent.", "The landlord insures the house.", "Pets are welcome."]
    listed = f"1.{items[0]}\n2.{items[1]} 3.{items[2]}"
    assert kind_of("\n".join(items), listed) == "equal-layout"


def test_minutes_of_two_meetings_are_no_versions() -> None:
    minutes = (
        "Minutes of the Residents' Association\nMeeting held on {}, in the community hall, "
        "beginning at 7 p.m.\nPresent: Mr Archer (chair), Ms Bright, Dr Novak. Apologies were "
        "received from Mrs Lane.\nThe minutes of the last meeting were read and approved.\n{}\n"
        "There being no other business the chairman closed the meeting at 8.45 p.m."
    )
    first = minutes.format(
        "6 February 2024",
        "The gutters are to be cleaned before Easter, and three firms will be asked for offers.\n"
        "The lift stood still four times in winter; the firm is reminded of its contract.",
    )
    second = minutes.format(
        "5 March 2024",
        "Three offers for the gutters were compared and that of Mason & Co. was accepted.\n"
        "The day in the garden will be in spring; tools are lent by a neighbour.",
    )
    assert kind_of(first, second) == kind_of(second, first) == "same-form"
    corrected = first.replace("four times", "five times").replace("reminded", "warned")
    assert kind_of(first, corrected) == "revision"


@pytest.mark.parametrize("part", ["_", "_a", "a.", ".", "-", "a+", "漢_", "e\u0301\u0316\u0301"])
def test_a_text_without_blanks_is_cut_soon(part: str) -> None:
    words = ValuedText(f"{part * 200_000} anna.b@example.org 12.50").written
    assert words[-2:] == ["anna.b@example.org", "12.50"]


PARTS = [*" \n\t\r\f\x1d\x1f<=5a-_.,@:/()+#A年´«$", " <", " ≤5", "<= 5", "> ", "www.", "b@c.d", "é"]


@examples(300)
@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join), st.sampled_from((2, 300_000)))
def test_pieces_between_blanks_have_the_words_of_the_whole_text(text: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(valued_text, "MOST_WORDS", most)
        patched.setattr(valued_text, "_PIECES", valued_text._Pieces())
        cut = [ValuedText(text) for _ in range(2)]  # the second one of pieces that are known
    words = list(valued_text._WORD.finditer(cut[0].text))[:most]
    broken = [len(re.findall(r"[\n\r\f\v]", cut[0].text[: word.start()])) for word in words]
    for one in cut:
        assert list(zip(one.begins, one.ends, strict=True)) == [word.span() for word in words]
        assert one.lines == [sorted({*broken}).index(line) for line in broken]
        assert [at for at in range(len(words)) if one.begins_line(at)] == [
            broken.index(line) for line in sorted({*broken})
        ]


def test_what_follows_a_colon_on_its_line_is_labelled() -> None:
    text = ValuedText(f"Name: A\nB {':' * 200_000}\n\nC")
    assert [text.is_labelled(at) for at in range(5)] == [False, True, False, False, False]


def test_many_lines_that_are_numbers() -> None:
    numbers = "1\n" * 20_000
    assert kind_of(numbers + "1\n" * 10, numbers) == kind_of(numbers, numbers + "1\n" * 10)


def test_many_equal_lines_that_may_be_called_added_anywhere() -> None:
    lines = "1.5\n" * 20_000
    assert kind_of(lines, lines * 2) == kind_of(lines * 2, lines) == "part"


def test_a_column_of_repeated_words_is_no_furniture():
    draw = random.Random(1)
    column = draw.choices([f"entry{letter}" for letter in "abcdefghijklmnopqrst"], k=600)
    assert kind_of("\n".join(column), " ".join(column[200:400])) == "part"
