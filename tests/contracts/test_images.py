"""One contract for every registered image: equal sets have equal images, and nothing else counts.

Images are looked at through what users get of them: closed sets, the clusters out of images.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import twinset
from tests.contracts.collection import HARDLY, collection, with_copies
from tests.contracts.test_methods import clusters
from twinset.plan import spec

IMAGES = list(spec.names("image"))
SMALL = {"mod": "mod:size=2"}  # the usual one in 25 features leaves nothing of short documents
FEW = {"log": 4}
SIZED = ["oph", "minwise", "bottom"]
COPIES = {frozenset({"a00", "b00"}), frozenset({"a05", "b05", "c05"}), frozenset({"a17", "b17"})}


def closed(texts: dict[str, str], image: str, k: int = 3, **options: Any) -> twinset.Findings:
    image = SMALL.get(image, image)
    return twinset.find(list(texts.items()), clusters=f"closed:k={k}", image=image, **options)


@pytest.mark.parametrize("image", IMAGES)
def test_copies_have_equal_images_and_strangers_share_nothing(image: str) -> None:
    assert clusters(closed(with_copies(), image)) == COPIES


@pytest.mark.parametrize("image", IMAGES)
def test_only_which_features_there_are_counts(image: str) -> None:
    # A text and twice the same text have the same words.
    texts = collection(6)
    texts["doubled"] = f"{texts['a00']} {texts['a00']}"
    # two texts of other words share up to 25 words, and some of the few of a logarithmic sample
    pairs = clusters(closed(texts, image, k=FEW.get(image, 25), shingle=1))
    assert any("a00" in pair for pair in pairs)
    assert all({"a00", "doubled"} & pair in (set(), {"a00", "doubled"}) for pair in pairs)


@pytest.mark.parametrize("image", IMAGES)
def test_order_and_threads_play_no_part(image: str) -> None:
    texts = with_copies()
    names = list(texts)
    random.Random(3).shuffle(names)
    shuffled = {name: texts[name] for name in names}
    for threads in (1, 2):
        assert clusters(closed(shuffled, image, threads=threads)) == COPIES


@pytest.mark.parametrize("image", IMAGES)
def test_the_seed_decides_nothing_about_copies(image: str) -> None:
    assert clusters(closed(with_copies(), image, seed=99)) == COPIES


@pytest.mark.parametrize("image", IMAGES)
def test_hardly_any_text_is_safe(image: str) -> None:
    findings = closed({**HARDLY, **collection(3)}, image, k=1)
    empty = {"nothing", "blank", "dots"}
    assert not any(empty & members for members in clusters(findings))


@pytest.mark.parametrize("image", SIZED)
def test_an_image_is_no_larger_than_asked(image: str) -> None:
    findings = closed(with_copies(), f"{image}:size=8", k=1)
    supports = findings.clusters["shared"].to_pylist()
    assert supports
    assert max(supports) <= 8
