"""What each method says of documents that are hardly fit for it: usually no key and no match."""

from __future__ import annotations

import pytest

import twinset
from tests.contracts.collection import collection
from tests.contracts.models import ready
from tests.contracts.test_methods import METHODS, clusters, run
from twinset.finding.methods.keys import Signature
from twinset.finding.verify.edit import LONG, edit_similarity
from twinset.plan import spec as parts

FEW = "Elephants wander through quiet mountains"
STOP_ONLY = "The of and with. From that this into the of."
NO_END = "elephants wander quietly beyond snowy mountains while rivers carry heavy stones downhill"
ONE = NO_END.capitalize() + "."
SIGNATURES = [m for m in METHODS if issubclass(parts.load("method", m), Signature)]
# Where all words are equally rare, these have no lexicon.
NEEDS_A_COLLECTION = {"imatch", "lexrand"}


def features(found) -> dict[str, int]:
    rows = found.documents
    return dict(zip(rows["id"].to_pylist(), rows["features"].to_pylist(), strict=True))


@pytest.mark.parametrize("method", METHODS)
def test_fewer_than_six_words_are_compared_by_what_there_is(method):
    texts = collection() | {"x": FEW, "y": FEW + ".", "z": "Elephants wander"}
    found = run(texts, method)
    with_key = features(found)["x"] > 0
    assert clusters(found) == ({frozenset({"x", "y"})} if with_key else set())
    if method in ("md5", "tf", "tfidf", "tfridf", "optfreq", "longsent", "heavysent", "minhash"):
        assert with_key


@pytest.mark.parametrize("verify", [None, "edit:0.8"])
@pytest.mark.parametrize("method", METHODS)
def test_documents_without_words_are_nobodys_duplicates(method, verify):
    texts = collection() | {"x": "", "y": "", "u": "...", "v": "..."}
    found = twinset.find(texts, method=ready(method), verify=verify)
    named = {*found.pairs["left"].to_pylist(), *found.pairs["right"].to_pylist()}
    assert not named & {"x", "y", "u", "v"}
    assert not set(found.clusters["id"].to_pylist()) & {"x", "y", "u", "v"}


@pytest.mark.parametrize("method", METHODS)
def test_texts_without_a_sentence_end_are_one_sentence(method):
    texts = collection() | {"x": NO_END, "y": ONE}
    found = run(texts, method)
    if features(found)["x"] > 0:
        assert clusters(found) == {frozenset({"x", "y"})}
    assert features(found)["x"] == features(found)["y"]


@pytest.mark.parametrize("method", METHODS)
def test_stop_words_alone_are_no_words_where_stop_words_are_dropped(method):
    texts = collection() | {"x": STOP_ONLY, "y": STOP_ONLY}
    found = run(texts, method)
    if "en" in getattr(parts.make("method", ready(method)), "stop", "none").split("+"):
        dropped = method != "spotsigs"
        status = dict(
            zip(
                found.documents["id"].to_pylist(),
                found.documents["status"].to_pylist(),
                strict=True,
            )
        )
        assert features(found)["x"] == 0
        assert status["x"] == ("empty" if dropped else "ok")
        assert clusters(found) == set()
    else:
        assert clusters(found) == {frozenset({"x", "y"})}


@pytest.mark.parametrize("method", METHODS)
def test_a_collection_of_one_document(method):
    found = run({"only": collection(1)["a00"]}, method)
    assert len(found.pairs) == 0
    assert found.manifest["counts"]["documents"] == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_collection_of_two_copies_where_df_is_n(method):
    # every word is in every document: BM25 weighs less than nothing, RIDF and IDF are 0 or less
    text = collection(1)["a00"]
    found = run({"x": text, "y": text}, method)
    if method in NEEDS_A_COLLECTION:
        assert clusters(found) == set()
        assert features(found)["x"] == 0
    else:
        assert clusters(found) == {frozenset({"x", "y"})}


@pytest.mark.parametrize("method", ["imatch", "lexrand", "descrwords"])
def test_fewer_documents_than_words_in_the_lexicon(method):
    texts = collection(3) | {"copy": collection(3)["a01"]}
    found = run(texts, method)
    assert len(found.more["statistics"]) > 10 * len(texts)
    assert clusters(found) <= {frozenset({"a01", "copy"})}


@pytest.mark.parametrize("method", SIGNATURES)
def test_words_that_statistics_do_not_know(method, tmp_path):
    if not parts.load("method", method).counts:
        pytest.skip("needs no statistics")
    run(collection(), method).save(tmp_path / "report")
    other = collection(6, seed=99)
    other["copy"] = other["a02"]
    file = str(tmp_path / "report" / "statistics.parquet")
    found = run(other, method, statistics=file)
    assert clusters(found) <= {frozenset({"a02", "copy"})}


def test_statistics_that_are_none(tmp_path):
    with pytest.raises(twinset.TwinsetError, match=r"statistics\.parquet of a report"):
        run(collection(2), "tfidf", statistics=str(tmp_path / "missing.parquet"))


@pytest.mark.parametrize(
    ("verify", "message"),
    [
        ("edit:two", "check 'edit', option 'threshold': 'two' is not a number"),
        ("edit:0", "check edit: threshold must be above 0 and at most 1, not 0"),
        ("edit:1.5", "threshold must be above 0 and at most 1, not 1.5"),
        ("jaccard:1.5", "threshold must be at most 1, not 1.5"),
        ("distance:0.8", "there is no check 'distance'; .*known: none, edit"),
    ],
)
def test_a_check_that_is_none(verify, message):
    with pytest.raises(twinset.PlanError, match=message):
        run(collection(2), "tf", verify=verify)


def test_edit_similarity_of_short_and_empty_texts():
    assert edit_similarity("", "") == 0.0
    assert edit_similarity("abc", "") == 0.0
    assert edit_similarity("abcd", "abxd") == 0.75  # 2 * 3 / 8
    assert edit_similarity("abcd", "abxd", 0.8) == 0.0
    assert edit_similarity("abcd", "abxd", 0.75) == 0.75
    assert edit_similarity("abcd", "abxd", 0.7500001) == 0.0
    assert edit_similarity("ab", "abc", 0.8) == 0.8


def long_text(words: int, step: int = 7919) -> list[str]:
    return [f"w{i * step % 100_003}" for i in range(words)]


def test_edit_similarity_of_long_texts_is_by_words_and_close():
    words = long_text(LONG // 4)
    changed = [word if i % 10 else "other" for i, word in enumerate(words)]
    one, other = " ".join(words), " ".join(changed)
    assert len(one) > LONG
    assert edit_similarity(one, other) == pytest.approx(0.9, abs=0.01)
    assert edit_similarity(one, one) == 1.0


def test_megabytes_of_text_do_not_stall():
    words = long_text(400_000)
    changed = words[:150_000] + ["inserted"] * 5_000 + words[150_000:]
    texts = [("a", " ".join(words)), ("b", " ".join(changed)), ("c", " ".join(reversed(words)))]
    assert len(texts[0][1]) > 2_000_000
    found = twinset.find(texts, method="decomposition")
    assert clusters(found) == {frozenset({"a", "b"})}
    assert found.pairs["score"][0].as_py() > 0.9
