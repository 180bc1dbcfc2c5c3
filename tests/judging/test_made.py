"""The made collections: the same by seed, and as many pairs that only look alike as true ones."""

from __future__ import annotations

import pytest

from judging import collections, material
from judging.builder import Builder, alike
from judging.made import MADE
from judging.material import MissingError

COMMON = "a page of the manual begins with the same words as every other page of it does here"


def built(seed: int = 1) -> Builder:
    builder = Builder("toy", "toys", "Equal but for a word.", seed=seed)
    for number in range(4):
        own = " ".join(f"{word}{number}" for word in ("sand", "lime", "clay", "salt", "iron"))
        builder.add(f"{number}/a", f"{COMMON} {own}", number)
        builder.add(f"{number}/b", f"{COMMON} {own} again", number)
    return builder


def ids_of(pairs: set[tuple[int, int]], ids: list[str]) -> set[frozenset[str]]:
    return {frozenset((ids[one], ids[other])) for one, other in pairs}


def test_documents_of_a_group_are_copies_and_others_that_look_alike_are_hard() -> None:
    made = built().collection()
    assert ids_of(made.truth, made.ids) == {frozenset((f"{n}/a", f"{n}/b")) for n in range(4)}
    assert made.hard == alike(made.texts, html=False) - made.truth
    assert len(made.hard) >= len(made.truth)


def test_the_order_comes_from_the_seed_alone() -> None:
    assert built().collection() == built().collection()
    assert built().collection().ids != built(seed=2).collection().ids


def test_ignored_pairs_are_neither_true_nor_hard() -> None:
    builder = built()
    builder.ignore(0, 1)
    builder.ignore(0, 2)
    made = builder.collection()
    assert ids_of(made.ignored, made.ids) == {frozenset(("0/a", "0/b")), frozenset(("0/a", "1/a"))}
    assert not made.ignored & (made.truth | made.hard)


def test_a_collection_without_hard_pairs_is_refused() -> None:
    builder = Builder("easy", "toys", "Equal.", seed=1)
    for number, word in enumerate(("lorem", "ipsum", "dolor")):
        builder.add(f"{number}/a", f"{word} " * 5, number)
        builder.add(f"{number}/b", f"{word} " * 5, number)
    with pytest.raises(ValueError, match="0 pairs look alike, fewer than the true 3"):
        builder.collection()


def test_missing_material_is_said_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(material, "FOLDER", tmp_path)
    assert list(collections.collections(["manpages"], folder=tmp_path)) == []  # type: ignore[arg-type]
    assert "python -m judging.material" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_stored_collection_is_as_hard_as_promised(name: str) -> None:
    stored = collections.stored(name)
    if not (stored / "facts.json").is_file():
        pytest.skip(f"there is no {stored}; benchmarks/judging.py makes it")
    made = collections.collection(name)
    assert made.kind == MADE[name].kind
    assert 300 <= len(made.ids) <= 2000
    assert len(made.hard) >= len(made.truth) >= 100
    assert not made.hard & made.truth
    assert all(text.strip() for text in made.texts)
    assert made.why


def test_material_says_where_it_comes_from() -> None:
    for (release, package), (path, digest) in material.listed().items():
        assert release in ("bullseye", "bookworm", "trixie")
        assert path.startswith("pool/main/")
        assert path.rsplit("/", 1)[1].startswith(f"{package}_")
        assert len(bytes.fromhex(digest)) == 32


def test_an_unknown_package_is_missing_material() -> None:
    with pytest.raises(MissingError, match="no-such-package"):
        list(material.files("bookworm", "no-such-package", ""))
