"""Every store keeps its word: the same answers whatever the place, the order and the batches."""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import twinset
from tests.index.pairs import (
    AWKWARD,
    OPTIONS,
    add,
    batches,
    documents,
    pairs_found,
    pairs_of,
    text,
)
from twinset.errors import ReportError, TwinsetError
from twinset.index import IdTakenError, Index, folder, local
from twinset.index.local import open_store

Opened = Callable[..., Index]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_any_order_and_batches_give_the_pairs_of_a_run(
    place: str, opened: Opened, size: int
) -> None:
    every = documents()
    index = opened(place, **OPTIONS)
    shuffled = list(every.items())
    random.Random(size).shuffle(shuffled)
    for some in batches(dict(shuffled), size):
        assert add(index, some) == (len(some), 0, 0)
    truth = pairs_found(every)
    assert len(truth) > 10
    assert pairs_of(index, every) == truth
    again = opened(place)
    assert pairs_of(again, every) == truth
    assert (again.plan, again.info()["documents"]) == (index.plan, len(every))
    assert [id for id, _ in again.documents()] == [id for id, _ in shuffled]


def test_another_text_for_an_id_is_refused_and_nothing_of_its_batch_is_added(
    place: str, opened: Opened
) -> None:
    index, every = opened(place, **OPTIONS), documents()
    add(index, every)
    assert add(index, every) == (0, 0, len(every))
    with pytest.raises(IdTakenError) as refused:
        add(index, {"new": text(500), "page1": text(501), "page2": text(502)})
    assert refused.value.ids == ["page1", "page2"]
    assert "new" not in index
    assert list(index.documents()) == list(every.items())


def test_a_replaced_document_is_found_by_its_new_text_only(place: str, opened: Opened) -> None:
    index, every = opened(place, **OPTIONS), documents()
    add(index, every)
    changed = {"page1": text(501), "page5": text(500), "new": text(500)}
    assert add(index, changed, replace=True) == (1, 2, 0)
    assert index.text("page1") == changed["page1"]
    now = {**every, **changed}
    assert pairs_of(index, now) == pairs_found(now)
    assert len(list(index.documents())) == len(now)
    assert index.check() == []


def test_of_one_id_twice_in_a_batch_the_last_counts_where_it_may(
    place: str, opened: Opened
) -> None:
    index = opened(place, **OPTIONS)
    with pytest.raises(IdTakenError):
        index.add_texts(["a", "a"], [text(1), text(2)])
    assert "a" not in index
    texts = [text(1), text(2), text(3), text(3)]
    done = index.add_texts(["a", "a", "b", "b"], texts, replace=True)
    assert (done.added, done.replaced, done.unchanged) == (2, 1, 1)
    assert dict(index.documents()) == {"a": text(2), "b": text(3)}


def test_removed_documents_are_gone_and_can_come_back(place: str, opened: Opened) -> None:
    index, every = opened(place, **OPTIONS), documents()
    add(index, every)
    gone = ["page1", "copy0", "page1", "never there", "empty"]
    assert index.remove(gone) == 3
    assert index.remove(gone) == 0
    rest = {id: content for id, content in every.items() if id not in gone}
    assert index.info()["documents"] == len(rest)
    assert pairs_of(index, every) >= pairs_found(rest)
    assert "page1" not in index
    assert index.text("page1") is None
    assert pairs_of(index, rest) == pairs_found(rest)
    assert add(index, {"page1": every["page1"]}) == (1, 0, 0)
    assert "page1" in index


def test_equal_documents_are_all_listed_and_empty_ones_match_nothing(
    place: str, opened: Opened
) -> None:
    index = opened(place, **OPTIONS)
    add(index, {f"same{number:03}": text(1) for number in range(300)})
    add(index, {"nothing": "", "blank": " \n", "word": "one"})
    [answer, nothing] = index.query_texts(["same007", "nothing"], [text(1), ""], top=0)
    others = [f"same{number:03}" for number in range(300) if number != 7]
    assert [match.id for match in answer.matches] == others
    assert nothing.matches == ()


def test_ids_of_any_characters_are_kept_apart(place: str, opened: Opened) -> None:
    index = opened(place, **OPTIONS)
    every = {id: text(number) for number, id in enumerate(AWKWARD)}
    assert add(index, every) == (len(every), 0, 0)
    assert dict(index.documents()) == every
    for id, content in every.items():
        assert id in index
        assert index.text(id) == content
        [answer] = index.query_texts([None], [content])
        assert [match.id for match in answer.matches] == [id]
    assert "lon" not in index
    assert index.remove(AWKWARD) == len(AWKWARD)
    assert list(index.documents()) == []


def test_compacting_changes_no_answer(place: str, opened: Opened) -> None:
    index, every = opened(place, **OPTIONS), documents()
    for some in batches(every, 9):
        add(index, some)
    index.remove([id for number, id in enumerate(every) if number % 3 == 0])
    rest = dict(index.documents())
    index.compact()
    assert dict(index.documents()) == rest
    assert pairs_of(index, rest) == pairs_found(rest)
    assert index.check() == []
    assert add(index, every) == (len(every) - len(rest), 0, len(rest))
    assert pairs_of(index, every) == pairs_found(every)


def test_word_counts_are_frozen_in_the_index(place: str, opened: Opened, tmp_path: Path) -> None:
    every = documents()
    report = twinset.find(every, method="tfidf")
    report.save(tmp_path / "report")
    counts = str(tmp_path / "report" / "statistics.parquet")
    index = opened(place, method="tfidf", statistics=counts)
    Path(counts).unlink()
    add(index, every)
    pairs = zip(*(report.pairs[side].to_pylist() for side in ("left", "right")), strict=True)
    expected = {tuple(sorted(pair)) for pair in pairs}
    assert len(expected) > 5
    assert {pair[:2] for pair in pairs_of(opened(place), every)} == expected


def test_a_place_that_is_taken_or_empty_is_named(place: str, opened: Opened) -> None:
    with pytest.raises(ReportError, match="index create"):
        opened(place)
    opened(place, **OPTIONS)
    with pytest.raises(ReportError, match="already"):
        opened(place, **OPTIONS)


def test_of_a_crowd_the_nearest_are_compared_wherever_they_are_kept(
    place: str, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = text(1).split()
    changed = {f"c{n:02}": [*words[:n], f"x{n}", *words[n + 1 :]] for n in range(40)}
    crowd = {id: " ".join(some) for id, some in changed.items()} | {"far": " ".join(words[:30])}
    monkeypatch.setattr(folder, "FEW", 7)
    options = OPTIONS | {"dense": 3}
    index, whole = opened(place, **options), Index.create(tmp_path / "whole", **options)
    for some in batches(crowd, 9):  # files of keys, and recent ones
        add(index, some)
    add(whole, crowd)
    asked = [*crowd], [*crowd.values()]
    answers = index.query_texts(*asked)
    assert answers == whole.query_texts(*asked)
    assert {len(answer.matches) for answer in answers[:-1]} <= {2, 3}
    every = index.query_texts(*asked, top=0)
    for some, all_of_them in zip(answers, every, strict=True):
        assert {*some.matches} <= {*all_of_them.matches}
        assert bool(some.matches) == bool(all_of_them.matches)
        assert some.uncompared + len(some.matches) >= len(all_of_them.matches)


@pytest.mark.parametrize("together", [1, 7, 50])
def test_of_a_crowd_those_are_added_that_are_near_none_before(
    place: str, opened: Opened, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr(local, "TOGETHER", together)
    words = [*text(1).split(), *text(2).split()]
    texts = {f"c{n:02}": " ".join(words[n : n + 60]) for n in range(50)}
    index = opened(place, **OPTIONS, dense=2)
    add(index, dict(itertools.islice(texts.items(), 0, 20, 2)))
    pairs = pairs_found(texts)
    near = {(a, b) for a, b, _ in pairs} | {(b, a) for a, b, _ in pairs}
    stays = [id for id, _ in index.documents()]
    for id in texts:
        if not any((id, other) in near for other in stays):
            stays.append(id)
    added = index.add_texts([*texts], [*texts.values()], dedup=True)
    assert [id for id, _ in index.documents()] == stays
    assert len(stays) > 11
    assert added.added == len(stays) - 10
    for answer in added.duplicates:
        assert {(answer.id, match.id) for match in answer.matches} <= near


def test_a_view_does_not_change_while_others_write(place: str, opened: Opened) -> None:
    index, every = opened(place, **OPTIONS), documents()
    add(index, every)
    keys, _ = index.work.maker.keys_and_features(pa.array([text(1)], pa.large_string()), True)  # type: ignore[attr-defined]
    reader = open_store(place)
    with reader.view() as view:
        before = view.search(keys).numbers
        assert len(before) > 1
        index.remove(["page1", "near1"])
        add(index, {"again": text(1)})
        assert np.array_equal(view.search(keys).numbers, before)
        assert len(view.fetch(before).ids) == len(before)
        ids = pa.array(["page1", "again"], pa.large_string())
        assert [*view.known(ids)] == [0]
    with reader.view() as view:
        assert [*view.known(ids)] == [1]
    reader.close()


def test_an_export_goes_on_while_others_write_and_ask(place: str, opened: Opened) -> None:
    index, every = opened(place, **OPTIONS), documents()
    add(index, every)
    exported = index.documents()
    first = next(exported)
    index.remove(["page7"])
    add(index, {"new": text(77)})
    assert index.query_texts(["new"], [text(7)])[0].matches
    assert dict([first, *exported]) == every


def test_two_writers_at_once_lose_nothing_and_add_nothing_twice(place: str, opened: Opened) -> None:
    opened(place, **OPTIONS)
    every = documents(60)

    def write(seed: int) -> int:
        index = opened(place)
        shuffled = list(every.items())
        random.Random(seed).shuffle(shuffled)
        return sum(add(index, some)[0] for some in batches(dict(shuffled), 9))

    with ThreadPoolExecutor(3) as pool:
        added = list(pool.map(write, range(3)))
    index = opened(place)
    assert sum(added) == len(every) == index.info()["documents"]
    assert dict(index.documents()) == every
    assert pairs_of(index, every) == pairs_found(every)
    assert index.check() == []


def test_writers_that_replace_and_remove_the_same_documents_leave_none_half_there(
    place: str, opened: Opened
) -> None:
    index, every = opened(place, **OPTIONS), documents(10)
    add(index, every)

    def write(seed: int) -> None:
        own, chosen = opened(place), random.Random(seed)
        for turn in range(8):
            names = chosen.sample(sorted(every), 4)
            if turn % 3 == 2:
                own.remove(names)
            else:
                add(own, {id: text(seed * 100 + turn) for id in names}, replace=True)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    now = dict(index.documents())
    assert len(now) == index.info()["documents"]
    assert now.keys() <= every.keys()
    assert pairs_of(index, now) == pairs_found(now)
    assert index.check() == []


def test_keys_of_a_service_are_added_once_and_taken_back(place: str, opened: Opened) -> None:
    opened(place, **OPTIONS)
    store = open_store(place)
    assert store.roles() == {}
    assert store.set_role("b", "read", "hash")
    assert store.set_role("a", "write", "other")
    assert not store.set_role("a", "read", "third")
    assert store.roles() == {"a": ("write", "other"), "b": ("read", "hash")}
    assert store.set_role("a", None)
    assert not store.set_role("a", None)
    store.close()
    other = open_store(place)
    assert list(other.roles()) == ["b"]
    other.close()


def test_the_clock_decides_nothing(
    place: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = documents()
    index = opened(place, **OPTIONS)
    times = itertools.cycle([4e9, 0.0, 1.7e9, -1.0])  # years after, long ago, about now, wrong
    monkeypatch.setattr(time, "time", lambda: next(times))
    for some in batches(every, 5):
        add(index, some)
        for path in Path(place).glob("*") if "://" not in place else ():
            os.utime(path, (moment := abs(next(times)), moment))
    index.remove(["page3"])
    index.compact()
    stays = {id: text for id, text in every.items() if id != "page3"}
    assert pairs_of(opened(place), stays) == pairs_found(stays)
    assert index.check() == []


def test_a_closed_index_is_closed(place: str, opened: Opened) -> None:
    index = opened(place, **OPTIONS)
    add(index, {"a": text(1)})
    index.close()
    index.close()
    for use in (lambda: index.query_texts([None], [text(1)]), lambda: "a" in index, index.info):
        with pytest.raises(TwinsetError, match="was closed: open it again"):
            use()
    assert "a" in opened(place)
