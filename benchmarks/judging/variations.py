"""Variations of labelled collections, for what has to hold on collections that nobody has seen.

- half: every group of copies with probability one half, other seeds;
- sixty: sixty documents, whole groups as long as there is room;
- alone: one document of each group, so that there is no copy at all;
- another: a made collection with another seed, where there is material for another draw;
- merged: two kinds in one folder, of which no document of one is a copy of one of the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from judging.collections import FOLDER, VERSION, collection
from judging.labelled import Collection, Pair, load, save
from judging.made import MADE
from twinset import _kernels

SIXTY = 60
MERGED = (
    ("scans", "records"),
    ("forms", "plagiarism"),
    ("manpages", "translations"),
    ("licences", "guide"),
    ("bills", "changelogs"),
    ("notices", "htmltext"),
    ("versions", "drafts"),
)


def variations(name: str, seeds: Sequence[int] = (1, 2)) -> Iterator[Collection]:
    """The variations of one collection, each under a name of its own; the kind stays."""
    whole = collection(name)
    for seed in seeds:
        yield half(whole, seed)
    yield sixty(whole, seeds[0])
    yield alone(whole)
    if name in MADE and MADE[name].has_seeds:
        for seed in seeds:
            yield another(name, seed + 1)


def half(whole: Collection, seed: int) -> Collection:
    """About half of the groups of copies."""
    rng = random.Random(f"half {whole.name} {seed}")
    kept = [n for group in groups(whole) if rng.random() < 0.5 for n in group]
    return part(whole, kept, f"{whole.name}/half{seed}")


def sixty(whole: Collection, seed: int) -> Collection:
    """Sixty documents; groups of up to six of them."""
    rng = random.Random(f"sixty {whole.name} {seed}")
    shuffled = groups(whole)
    rng.shuffle(shuffled)
    kept: list[int] = []
    for group in shuffled:
        kept.extend(group[: min(6, SIXTY - len(kept))])
    return part(whole, kept, f"{whole.name}/sixty")


def alone(whole: Collection) -> Collection:
    """One document of each group: there are no copies."""
    return part(whole, [group[0] for group in groups(whole)], f"{whole.name}/alone")


def another(name: str, seed: int) -> Collection:
    """A made collection with another seed, built once."""
    home = FOLDER / f"{name}-{VERSION}-{MADE[name].version}-seed{seed}"
    if not (home / "facts.json").is_file():
        save(MADE[name].make(seed), home)
    return replace(load(home), name=f"{name}/seed{seed}")


def merged(first: str, second: str) -> Collection:
    """Two collections in one."""
    one, other = collection(first), collection(second)
    shift = len(one.ids)

    def moved(pairs: set[Pair]) -> set[Pair]:
        return {(left + shift, right + shift) for left, right in pairs}

    judged = None
    if one.judged is not None or other.judged is not None:
        judged = set(one.judged or one.truth | one.hard)
        judged |= moved(other.judged or other.truth | other.hard)
    return Collection(
        f"{first}+{second}",
        f"{one.kind}+{other.kind}",
        False,
        [*(f"a/{id}" for id in one.ids), *(f"b/{id}" for id in other.ids)],
        [*one.texts, *other.texts],
        one.truth | moved(other.truth),
        one.ignored | moved(other.ignored),
        judged,
        one.html or other.html,
        one.hard | moved(other.hard),
        f"{one.why} {other.why}",
    )


def part(whole: Collection, numbers: Sequence[int], name: str) -> Collection:
    """Some documents of a collection with what is said of their pairs."""
    place = {old: new for new, old in enumerate(sorted(numbers))}

    def kept(pairs: set[Pair]) -> set[Pair]:
        return {(place[a], place[b]) for a, b in pairs if a in place and b in place}

    return replace(
        whole,
        name=name,
        ids=[whole.ids[old] for old in place],
        texts=[whole.texts[old] for old in place],
        truth=kept(whole.truth),
        ignored=kept(whole.ignored),
        judged=None if whole.judged is None else kept(whole.judged),
        hard=kept(whole.hard),
    )


def groups(whole: Collection) -> list[list[int]]:
    """The documents in groups that true and undecided pairs join, in order."""
    joined = np.array(sorted(whole.truth | whole.ignored), np.uint32).reshape(-1, 2)
    ends = (np.ascontiguousarray(joined[:, side]) for side in (0, 1))
    members: dict[int, list[int]] = {}
    for number, root in enumerate(_kernels.component_roots(len(whole.ids), *ends).tolist()):
        members.setdefault(root, []).append(number)
    return list(members.values())
