"""Parts as text: whatever is written can be read again, and what is wrong is said."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plan.parts import parts
from twinset.errors import PlanError
from twinset.finding.images import Bottom, OnePermutation
from twinset.finding.methods.minhash import MinHash
from twinset.plan import spec


@pytest.mark.parametrize("kind", spec.TABLE)
@pytest.mark.parametrize("full", [False, True])
def test_a_part_survives_its_text(kind: str, full: bool) -> None:
    @settings(deadline=None)  # parts load when they are first drawn
    @given(parts(kind))
    def survives(part: object) -> None:
        assert spec.make(kind, spec.spell(kind, part, full=full)) == part

    survives()


def test_parts_inside_parts_stand_in_brackets() -> None:
    method = MinHash(shingle=3, image=OnePermutation(size=64, densify="optimal"))
    text = "minhash:shingle=3,image=[oph:size=64,densify=optimal]"
    assert spec.spell("method", method) == text
    assert spec.make("method", text) == method
    assert spec.make("method", "minhash:image=bottom:size=50") == MinHash(image=Bottom(50))


def test_an_option_of_the_part_inside_needs_no_brackets() -> None:
    assert spec.make("method", "minhash:seed=3,size=64") == MinHash(image=OnePermutation(64, 3))
    as_written_by_version_0_1 = "minhash:shingle=5,offset=1,unit=word,image=oph:size=128,seed=7"
    assert spec.make("method", as_written_by_version_0_1) == MinHash(image=OnePermutation(128, 7))


def test_the_first_option_may_be_given_by_its_value() -> None:
    assert spec.make("check", "edit:0.7").threshold == 0.7
    assert spec.make("check", "jaccard:0.7,shingle=2").shingle == 2
    assert spec.make("operation", "replace-words:5%").percent == 5


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("method", "minhush", "there is no method 'minhush'; did you mean 'minhash'"),
        ("method", "minhash:shingel=3", "no option 'shingel'; did you mean 'shingle'"),
        ("clusters", "anchored:t=0.5", "no option 't'"),
        ("method", "minhash:shingle=three", "option 'shingle': 'three' is not a whole number"),
        ("method", "minhash:shingle=0", "shingle must be between 1 and 1000, not 0"),
        ("method", "minhash:image=oph:size=0", "size must be between 1 and 65536"),
        ("method", 'learned:model="a', "is not a text in double quotes"),
        ("image", "oph:densify=never", "'never' is not one of rounds, optimal"),
        ("measure", "jaccard:size=3", "it takes none"),
        ("keep", "nearest:max:", "there is no keep policy 'nearest'"),
        ("clusters", "close", "there is no kind of clusters 'close'; did you mean 'closed'"),
        ("method", "minhash:shingle=3,shingle=4", "'minhash': shingle is given twice; leave one"),
        ("check", "edit:0.8,threshold=0.9", "threshold is given twice"),
        ("keep", ":max", "name a field"),
    ],
)
def test_faults_are_named(kind: str, text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        spec.make(kind, text)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_part_or_a_fault(text: str) -> None:
    for kind in ("method", "keep", "check", "clusters"):
        with contextlib.suppress(PlanError):
            part = spec.make(kind, text)
            assert spec.make(kind, spec.spell(kind, part)) == part


def test_several_methods_in_one_text() -> None:
    text = 'tf, minhash:shingle=3,image=[oph:size=64,seed=2],md5,learned:model="a,b"'
    assert spec.several(text) == [
        "tf",
        "minhash:shingle=3,image=[oph:size=64,seed=2]",
        "md5",
        'learned:model="a,b"',
    ]


@settings(deadline=None)
@given(st.text(max_size=12), st.text(max_size=12))
def test_a_composed_value_stays_one_value(stop: str, model: str) -> None:
    text = spec.compose("learned", {"model": model})
    assert spec.parse("method", text)[0].model == model
    inner = spec.compose("field", {"field": stop, "way": "min"})
    part = spec.parse("keep", inner)[0]
    assert (part.field, part.way) == (stop, "min")
