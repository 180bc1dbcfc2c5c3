"""One contract for every registered method."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import twinset
from tests.contracts.collection import COPIES, HARDLY, collection, with_copies
from tests.contracts.models import ready
from twinset.errors import PlanError
from twinset.plan import Plan, Resources
from twinset.plan import spec as parts
from twinset.run.searching import begin

SYNONYMS = [f"A{i}" for i in range(13)]
APART = [*SYNONYMS, "vectors"]  # which compares no texts: methods/test_vectors.py
METHODS = [name for name in parts.names("method") if name not in APART]
ROOT = Path(__file__).resolve().parents[2]


def run(texts, method, **options):
    return twinset.find(list(texts.items()), method=ready(method), **options)


def pairs(found) -> dict[tuple[str, ...], float]:
    columns = (found.pairs[name].to_pylist() for name in ("left", "right", "score"))
    return {tuple(sorted((a, b))): round(s, 9) for a, b, s in zip(*columns, strict=True)}


def clusters(found) -> set[frozenset[str]]:
    rows = found.clusters.to_pylist()
    return {
        frozenset(row["id"] for row in rows if row["cluster"] == number)
        for number in {row["cluster"] for row in rows}
    }


def test_the_ids_of_the_paper_are_synonyms():
    spelt = [parts.spell("method", parts.make("method", a)) for a in SYNONYMS]
    assert " ".join(name.partition(":")[0] for name in spelt) == (
        "md5 tf tfidf tfridf longsent heavysent megashingles lexrand logshingles descrwords "
        "optfreq decomposition threefive"
    )


@pytest.mark.parametrize("method", METHODS)
def test_copies_are_found_and_nothing_else(method):
    found = run(with_copies(), method)
    assert set(pairs(found)) == set(COPIES)
    assert clusters(found) == {
        frozenset({"a00", "b00"}),
        frozenset({"a05", "b05", "c05"}),
        frozenset({"a17", "b17"}),
    }


@pytest.mark.parametrize("verify", ["none", "edit:0.8", "jaccard:0.8"])
@pytest.mark.parametrize("method", METHODS)
def test_copies_are_found_whatever_checks_them(method, verify):
    found = run(with_copies(), method, verify=verify)
    assert set(pairs(found)) >= set(COPIES)
    if verify != "none":
        assert pairs(found) == dict.fromkeys(COPIES, 1.0)


@pytest.mark.parametrize("forms", ["stem", "lemma"])
@pytest.mark.parametrize("method", [name for name in METHODS if name != "learned"])
def test_copies_are_found_in_other_forms(method, forms):
    assert set(pairs(run(with_copies(), method, forms=forms))) == set(COPIES)


def test_forms_belong_to_a_model():
    with pytest.raises(PlanError, match="a model has forms and synonyms of its own"):
        run(with_copies(), "learned", forms="stem")


@pytest.mark.parametrize("method", [name for name in METHODS if name != "learned"])
def test_threads_and_batches_play_no_part_with_forms(method, tmp_path, monkeypatch):
    path = tmp_path / "in.jsonl"
    rows = with_copies() | {f"x{i}": text for i, text in enumerate(HARDLY.values())}
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows.items()))
    method = ready(method)
    first = twinset.find(path, method=method, forms="stem", threads=1)
    monkeypatch.setattr("twinset.plan.resources.Resources.batch_bytes", 2000)
    again = twinset.find(path, method=method, forms="stem", threads=3)
    assert again.pairs.equals(first.pairs)
    assert again.clusters.equals(first.clusters)
    assert all(table.equals(first.more[name]) for name, table in again.more.items())


@pytest.mark.parametrize("method", METHODS)
def test_unrelated_documents_are_never_paired(method):
    found = run(collection(), method)
    assert len(found.pairs) == 0
    assert len(found.clusters) == 0


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_documents_plays_no_part(method):
    texts = with_copies()
    order = list(texts)
    random.Random(3).shuffle(order)
    shuffled = run({name: texts[name] for name in order}, method)
    assert pairs(shuffled) == pairs(run(texts, method))
    assert clusters(shuffled) == clusters(run(texts, method))


@pytest.mark.parametrize("method", METHODS)
def test_threads_memory_and_batches_play_no_part(method, tmp_path, monkeypatch):
    monkeypatch.setattr("twinset.plan.resources.OWN_MEMORY", 0)  # so little that much goes to files
    rows = with_copies() | {f"x{i}": text for i, text in enumerate(HARDLY.values())}
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows.items()))
    method = ready(method)
    first = twinset.find(path, method=method, threads=1, memory="1GB")
    for threads, memory in ((2, "1GB"), (3, "16MB")):
        again = twinset.find(path, method=method, threads=threads, memory=memory)
        assert again.pairs.equals(first.pairs)
        assert again.clusters.equals(first.clusters)
        assert {n: t.equals(first.more[n]) for n, t in again.more.items()} == dict.fromkeys(
            first.more, True
        )


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.contracts.collection import with_copies
import twinset
out = {}
for method in sys.argv[2:]:
    found = twinset.find(list(with_copies().items()), method=method)
    out[method] = [t.to_pylist() for t in (found.pairs, found.clusters)]
print(json.dumps(out))
"""


def test_another_process_with_another_hash_seed_says_the_same():
    answers = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(ROOT), *map(ready, METHODS)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
    assert all(len(tables[0]) == len(COPIES) for tables in answers[0].values())


@pytest.mark.parametrize("method", METHODS)
def test_hardly_any_text_is_safe(method):
    assert len(run({}, method).documents) == 0
    for name, text in HARDLY.items():
        alone = run({name: text}, method)
        assert len(alone.pairs) == 0, name
    together = run(HARDLY, method)
    for name in ("nothing", "blank", "dots"):
        assert name not in together.clusters["id"].to_pylist()
    statuses = dict(
        zip(
            together.documents["id"].to_pylist(),
            together.documents["status"].to_pylist(),
            strict=True,
        )
    )
    assert statuses["nothing"] == statuses["blank"] == statuses["dots"] == "empty"
    assert statuses["no end"] == "ok"


def options_of(method):
    cls = parts.load("method", method)
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


@pytest.mark.parametrize("method", METHODS)
def test_options_are_checked(method):
    with pytest.raises(PlanError, match="no option 'colour'"):
        run({}, f"{method}:colour=red")
    for name, kind in options_of(method).items():
        if kind in (int, float):
            with pytest.raises(PlanError, match=name):
                run({}, f"{method}:{name}=many")
            with pytest.raises(PlanError):
                run({}, f"{method}:{name}=-7")
        elif typing.get_origin(kind) is typing.Literal:
            with pytest.raises(PlanError, match="not one of"):
                run({}, f"{method}:{name}=nonsense")


@pytest.mark.parametrize("method", METHODS)
def test_the_spelt_out_method_is_the_same_method(method):
    spelt = run(with_copies(), method).manifest["plan"]["method"]
    assert spelt.startswith(f"{method}:")
    again = run(with_copies(), spelt)
    assert again.manifest["plan"]["method"] == spelt
    assert pairs(again) == pairs(run(with_copies(), method))


@pytest.mark.parametrize("method", METHODS)
def test_a_report_gives_back_what_was_found(method, tmp_path):
    found = run(with_copies(), method)
    found.save(tmp_path / "report")
    report = twinset.open_report(tmp_path / "report")
    for name in ("documents", "pairs", "clusters"):
        assert getattr(report, name).to_pylist() == getattr(found, name).to_pylist()
    assert report.more.keys() == found.more.keys()
    for name, table in found.more.items():
        assert report.more[name].to_pylist() == table.to_pylist()
    assert report.manifest["decision"] == found.manifest["decision"]
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "nan" not in page.lower().split("</style>")[-1].split()


@pytest.mark.parametrize("method", METHODS)
def test_a_method_says_what_it_is(method):
    cls = parts.load("method", method)
    for name in ("paper", "cost", "use", "avoid", "needs", "published"):
        assert getattr(cls.about, name)
    module = sys.modules[cls.__module__].__doc__
    is_published = cls.about.paper != "none"
    assert len(module.splitlines()) >= 3 or not is_published, "the file opens with its citation"


@pytest.mark.parametrize(
    "method", [m for m in METHODS if "statistics" in parts.load("method", m).about.needs]
)
def test_statistics_can_be_kept_and_used_for_another_collection(method, tmp_path):
    found = run(with_copies(), method)
    if "statistics" not in found.more:
        pytest.skip("its statistics come from the same pass")
    found.save(tmp_path / "report")
    file = tmp_path / "report" / "statistics.parquet"
    again = run(with_copies(), method, statistics=str(file))
    assert again.pairs.equals(found.pairs)
    some = {name: text for name, text in with_copies().items() if name in ("a00", "b00", "a03")}
    few = run(some, method, statistics=str(file))
    assert set(pairs(few)) == {("a00", "b00")}
    with pytest.raises(PlanError, match="same options"):
        run(some, f"{method}:letters=9", statistics=str(file))


def test_a_group_of_many_copies_is_one_row():
    texts = collection(4) | {f"copy{i:03}": collection(1)["a00"] for i in range(500)}
    found = run(texts, "tf", max_pairs=10)
    assert found.more["groups"]["size"].to_pylist() == [501]
    assert len(found.pairs) == 0
    assert found.manifest["implied_pairs"] == 501 * 500 // 2
    assert len(found.clusters) == 501


@pytest.mark.parametrize("method", METHODS)
def test_a_method_says_which_goal_it_goes_by(method):
    part = parts.make("method", ready(method))
    plan = dataclasses.replace(Plan.make(method=part), threshold=0.77)
    search = begin(plan, Resources.make())
    assert ("measure" in part.uses) == (not search.decides)
    assert ("threshold" in part.uses) == (not search.decides or "0.77" in search.decides)
    assert ("recall" in part.uses) == (search.describe()["kind"] in ("bands", "sampled"))
