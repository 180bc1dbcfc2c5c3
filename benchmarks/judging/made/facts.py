"""Invented facts (people, places, sums, dates) and what is written with them."""

from __future__ import annotations

import random


def _list(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split(",")]


FIRST = _list(
    """
    Anna, Boris, Clara, David, Elena, Felix, Greta, Henry, Irina, Jonas, Katja, Lewis,
    Maria, Nikolai, Olga, Peter, Ruth, Samuel, Tamara, Ulrich, Vera, Walter, Yvonne, Zoe,
    Martin, Laura, Simon, Nadia, Oscar, Paula
    """
)
LAST = _list(
    """
    Adler, Bennett, Castro, Dvorak, Eriksen, Fischer, Grant, Hoffman, Ivanov, Jensen,
    Keller, Lambert, Moreau, Novak, Olsen, Petrov, Quinn, Romero, Schmidt, Tanaka, Unger,
    Vogel, Weber, Young, Zimmer, Barlow, Cooper, Dalton, Easton, Fletcher, Goodwin, Harper,
    Irving, Jarvis, Kendall, Lowell, Mercer, Norwood, Osborne, Parker
    """
)
TOWNS = _list(
    """
    Ashford, Brighton, Carlisle, Dover, Eastleigh, Falmouth, Grantham, Hereford, Ipswich,
    Kendal, Lincoln, Matlock, Newbury, Oxford, Penrith, Reading, Salisbury, Taunton, Wells,
    York
    """
)
STREETS = _list(
    """
    Mill, Station, Church, Park, High, Queen, River, Garden, Market, Chapel, Orchard, School
    """
)
FIRMS = _list(
    """
    Brothers & Sons, Ltd, Trading Co, Engineering, Supplies, Works, Partners, Logistics
    """
)
GOODS = _list(
    """
    steel brackets, copper pipe, roofing tiles, office chairs, printer paper, garden hose,
    paint buckets, floor lamps, filing cabinets, door hinges, safety gloves, extension
    cables, water pumps, wall sockets, oak planks, window frames, cement bags, ball
    bearings, drill bits, storage boxes
    """
)
TRADES = _list(
    """
    baker, cooper, farmer, fisherman, joiner, labourer, mason, miller, shepherd, smith,
    tailor
    """
)
MONTHS = _list(
    """
    January, February, March, April, May, June, July, August, September, October, November,
    December
    """
)


def person(rng: random.Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def address(rng: random.Random) -> str:
    return f"{rng.randrange(1, 180)} {rng.choice(STREETS)} Street, {rng.choice(TOWNS)}"


def firm(rng: random.Random) -> str:
    return f"{rng.choice(LAST)} {rng.choice(FIRMS)}"


def day(rng: random.Random, first: int = 2015, last: int = 2024) -> str:
    return f"{rng.randrange(1, 29)} {rng.choice(MONTHS)} {rng.randrange(first, last + 1)}"


def register_leaf(rng: random.Random) -> str:
    """A leaf of a parish register: one printed form, other entries on every leaf."""
    lines = ["REGISTER OF MARRIAGES solemnised in the Parish of " + rng.choice(TOWNS)]
    for number in range(1, rng.randrange(4, 7)):
        witness = person(rng)
        lines.append(
            f"No. {rng.randrange(1, 900)}. When married: {day(rng, 1850, 1899)}. Name and surname: "
            f"{person(rng)} and {person(rng)}. Age: {rng.randrange(18, 60)} and "
            f"{rng.randrange(18, 60)}. Rank or profession: {rng.choice(TRADES)}. Residence at the "
            f"time of marriage: {address(rng)}. Father's name and surname: {person(rng)}, "
            f"{rng.choice(TRADES)}. Married according to the rites and ceremonies of the "
            f"established church by me, {person(rng)}, in the presence of us, {witness} "
            f"and {person(rng)}. Entry {number}."
        )
    return "\n".join(lines)
