"""Every similarity that is shown is that of the run: computed here from the definitions."""

from __future__ import annotations

import json
import math
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import twinset
from tests.contracts.models import ready
from tests.contracts.plain import Truth, plain, texts
from tests.contracts.test_methods import METHODS
from twinset.cli import app
from twinset.plan import used_options
from twinset.review import ReportIndex, regroup

KINDS = ["anchored", "components", "cliques", "closed:share=0.5"]
OPTIONS = {"minhash": "minhash:shingle=3", "simhash": "simhash:distance=15"}
CHECKED: list[dict[str, Any]] = [
    {"method": "minhash", "verify": "edit:0.6"},
    {"method": "minhash", "verify": "jaccard:threshold=0.3,shingle=2"},
    {"method": "tf", "verify": "edit"},
    {"method": "lexical", "verify": "edit:0.9"},
    {"method": "exact", "measure": "containment"},
    {"method": "exact:shingle=2", "measure": "overlap", "threshold": 9},
    {"method": "minhash:unit=char,shingle=4", "measure": "dice"},
    {"method": "minhash:unit=sentence,shingle=1", "threshold": 0.3},
    {"method": "minhash", "verify": "none"},
]
SEARCHES = [{"method": OPTIONS.get(name, name)} for name in METHODS] + CHECKED
NAMES = ["-".join(map(str, search.values())) for search in SEARCHES]
Pair = tuple[str, str]


class Saved:
    """A report of the collection with what it lists, and the truth where it can be told."""

    def __init__(self, folder: Path, search: dict[str, Any], **more: Any) -> None:
        source = folder / "in.jsonl"
        rows = ({"id": id, "text": text} for id, text in texts().items())
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        options = used_options({"threshold": 0.5} | search | more)
        options["method"] = ready(options["method"])
        found = twinset.find(source, **options)
        self.folder = found.save(folder / "report")
        self.index = ReportIndex(twinset.open_report(self.folder))
        pairs = self.index.report.pairs.to_pylist()
        self.pairs = {pair_of(row["left"], row["right"]): row["score"] for row in pairs}
        self.truth: Truth | None = plain(search, self.index.report.more.get("groups"))

    def show(self, *words: str) -> Any:
        """What ``twinset show --json`` prints."""
        done = CliRunner().invoke(app, ["show", str(self.folder), *words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.output)

    def inside(self, members: list[str], whole: bool = True) -> float | None:
        """The lowest similarity of members, None where one is not known."""
        pairs = [pair_of(*pair) for pair in combinations(members, 2)]
        if whole and self.truth is not None and self.truth.whole:
            return min(self.truth(*pair) for pair in pairs)
        return min(self.pairs[pair] for pair in pairs) if self.pairs.keys() >= set(pairs) else None


def pair_of(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


# Each search with one kind of clusters, and some with all kinds.
RUNS = [(number, KINDS[number % len(KINDS)]) for number in range(len(SEARCHES))]
RUNS += product(map(NAMES.index, ("minhash:shingle=3", "decomposition", "minhash-edit:0.6")), KINDS)
RUNS = list(dict.fromkeys(RUNS))


@pytest.fixture(params=RUNS, ids=[f"{NAMES[n]}-{kind}" for n, kind in RUNS], scope="module")
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    number, kind = request.param
    return Saved(tmp_path_factory.mktemp("numbers"), SEARCHES[number], clusters=kind)


def test_listed_scores_are_those_of_the_definition(saved: Saved) -> None:
    if saved.truth is None:
        pytest.skip("the score of this method has no short definition")
    assert saved.pairs
    for pair, score in saved.pairs.items():
        assert score == pytest.approx(saved.truth(*pair)), pair


def test_the_terminal_shows_true_numbers(saved: Saved) -> None:
    told = saved.show("--top", "1000")
    assert told["total"] == len(told["clusters"]) == len(saved.index.clusters)
    if saved.index.manifest["decision"]["by"] == "method" and saved.pairs:
        least = min(saved.pairs.values())
        assert told["threshold"] in (least, saved.index.manifest["plan"]["threshold"])
        assert told["threshold"] <= least
    for cluster in told["clusters"]:
        alone = saved.show("--cluster", str(cluster["number"]))
        members = [member["id"] for member in alone["members"]]
        held = [member for member in alone["members"] if member["score"] is not None]
        for member in held:
            pair = pair_of(member["id"], members[0])
            assert member["score"] == saved.pairs[pair]
        expected = min((m["score"] for m in held), default=None) if held else saved.inside(members)
        assert cluster["weakest"] == alone["weakest"]
        assert cluster["weakest"] == (None if expected is None else pytest.approx(expected))


def test_two_documents_have_the_score_that_is_listed(saved: Saved) -> None:
    for one, other in [*list(saved.pairs)[:3], ("a0", "b0"), ("a0", "d0")]:
        numbers = saved.index.number(one), saved.index.number(other)
        expected = saved.pairs.get(pair_of(one, other))
        row = saved.show("--pair", one, other)["pair"]
        assert (row and row["score"]) == expected
        score = saved.index.score(*numbers)
        assert (None if score != score else score) == expected


def test_a_higher_threshold_shows_listed_scores(saved: Saved) -> None:
    scores = sorted(set(saved.pairs.values()))
    for threshold in scores[len(scores) // 3 :: max(1, len(scores) // 3)]:
        found = regroup(saved.index, threshold)
        assert found.pairs == sum(score >= threshold for score in saved.pairs.values())
        if "closed" in saved.index.manifest or threshold == scores[0]:
            continue
        clusters = found.clusters
        overlapping = len(clusters.document) > clusters.documents
        for row in range(len(clusters)):
            members = [saved.index.id(int(n)) for n in clusters.document[clusters.members(row)]]
            anchors = {int(n) for n in clusters.anchor[clusters.members(row)]}
            weakest = float(clusters.weakest[row])
            if anchors == {-1}:
                expected = None if overlapping else saved.inside(members, whole=False)
                known = None if math.isnan(weakest) else weakest
                assert known == expected or (overlapping and known == saved.inside(members, False))
            else:
                anchor = saved.index.id(anchors.pop())
                near = [saved.pairs[pair_of(anchor, id)] for id in members if id != anchor]
                assert weakest == min(near)
