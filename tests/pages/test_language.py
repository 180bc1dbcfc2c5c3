"""Every language says everything, and templates ask for nothing that is not there."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import twinset.pages
from twinset.pages.language import LANGUAGES, percent, preferred, say, sentences

PAGES = Path(twinset.pages.__file__).parent
FORMS = {"en": 2, "ru": 3}
USED = re.compile(r"""\bt\(\s*["']([a-z_]+\.[a-z0-9_]+)["']\s*[,)]""")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_sentences_are_there_with_their_fields(language: str) -> None:
    english, other = sentences("en"), sentences(language)
    # In English an option has its own name and help, which test_options_everywhere looks after.
    assert {k for k in set(english) ^ set(other) if not k.startswith(("label.", "help."))} == set()
    for key, text in other.items():
        assert fields(english.get(key, "")) == fields(text), key
        assert text.strip(), key
        if "|" in english.get(key, "") or "|" in text:
            assert text.count("|") == FORMS[language] - 1, key


def test_languages_are_not_copies() -> None:
    same = [k for k, text in sentences("en").items() if sentences("ru").get(k) == text]
    assert [k for k in same if re.search("[a-z]{3}", sentences("en")[k])] == []


@pytest.mark.parametrize("template", sorted(PAGES.rglob("*.html")), ids=lambda p: p.name)
def test_templates_use_known_sentences(template: Path) -> None:
    used = USED.findall(template.read_text(encoding="utf-8"))
    assert [key for key in used if key not in sentences("en")] == []


def test_plurals_and_numbers() -> None:
    from twinset.pages import language

    assert [language._form("ru", n) for n in (1, 2, 5, 11, 12, 21, 22, 111, 1.5)] == [
        *(0, 1, 2, 2, 2, 0, 1, 2, 1)
    ]
    assert language.number("en", 1234567) == "1,234,567"
    assert language.number("ru", 1234.5) == "1\u00a0234,5"
    shares = [("en", 0, "0"), ("en", 0.0004, "under 0.1"), ("ru", 0.0004, "менее 0,1")]
    assert all(percent(name, share) == f"{said}\u00a0%" for name, share, said in shares)
    asked = ("ru-RU,ru;q=0.9,en;q=0.8", "de,en;q=0.8", "")
    assert [preferred(each) for each in asked] == ["ru", "en", "en"]


def test_a_sentence_without_a_translation_is_said_in_english(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from twinset.pages import language

    known = language._group
    lacking = {name: text for name, text in known("ru", "layout").items() if name != "skip"}
    monkeypatch.setattr(
        language, "_group", lambda name, group: lacking if name == "ru" else known(name, group)
    )
    assert say("ru", "layout.skip") == say("en", "layout.skip")
