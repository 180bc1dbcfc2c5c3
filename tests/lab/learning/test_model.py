"""The model as a file: it gives back what was saved, and a bad one is told with the remedy."""

from __future__ import annotations

import json

import numpy as np
import pytest

import twinset
from tests.contracts.models import labelled_collection, model
from twinset.errors import ModelError, ReportError
from twinset.finding.methods.similarity_model import read_model
from twinset.lab.learn import Model

TEXTS, LABELS = labelled_collection()


@pytest.fixture
def raw() -> dict:
    return json.loads(model().read_text(encoding="utf-8"))


def saved(tmp_path, raw) -> str:
    path = tmp_path / "changed.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    return str(path)


def pairs(found) -> dict[tuple[str, str], float]:
    rows = found.pairs.to_pylist()
    return {tuple(sorted((row["left"], row["right"]))): row["score"] for row in rows}


def test_a_saved_model_decides_the_same(tmp_path):
    first = Model(read_model(model()))
    again = Model(read_model(first.save(tmp_path / "again.json")))
    assert again.similarity.digest() == first.similarity.digest()
    assert (tmp_path / "again.json").read_bytes() == model().read_bytes()
    for name in ("mean", "scale", "vectors", "coefficients"):
        one, other = getattr(first.similarity.svm, name), getattr(again.similarity.svm, name)
        assert one.tolist() == other.tolist()
    assert again.training == first.training
    assert again.features == first.features


def test_a_model_of_another_format_is_refused(tmp_path, raw):
    raw["format"], raw["twinset"] = 99, "7.0"
    with pytest.raises(ModelError, match=r"format 99 by twinset 7\.0.*reads format 3.*make the m"):
        read_model(saved(tmp_path, raw))
    raw["format"], raw["words"] = 3, ["0"]
    with pytest.raises(ModelError, match=r"twinset 7\.0, which takes words otherwise.*make the"):
        read_model(saved(tmp_path, raw))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"file": "other"}', "\x00\x01", '"a"'])
def test_what_is_no_model_is_refused(tmp_path, text):
    with pytest.raises(ModelError, match="is not a model of twinset: make the model again with"):
        read_model(saved(tmp_path, text))


def _without(key: str):
    def change(raw: dict) -> None:
        del raw[key]

    return change


def _set(*path: str, to: object):
    def change(raw: dict) -> None:
        inner = raw
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return change


BROKEN = {
    **{
        f"no {key}": _without(key) for key in ("features", "views", "svm", "candidates", "training")
    },
    "no frequencies": _without("frequencies"),
    "no words": _set("frequencies", to={}),
    "unknown feature": _set("features", to=["words.cosine", "x.y"]),
    "one feature less": _set("features", to=["words.cosine"]),
    "features are a number": _set("features", to=7),
    "unknown option": _set("views", "colour", to="red"),
    "views of other features": _set("views", "names", to=["grams"]),
    "kernel": _set("svm", "kernel", to="cubic"),
    "vectors": _set("svm", "vectors", to=[[1.0]]),
    "vectors are text": _set("svm", "vectors", to="many"),
    "scale": _set("svm", "scale", to=[0.0] * 6),
    "mean": _set("svm", "mean", to=[0.0]),
    "intercept": _set("svm", "intercept", to="low"),
    "coefficients": _set("svm", "coefficients", to=[None]),
    "level": _set("candidates", "least", to=0),
    "no base64": _set("frequencies", "word", "terms", to="?"),
    "half a number": _set("frequencies", "word", "terms", to="AAAA"),
    "too few counts": _set("frequencies", "word", "df", to=""),
    "unsorted terms": _set("frequencies", "word", "terms", to="AAAAAAAAAAA" * 2),
    "no documents": _set("frequencies", "word", "documents", to=None),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_model_is_reported_with_the_remedy(tmp_path, raw, fault):
    BROKEN[fault](raw)
    with pytest.raises(ModelError, match=r"is broken \(.*\): make the model again with 'twinset"):
        read_model(saved(tmp_path, raw))


def test_a_model_runs_no_code(tmp_path):
    class Trap:
        def __reduce__(self):
            return (print, ("run",))

    import pickle

    path = tmp_path / "trap.json"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelError, match="is not a model"):
        read_model(path)


def test_applying_a_model_needs_no_scikit_learn(monkeypatch):
    import sys

    for name in [n for n in sys.modules if n.partition(".")[0] == "sklearn"] + ["sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    found = twinset.find(TEXTS, method=f"learned:model={model()}")
    assert len(found.pairs) > 10


def test_a_higher_least_takes_fewer_pairs_and_a_level_fewer_candidates():
    usual = twinset.find(TEXTS, method=f"learned:model={model()}")
    strict = twinset.find(TEXTS, method=f"learned:model={model()},least=0.9")
    assert set(pairs(strict)) < set(pairs(usual))
    assert min(pairs(strict).values()) >= 0.9
    narrow = twinset.find(TEXTS, method=f"learned:model={model()},level=0.95")
    assert narrow.manifest["counts"]["candidates"] < usual.manifest["counts"]["candidates"]
    assert narrow.manifest["plan"]["candidates"]["threshold"] == 0.95
    assert usual.manifest["plan"]["candidates"]["model"] == read_model(model()).digest()


def test_the_similarities_stand_beside_the_pairs():
    found = twinset.find(TEXTS, method=f"learned:model={model()}")
    names = [name.replace(".", "_") for name in read_model(model()).features]
    rows = np.array([[row[name] for name in names] for row in found.pairs.to_pylist()])
    svm = read_model(model()).svm
    judged = svm.scores(svm.decide(rows))
    scores = np.array(found.pairs["score"].to_pylist())
    copies = scores == 1.0  # equal texts are alike without being judged
    assert judged[~copies] == pytest.approx(scores[~copies], abs=1e-9)
    assert (~copies).sum() > 5


def test_a_model_is_not_written_over(tmp_path):
    made = Model(read_model(model()))
    path = made.save(tmp_path / "model.json")
    with pytest.raises(ReportError, match="exists: choose another name, or --force"):
        made.save(path)
    made.save(path, force=True)
