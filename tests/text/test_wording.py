"""Words rewritten into forms: what is found, what stays the same, and what it may cost."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.russian import INFLECTED, LETTER, OTHER
from tests.text_segments import sentences

import twinset
from twinset.errors import MissingExtraError, PlanError, ReadError
from twinset.result.passages import shared_text
from twinset.text import stopwords
from twinset.text.forms import LATIN, Folded, LatinGuess, Lemma, NoForms, Stem
from twinset.text.segments import words
from twinset.text.tokens import WHOLE
from twinset.text.word_files import spelt_words, synonyms_of
from twinset.text.wording import Rewriter, WordChoice, rewriter_of

FOLDED = WordChoice(Folded(), by_letter=True)
ROWS = [("letter", LETTER), ("inflected", INFLECTED), ("other", OTHER)]


def pairs(**options) -> list[tuple[str, str]]:
    table = twinset.find(ROWS, **options).pairs
    return list(zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True))


@pytest.mark.parametrize("method", ["minhash", "exact", "lexical", "tfidfcosine", "bottom"])
@pytest.mark.parametrize("forms", ["stem", "lemma", "stem:language=ru"])
def test_inflected_copies_are_found_with_forms_and_not_without(method: str, forms: str) -> None:
    options = {"method": method, "threshold": 0.5}
    assert pairs(**options) == []
    assert pairs(**options, forms=forms) == [("letter", "inflected")]


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Résumé, naïve; Šárka", "resume naive sarka"),
        ("ＡＢＣ １２", "abc 12"),
        ("ﬁn ſee ﬂow", "fin see flow"),
        ("١٢٣ ४२", "123 42"),
        ("ёлка", "елка"),
        ("бо\u0438\u0306 бой", "бои бои"),
        ("Straße Łódź Ærø", "strasse lodz aero"),
        ("שלום ספר", "שלומ ספר"),
        ("हिन्दी", "हिन्दी"),
        ("か が", "か が"),
    ],
)
def test_folded_words_have_no_accents_and_one_spelling(written: str, folded: str) -> None:
    by_word, folding = Rewriter(WordChoice(Folded())), Rewriter(FOLDED)
    assert words(folding.rewrite([written]).to_pylist()) == words([folded])
    assert words(by_word.rewrite([written]).to_pylist()) == words([folded])
    plain = pa.array(["Plain text!", None])
    assert folding.rewrite(plain).to_pylist() == plain.to_pylist()


@given(st.lists(st.text(max_size=40), max_size=6))
def test_folding_twice_changes_nothing(texts: list[str]) -> None:
    folding = Rewriter(FOLDED)
    once = folding.rewrite(texts).to_pylist()
    assert words(folding.rewrite(once).to_pylist()) == words(once)
    assert [len(row) for row in words(once)] == [len(row) for row in words(texts)]


def test_folded_stop_words_are_dropped_as_ever() -> None:
    texts = {"a": "für über größe haus", "b": "grosse haus"}
    plan = twinset.Plan.make(method="lexical:stop=de", forms="fold")
    rewriter = rewriter_of(plan)
    assert rewriter is not None
    written = words(rewriter.rewrite([texts["a"]]).to_pylist())[0]
    assert written[0] in stopwords.WORDS["de"].split()
    assert written[2:] == ["grosse", "haus"]


def test_german_inflections_have_one_lemma() -> None:
    lemma = Rewriter(WordChoice(Lemma()))
    german = "Die Verträge mit den Häusern und der Vertrag für das Haus sind nicht von uns."
    assert words(lemma.rewrite([german]))[0].count("vertrag") == 2
    assert words(lemma.rewrite([german]))[0].count("haus") == 2


def test_each_document_has_its_own_language() -> None:
    texts = ["the organisation of the organisations", "die Organisation und die Organisationen"]
    tokens = WHOLE.tokens(texts, 1)
    assert [LATIN[number] for number in LatinGuess().of(tokens)] == ["en", "de"]
    english, german = words(Rewriter(WordChoice(Stem())).rewrite(texts))
    assert english[1] == english[4] == "organis"
    assert german[1] == german[4] == "organisation"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "le contrat est signé par les parties dans une ville de la région"),
        ("es", "el contrato es firmado por las partes en una ciudad de la región"),
        ("it", "il contratto è firmato dalle parti in una città della regione"),
        ("pt", "o contrato é assinado pelas partes em uma cidade da região"),
        ("nl", "het contract is door de partijen in een stad van de regio getekend"),
        ("sv", "avtalet är undertecknat av parterna i en stad och det är på svenska"),
        ("en", "Договор и contract"),
    ],
)
def test_the_small_words_say_the_language(language: str, text: str) -> None:
    assert LATIN[LatinGuess().of(WHOLE.tokens([text], 1))[0]] == language


TEXTS = st.lists(
    st.text(alphabet="the кот столы. домами! Häuser\n das и é你0-", max_size=60),
    min_size=1,
    max_size=6,
)


@given(TEXTS, st.integers(1, 3), st.integers(1, 6), st.integers(0, 4))
def test_threads_batches_and_memory_play_no_part(
    texts: list[str], threads: int, size: int, most: int
) -> None:
    whole = Rewriter(WordChoice(Stem())).rewrite(texts, 1).to_pylist()
    forgetful = Rewriter(WordChoice(Stem()), most)
    parts = [forgetful.rewrite(texts[i : i + size], threads) for i in range(0, len(texts), size)]
    assert pa.concat_arrays(parts).to_pylist() == whole


@given(TEXTS)
def test_words_and_sentences_stay_as_many(texts: list[str]) -> None:
    choice = WordChoice(Stem(), (("столы", "дом"),))
    written = Rewriter(choice).rewrite(texts)
    shape = [[len(sentence) for sentence in text] for text in sentences(texts)]
    assert [[len(sentence) for sentence in text] for text in sentences(written)] == shape


def test_words_as_they_are_written_are_written_again() -> None:
    plain = Rewriter(WordChoice(NoForms())).rewrite([LETTER, ""])
    assert words(plain) == words([LETTER, ""])
    nulls = Rewriter(WordChoice(NoForms())).rewrite(pa.array(["a b", None], pa.large_string()))
    assert nulls.to_pylist() == ["a b", None]


def test_the_vocabulary_is_bounded() -> None:
    rewriter = Rewriter(WordChoice(Stem()), most=100)
    for batch in range(20):
        rewriter.rewrite([" ".join(f"w{batch}x{n}" for n in range(50))])
        assert len(rewriter._keys) <= 150


def test_stop_words_are_dropped_in_any_form() -> None:
    texts = ["этого договора", "этому договору"]
    assert words(Rewriter(WordChoice(Stem())).rewrite(texts)) == [["эта", "договор"]] * 2
    method = "lexical:stop=ru,low=0,high=1"
    shared = twinset.find(texts, method=method, forms="stem", threshold=0.5).pairs["shared"]
    assert shared.to_pylist() == [1]


def test_a_stop_word_of_the_user_stands_for_its_forms(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("# of contracts\nдоговор\n\nStation  # any case\n", encoding="utf-8")
    texts = ["договор купли дома", "договоры купли дома у station"]
    options = {"method": f"lexical:stop=ru+{file},low=0,high=1", "threshold": 1.0}
    assert len(twinset.find(texts, **options).pairs) == 0
    assert len(twinset.find(texts, **options, forms="stem").pairs) == 1


def test_synonyms_are_one_word_in_all_their_forms(tmp_path: Path) -> None:
    file = tmp_path / "synonyms.txt"
    file.write_text("car, automobile, auto\nдом, здание\n", encoding="utf-8")
    texts = ["a red car stood there", "a red Automobile stood there", "здания", "домами"]
    plain = twinset.find(texts, synonyms=str(file)).pairs
    assert plain.select(["left", "right", "score"]).to_pylist() == [
        {"left": "0", "right": "1", "score": 1.0}
    ]
    assert len(twinset.find(texts, synonyms=str(file), forms="stem").pairs) == 2


@pytest.mark.parametrize(
    ("content", "line", "fault"),
    [
        ("car, motor car\n", 1, "'motor car' is 2 words"),
        ("car automobile\n", 1, "separate words by commas"),
        ("a, b\n\nc\n", 3, "'c' stands alone"),
        ("a, b\nc, B\n", 2, "'b' stands on line 1 already"),
        ("a, b\nc, ...\n", 2, "'...' is no word"),
        ("# nothing\n", None, "there are no synonyms in it"),
    ],
)
def test_faulty_synonyms_are_reported_with_their_line(
    tmp_path: Path, content: str, line: int | None, fault: str
) -> None:
    file = tmp_path / "synonyms.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ReadError, match=fault) as caught:
        twinset.find(["a", "b"], synonyms=str(file))
    assert (caught.value.source, caught.value.line) == (str(file), line)


@pytest.mark.parametrize(
    ("content", "line", "fault"),
    [
        (b"one\nNew York\n", 2, "'New York' is 2 words"),
        (b"one\n!\n", 2, "'!' is no word"),
        (b"one\ntwo\n\xff\n", 3, "not UTF-8"),
        (b"", None, "no stop word in it"),
    ],
)
def test_faulty_stop_words_are_reported_with_their_line(
    tmp_path: Path, content: bytes, line: int | None, fault: str
) -> None:
    file = tmp_path / "stop.txt"
    file.write_bytes(content)
    with pytest.raises(ReadError, match=fault) as caught:
        twinset.find(["a", "b"], method=f"tf:stop=en+{file}")
    assert (caught.value.source, caught.value.line) == (str(file), line)


def test_files_of_words_must_lie_within_the_folders(tmp_path: Path) -> None:
    inside, file = tmp_path / "inside", tmp_path / "words.txt"
    inside.mkdir()
    file.write_text("secret, hidden", encoding="utf-8")
    for options in ({"synonyms": str(file)}, {"method": f"tf:stop={file}"}):
        with pytest.raises(ReadError, match="outside the folders"):
            twinset.find(["a", "b"], within=[str(inside)], **options)
    with pytest.raises(ReadError, match="there is no such file"):
        twinset.find(["a", "b"], method="tf:stop=gone.txt")
    with pytest.raises(PlanError, match="there are no stop words for 'fr'"):
        twinset.find(["a", "b"], method="tf:stop=fr")


@pytest.mark.parametrize(
    ("forms", "module", "package"),
    [("stem", "Stemmer", "PyStemmer"), ("lemma", "pymorphy3", "pymorphy3")],
)
def test_a_missing_package_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, forms: str, module: str, package: str
) -> None:
    monkeypatch.setattr("twinset.text.forms.find_spec", lambda name: None if name == module else 1)
    with pytest.raises(MissingExtraError, match=f"^{package} is not installed: pip install '"):
        twinset.find(ROWS, forms=forms)


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(PlanError, match="no forms for the language 'xx'; write auto or one of ar"):
        twinset.find(ROWS, forms="stem:language=xx")


def test_counts_of_other_forms_are_refused(tmp_path: Path) -> None:
    report = twinset.find(ROWS, method="tfidf", forms="stem").save(tmp_path / "report")
    counts = str(Path(report) / "statistics.parquet") if report else ""
    again = twinset.find(ROWS, method="tfidf", forms="stem", statistics=counts)
    assert len(again.documents) == 3
    with pytest.raises(PlanError, match="made with forms stem, the plan has words as they are"):
        twinset.find(ROWS, method="tfidf", statistics=counts)


def test_a_report_shows_the_words_of_the_documents(tmp_path: Path) -> None:
    found = twinset.find(ROWS, forms="stem", threshold=0.5)
    spelt = " ".join(shared_text(found, ["letter", "inflected"]).passages)
    assert "молот" in spelt
    assert "металл" in spelt
    assert set(words([spelt])[0]) <= set(words([LETTER])[0])


def test_the_manifest_names_the_packages_that_decide() -> None:
    manifest = twinset.find(ROWS, forms="stem").manifest
    assert list(manifest["forms"]) == ["PyStemmer"]
    assert manifest["plan"]["forms"] == "stem:language=auto"
    assert "forms" not in twinset.find(ROWS).manifest


def test_words_may_stand_in_place_of_their_file(tmp_path: Path) -> None:
    same, small = tmp_path / "same.txt", tmp_path / "small.txt"
    same.write_text("Car, automobile\nlorry, truck\n")
    small.write_text("foo\nBar\n")
    assert synonyms_of("=Car|automobile=lorry|truck") == synonyms_of(str(same))
    assert spelt_words(synonyms_of(str(same))) == "=car|automobile=lorry|truck"
    assert stopwords.without_files(f"en+{small}") == "en+=foo|bar"
    assert stopwords.without_files("en+ru") == "en+ru"
    assert stopwords.stop_words(f"de+{small}") == stopwords.stop_words("=foo|bar+de")
    method = twinset.Plan.make(method="lexical:stop=en+=foo|bar").method
    assert twinset.Plan.from_dict(twinset.Plan.make(method=method).as_dict()).method == method
    with pytest.raises(ReadError, match="'alone' stands alone"):
        synonyms_of("=a|b=alone")
