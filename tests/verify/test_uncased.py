"""Papers of a form in scripts without capitals, and versions of them that stay versions."""

from __future__ import annotations

import pytest

from twinset.finding.verify.kinds import kind_of
from twinset.finding.verify.valued_text import ValuedText

LOAN = """借款合同
出借人：{lender}
借款人：{borrower}
双方经协商一致，订立本合同。出借人于2024年3月5日将人民币{sum}元借给借款人，用于购买设备。
借款人应当按期归还全部借款，逾期不还的，按照有关规定支付利息。
借款人不得将借款用于其他用途，出借人有权检查借款的使用情况。
本合同自双方签字之日起生效，一式两份，双方各执一份。
出借人：{lender}
借款人：{borrower}
"""
LETTERS = {
    "Hebrew": (
        "הננו לאשר כי {} עבד אצלנו כמורה במשך שלוש שנים והיה אהוב על תלמידיו ועל צוות בית הספר. "
        "אנו ממליצים עליו לכל תפקיד ומאחלים הצלחה רבה בהמשך הדרך. נשמח להשיב לכל שאלה. "
        "האישור ניתן לבקשת {} ונחתם בידי מנהלת בית הספר.",
        ("גדעון שמש", "נחום ברק"),
        "שלוש",
        "ארבע",
    ),
    "Hindi": (
        "प्रमाणित किया जाता है कि {} ने हमारे विद्यालय में तीन वर्ष तक पढ़ाई की और अनुशासन में रहे। "
        "उनका व्यवहार सबके साथ अच्छा रहा और वे खेलकूद में भी भाग लेते रहे। "
        "हम {} के उज्ज्वल भविष्य की कामना करते हैं और उन्हें आशीर्वाद देते हैं।",
        ("मोहन लाल", "सुरेश चंद्र"),
        "तीन",
        "चार",
    ),
    "Japanese": (
        "{}様の在籍を証明します。勤務態度は良好で、三年間にわたり経理の仕事を担当しました。"
        "同僚からの信頼も厚く、責任をもって業務に取り組みました。"
        "今後のご活躍を心よりお祈りいたします。この証明書は{}様の求めにより発行します。",
        ("大野", "森田"),
        "三",
        "四",
    ),
}


def test_another_party_to_a_contract_makes_another_contract() -> None:
    first = LOAN.format(lender="沈国栋", borrower="许文娟", sum="50000")
    other = LOAN.format(lender="冯晓东", borrower="邓丽华", sum="50000")
    assert kind_of(first, other) == kind_of(other, first) == "same-form"
    added = other.replace("本合同自", "未尽事宜由双方另行协商解决。\n本合同自")
    assert kind_of(first, added) == kind_of(added, first) == "same-form"


def test_another_party_counts_where_a_clause_was_replaced_too() -> None:
    first = LOAN.format(lender="沈国栋", borrower="许文娟", sum="50000")
    other = LOAN.format(lender="冯晓东", borrower="邓丽华", sum="50000")
    other = other.replace("购买设备", "装修位于城南的自有住房以及车库")
    assert kind_of(first, other) == kind_of(other, first) == "same-form"


def test_wording_that_was_changed_makes_a_version() -> None:
    first = LOAN.format(lender="沈国栋", borrower="许文娟", sum="50000")
    later = first.replace("购买设备", "装修住房")
    longer = first.replace("本合同自", "未尽事宜由双方另行协商解决。\n本合同自")
    for version in (later, longer):
        assert kind_of(first, version) == kind_of(version, first) == "revision"
    assert kind_of(first, first.replace("50000", "60000")) == "same-form"


@pytest.mark.parametrize("language", LETTERS)
def test_a_name_that_returns_says_who_is_meant(language: str) -> None:
    letter, (somebody, other), years, more_years = LETTERS[language]
    first = letter.format(somebody, somebody)
    assert kind_of(first, letter.format(other, other)) == "same-form"
    assert kind_of(first, first.replace(years, more_years, 1)) in ("revision", "same-form")


def test_misread_characters_make_no_other_paper() -> None:
    first = LOAN.format(lender="沈国栋", borrower="许文娟", sum="50000")
    scanned = first.replace("协商", "协啇").replace("检查", "检杳").replace("生效", "牛效")
    assert kind_of(first, scanned) == kind_of(scanned, first) == "revision"


def test_dates_and_sums_in_running_text_are_values() -> None:
    text = ValuedText("出借人于2024年3月5日将人民币50000元借给借款人 계약일은 2024년 3월 5일부터")
    assert text.values["date"] == {"2024", "3", "5", "2024년", "3월", "5일부터"}
    assert text.values["code"] == {"50000"}


@pytest.mark.parametrize(
    ("one", "other"), [("เขาซื้อเสื้อ ที่ตลาด", "เขาซื้อเสือ ที่ตลาด"), ("यह दिन है", "यह दान है")]
)
def test_signs_of_vowels_and_tones_make_other_words(one: str, other: str) -> None:
    assert kind_of(one, other) not in ("equal-words", "equal-layout")


def test_points_of_arabic_and_hebrew_do_not() -> None:
    assert kind_of("שָׁלוֹם עֲלֵיכֶם", "שלום עליכם") == "equal-layout"
