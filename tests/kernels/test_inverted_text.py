"""The inverted table as text against a dictionary of lists, in one range and in many."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.closed_twins import Images, contexts
from tests.kernels.examples import examples
from twinset.finding.clusters.closed_sets import Context


def plain_lines(images: Images, numbers: list[int], least: int) -> list[str]:
    owners: dict[int, list[int]] = {}
    for document, image in enumerate(images):
        for feature in image:
            owners.setdefault(feature, []).append(document)
    lists = [owners[feature] for feature in sorted(owners) if len(owners[feature]) >= least]
    return [" ".join(str(numbers[document]) for document in documents) for documents in lists]


def lines(context: Context, numbers: list[int] | None, least: int, slice: int) -> list[str]:
    text = b"".join(context.inverted_lines(numbers, least, slice)).decode()
    assert text == "" or text.endswith("\n")
    return text.splitlines()


@examples(300)
@given(contexts(), st.integers(1, 3), st.sampled_from([1, 3, 1000]))
def test_every_feature_has_its_documents(images: Images, least: int, slice: int) -> None:
    numbers = [7 + 10**document for document in range(len(images))]
    assert lines(Context.of(images), numbers, least, slice) == plain_lines(images, numbers, least)


def test_features_of_any_size_and_a_part_of_a_larger_context() -> None:
    rows = [[0, 1, 2**64 - 1], [5], [0, 2**63, 2**64 - 1], [], [2**63]]
    whole = Context.of(rows)
    assert lines(whole, None, 1, 2) == ["0 2", "0", "1", "2 4", "0 2"]
    part = Context(whole.values, whole.offsets[2:])
    assert lines(part, None, 1, 1) == ["0", "0 2", "0"]


def test_many_ranges_are_of_about_one_size() -> None:
    """Of images of 100 values each a sample at every hundredth place has the least values alone."""
    rng = np.random.default_rng(1)
    values = np.sort(rng.integers(0, 2**63, (2000, 100)).astype(np.uint64), axis=1)
    context = Context(values.ravel(), np.arange(0, 200_001, 100))
    sizes = [bytes(part).count(b"\n") for part in context.inverted_lines(slice=10_000)]
    assert sum(sizes) == 200_000
    assert len(sizes) == 21
    assert max(sizes) < 2 * 200_000 / 21
