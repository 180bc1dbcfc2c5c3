"""Settings that are fixed, chosen elsewhere, or found by answers; and the page of the figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from judging import page, priors
from judging.compared import Compared
from judging.settings import chosen_elsewhere, grid
from twinset.finding.signals.experts import VIEWS

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "judging.json"


def pairs(scores: list[float], true: list[bool], missing: int = 0) -> Compared:
    count = len(scores)
    columns = {"cosine2": np.array(scores), "containment3": np.zeros(count)}
    return Compared(
        "toy",
        np.zeros(count, np.int64),
        np.arange(1, count + 1),
        columns,
        np.array(true),
        np.ones(count, bool),
        sum(true) + missing,
    )


def test_the_best_threshold_is_that_of_trying_all() -> None:
    rng = np.random.default_rng(1)
    scores = np.round(rng.random(200), 2)
    toy = pairs(scores.tolist(), (rng.random(200) < scores).tolist(), missing=7)
    tried = {t: toy.figures(scores >= t).f1 for t in np.unique(scores)}
    f1, threshold = toy.best("cosine2")
    assert f1 == pytest.approx(max(tried.values()))
    assert tried[threshold] == pytest.approx(f1)


def test_thresholds_are_inclusive() -> None:
    figures = grid(pairs([0.5, 0.4], [True, False]))
    assert (figures["0.50/0.00"], figures["0.40/0.00"]) == (1.0, pytest.approx(2 / 3, abs=1e-4))
    assert figures["0.52/0.00"] == 0.0


def test_a_setting_is_chosen_without_the_collection_and_its_kind() -> None:
    figures = {
        "a": {"low": 1.0, "high": 0.0},
        "b": {"low": 1.0, "high": 0.1},
        "c": {"low": 0.2, "high": 0.3},
        "d": {"low": 0.2, "high": 0.9},
    }
    kinds = {"a": "forms", "b": "forms", "c": "scans", "d": "drafts"}
    assert chosen_elsewhere(figures, kinds, "a") == ("high", 0.0)
    assert chosen_elsewhere(figures, kinds, "c") == ("low", 0.2)


def test_priors_are_the_middle_of_what_other_collections_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fits = {
        name: [[float(at)] * (len(view) + 1) for view in VIEWS]
        for at, name in enumerate(("low", "middle", "high"))
    }
    monkeypatch.setattr(priors, "fitted", fits.get)
    learnt = priors.learnt_priors(list(fits))
    assert [prior.signals for prior in learnt] == list(VIEWS)
    assert learnt[0].mean == (1.0, 1.0)
    # The variance of 0, 1, 2 is 1; half of the covariance stays, .3 is added, all times 1.5.
    assert learnt[0].covariance == ((1.95, 0.75), (0.75, 1.95))


def row(**columns: object) -> dict[str, object]:
    about = {"kind": "toys", "real": True, "documents": 2, "true": 1, "alike": 0, "why": "Equal."}
    return {"about": about, **columns}


def test_the_page_names_what_fails_and_what_was_not_measured() -> None:
    bad = row(default={"f1": 0.8}, preset={"f1": 0.7}, tuned={"f1": 0.6, "plan": "exact from 1"})
    text = page.text({"rows": {"bills": bad, "guide": row(asked={"absent": "no dialogue"})}})
    assert "bills: the preset has 0.700, the default 0.800" in text
    assert "bills: tune has 0.600 (exact from 1), 0.800 was there" in text
    assert "asked on guide: no dialogue" in text


def test_the_manual_has_the_figures_of_the_benchmark() -> None:
    figures = json.loads(RESULTS.read_text("utf-8"))
    shown = (ROOT / "docs" / "explanation" / "judging.md").read_text("utf-8")
    assert shown == page.text(figures), "run benchmarks/judging.py --page"


def test_every_collection_has_been_measured() -> None:
    from judging.collections import names

    assert sorted(json.loads(RESULTS.read_text("utf-8"))["rows"]) == sorted(names())
