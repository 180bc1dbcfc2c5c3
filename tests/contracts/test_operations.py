"""One contract for every registered operation of the generator."""

from __future__ import annotations

import pytest

import twinset
from tests.contracts.collection import HARDLY, collection
from twinset.plan import spec

OPERATIONS = list(spec.names("operation"))
SHARES = [n for n in OPERATIONS if "percent" in spec.options_of(spec.load("operation", n))]
EMPTY = {"nothing", "blank", "dots"}
TEXT = "\n\n".join(collection(5, seed=3).values())


def variant(operation: str, text: str = TEXT, seed: int = 1) -> str:
    documents = {"text": text, "other": "\n\n".join(collection(5, seed=4).values())}
    half = f"{operation}:percent=50" if operation in SHARES else operation
    generated = twinset.generate(documents, ops=[half], seed=seed, html="no")
    variants = {d.id: d.text for d in generated.documents if d.id not in documents}
    return next(value for name, value in sorted(variants.items()) if "text" in name)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_changes_the_text(operation: str) -> None:
    assert variant(operation) != TEXT


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_same_seed_makes_the_same_text(operation: str) -> None:
    assert variant(operation, seed=5) == variant(operation, seed=5)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_variant_is_a_true_pair_with_its_original(operation: str) -> None:
    generated = twinset.generate(collection(4), ops=[operation], seed=2)
    originals = set(collection(4))
    pairs = {frozenset((pair.left, pair.right)) for pair in generated.truth}
    variants = {document.id for document in generated.documents} - originals
    assert variants
    for name in variants:
        assert any(name in pair and pair & originals for pair in pairs)


@pytest.mark.parametrize("name", HARDLY)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_hardly_any_text_is_safe(operation: str, name: str) -> None:
    generated = twinset.generate({"text": HARDLY[name], **collection(2)}, ops=[operation], seed=1)
    expected = {"a00", "a01"} if name in EMPTY else {"text", "a00", "a01"}
    assert {document.id for document in generated.documents} >= expected
