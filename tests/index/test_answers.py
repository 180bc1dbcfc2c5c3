"""An index answers what a run over all documents finds, however they came in."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

import twinset
from tests.contracts.models import ready
from tests.index.pairs import answered, found, near, text
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


REFUSED = {"asked", "vectors"}
COUNTED = {"tfidfcosine", "idfjaccard"}


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


def written(folder: Path, texts: dict[str, str]) -> str:
    """A file of documents, whose words are counted."""
    rows = (json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items())
    (folder / "counted.jsonl").write_text("".join(rows), "utf-8")
    return str(folder / "counted.jsonl")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_or_says_why_not(tmp_path: Path, method: str) -> None:
    texts = near()
    options: dict[str, object] = {"method": ready(method)}
    if method not in REFUSED and _counts_words(method):
        with pytest.raises(PlanError, match=r"--statistics"):
            Index.create(tmp_path / "without", **options)
        if method in COUNTED:
            options["statistics"] = written(tmp_path, texts)
        else:
            report = twinset.find(texts, kinds="no", **options).save(tmp_path / "report")
            options["statistics"] = str(report / "statistics.parquet")
    if method in REFUSED:
        with pytest.raises(PlanError, match=method):
            Index.create(tmp_path / "index", **options)
        return
    with Index.create(tmp_path / "index", **options) as index:
        index.add(texts)
        assert answered(index, texts) == found(texts, **options | {"statistics": None})


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
        ({"preset": "text"}, r"bends its rule .* --threshold 0.54 --forms fold --method tfidfc"),
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


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[at : at + 5]) for at in range(max(len(words) - 4, 1))}


def test_below_the_threshold_scores_are_exact_and_the_recall_is_said(tmp_path: Path) -> None:
    dice = random.Random(5)
    texts = {}
    for number in range(40):
        words = text(number, 100).split()
        for copy in range(6):  # of these fewer and fewer words are the same
            texts[f"{number} {copy}"] = " ".join(
                word if dice.random() > 0.012 * copy else "other" for word in words
            )
    sets = {id: shingles(each) for id, each in texts.items()}
    with Index.create(tmp_path / "index", threshold=0.8, recall=0.95) as index:
        index.add(texts)
        told = dict(index.info()["recalls"])
        for least in (0.9, 0.7, 0.6, 0.5):
            answers = {a.id: a for a in index.query(texts, least=least, top=4)}
            found, wanted = 0, 0
            for id, one in sets.items():
                truth = {
                    other: len(one & two) / len(one | two)
                    for other, two in sets.items()
                    if other != id and len(one & two) >= least * len(one | two)
                }
                matches = [(match.id, match.score) for match in answers[id].matches]
                assert matches == sorted(matches, key=lambda match: (-match[1], match[0]))
                assert len(matches) <= 4
                assert dict(matches) == {m: pytest.approx(truth[m], abs=1e-12) for m, _ in matches}
                found, wanted = found + len(matches) + answers[id].more, wanted + len(truth)
            recalls = {answer.recall for answer in answers.values()}
            assert recalls == {told[least] if least < 0.8 else None}
            assert found / wanted >= (told[least] if least < 0.8 else 0.95)
        assert told[0.7] > told[0.6] > told[0.5] > 0.05
        with pytest.raises(PlanError, match="least must be above 0"):
            index.query_texts([None], ["a"], least=0)
    with (
        Index.create(tmp_path / "keys", method="md5") as index,
        pytest.raises(PlanError, match="one boundary for all questions"),
    ):
        index.query_texts([None], ["a"], least=0.5)


def test_cosines_are_those_of_the_counts_that_were_frozen(tmp_path: Path) -> None:
    dice = random.Random(7)
    vocabulary = [f"w{round(300 * dice.random() ** 2)}" for _ in range(400)]
    counted, kept = (
        {str(n): " ".join(dice.choices(vocabulary, k=30)) for n in range(60)} for _ in "ab"
    )
    for number in range(0, 60, 2):
        words = kept[str(number)].split()
        kept[f"near {number}"] = " ".join(w if dice.random() > 0.15 else "new" for w in words)
        kept[f"part {number}"] = " ".join(words[: number // 3 + 8])
    df = Counter(word for each in counted.values() for word in {*each.split()})
    idf = {
        w: math.log(61 / (1 + max(df[w], 1))) + 1 for each in kept.values() for w in each.split()
    }
    vectors = {}
    for id, each in kept.items():
        weights = {word: tf * idf[word] for word, tf in Counter(each.split()).items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        vectors[id] = {word: weight / length for word, weight in weights.items()}

    def part(one: str, other: str) -> float:
        rare = [
            sum(round(idf[w] * 1024) for w in words)
            for words in (vectors[one].keys() & vectors[other].keys(), vectors[one], vectors[other])
        ]
        smaller = one if rare[1] < rare[2] else other
        return rare[0] / min(rare[1:]) if len(vectors[smaller]) >= 10 else 0.0

    method = "tfidfcosine:contained=0.95,least_terms=10"
    place, file = tmp_path / "index", written(tmp_path, counted)
    with Index.create(place, method=method, threshold=0.7, statistics=file) as index:
        index.add(kept)
    with Index.open(place) as index:
        for least in (None, 0.9):
            wanted = {}
            for one, other in combinations(sorted(kept), 2):
                score = sum(weight * vectors[other].get(w, 0) for w, weight in vectors[one].items())
                if score >= (least or 0.7) or part(one, other) >= 0.95:
                    wanted[one, other] = pytest.approx(score, abs=1e-12)
            answers = index.query(kept, least=least)
            found = {tuple(sorted((str(a.id), m.id))): m.score for a in answers for m in a.matches}
            assert found == wanted
            assert sum(score < 0.7 for score in found.values()) > 5


def test_an_index_has_its_model_with_it(tmp_path: Path) -> None:
    texts, model = near(), tmp_path / "model.json"
    shutil.copy(ready("learned").partition("model=")[2].partition(",")[0], model)
    wanted = found(texts, method=f"learned:model={model}")
    Index.create(tmp_path / "index", method=f"learned:model={model}").close()
    model.unlink()
    with Index.open(tmp_path / "index") as index:
        index.add(texts)
        assert wanted
        assert answered(index, texts) == wanted
