"""An index answers what a run over all documents finds, however they came in."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from tests.contracts.models import ready
from tests.index.pairs import answered, found, near
from twinset.errors import PlanError
from twinset.index import Index
from twinset.plan import spec

METHODS = [name for name in spec.names("method") if name not in {f"A{i}" for i in range(13)}]
OPTIONS = [
    {"exact": True, "threshold": 0.3},
    {"exact": True, "measure": "containment", "threshold": 0.9},
    {"method": "minhash:unit=char,shingle=12", "threshold": 0.7},
    {"method": "bottom", "threshold": 0.6},
    {"image": "bottom:size=200", "threshold": 0.7},
    {"verify": "edit:0.8"},
    {"method": "md5:of=words"},
    {"method": "simhash:distance=8"},
    {"forms": "stem:language=en"},
]


REFUSED = {"learned", "asked", "vectors", "tfidfcosine", "idfjaccard"}


def _counts_words(method: str) -> bool:
    return bool(spec.load("method", method).about.needs.startswith("collection statistics"))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_answers_are_the_pairs_of_a_run(tmp_path: Path, options: dict[str, object]) -> None:
    texts = near()
    with Index.create(tmp_path / "index", **options) as index:
        assert index.add(texts).added == len(texts)
        want = found(texts, **options)
        assert want
        assert answered(index, texts) == want


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_or_says_why_not(tmp_path: Path, method: str) -> None:
    texts = near()
    options: dict[str, object] = {"method": ready(method)}
    if method not in REFUSED and _counts_words(method):
        with pytest.raises(PlanError, match=r"--statistics"):
            Index.create(tmp_path / "without", **options)
        report = twinset.find(texts, kinds="no", **options).save(tmp_path / "report")
        options["statistics"] = str(report / "statistics.parquet")
    if method in REFUSED:
        with pytest.raises(PlanError, match=method):
            Index.create(tmp_path / "index", **options)
        return
    with Index.create(tmp_path / "index", **options) as index:
        index.add(texts)
        assert answered(index, texts) == found(texts, **options)


def test_an_answer_says_how_much_is_shared(tmp_path: Path) -> None:
    with Index.create(tmp_path / "index", threshold=0.3, shingle=2, exact=True) as index:
        index.add({"old": "one two three four five six"})
        [answer] = index.query({"new": "one two three four"})
    [match] = answer.matches
    assert (match.id, match.shared, match.score) == ("old", 3, 3 / 5)
    assert (match.containment_left, match.containment_right) == (1.0, 3 / 5)


def test_a_document_matches_its_copies_but_not_itself(tmp_path: Path) -> None:
    text = "the same words here again and again"
    with Index.create(tmp_path / "index") as index:
        index.add({"a": text, "b": text})
        [answer] = index.query({"a": text})
        assert [match.id for match in answer.matches] == ["b"]
        [other] = index.query({"c": text})
        assert [match.id for match in other.matches] == ["a", "b"]
        [nameless] = index.query_texts([None], [text])
        assert len(nameless.matches) == 2
        [first] = index.query({"c": text}, top=1)
        assert [match.id for match in first.matches] == ["a"]
        assert first.more == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "tfidfcosine"}, "tfidfcosine cannot answer from an index"),
        ({"repeated": "drop"}, "repeated drop looks at a whole collection"),
        ({"kinds": "yes"}, "kinds yes looks at a whole collection"),
        ({"reference": ["old"]}, "reference has no meaning"),
        ({"threshold": 1.5}, "threshold"),
    ],
)
def test_what_no_index_can_be_made_by_is_refused(
    tmp_path: Path, options: dict[str, object], said: str
) -> None:
    with pytest.raises(PlanError, match=said):
        Index.create(tmp_path / "index", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "index").exists()
