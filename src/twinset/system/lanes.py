"""Iterators side by side, each in a thread of its own: the items of one after another's."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from twinset.system.threads import BackgroundIterator, go_on

Item = TypeVar("Item")

_HELD = 2  # items of the iterator whose turn it is that wait, however large they are


@dataclass(eq=False)
class Lane(Generic[Item]):
    """An iterator to be made, and the bytes that its items are expected to take.

    ``has_turn`` says that its items are being used, not held, and ``running`` how many lanes share
    the threads, itself among them.
    """

    make: Callable[[Lane[Item]], Generator[Item, None, None]]
    expected: int
    has_turn: bool = False
    running: int = 1
    _held: int = 0
    _items: BackgroundIterator[tuple[Item, int]] | None = field(default=None, repr=False)


class _Room:
    """Bytes that may be held, shared by the threads."""

    def __init__(self, size: int) -> None:
        self._size, self._used = size, 0
        self._change = threading.Condition()

    def give_turn(self, lane: Lane[Item]) -> None:
        """The items of this lane are used from now on, whoever fills the room."""
        with self._change:
            lane.has_turn = True
            self._change.notify_all()

    def enter(self, lane: Lane[Item], size: int) -> None:
        """Wait until there is room for an item."""
        with self._change:
            while self._used + size > self._size and not (lane.has_turn and lane._held < _HELD):
                self._change.wait(0.1)
                go_on()
            self._used += size
            lane._held += 1

    def leave(self, lane: Lane[Item], size: int) -> None:
        """Make room again."""
        with self._change:
            self._used -= size
            lane._held -= 1
            self._change.notify_all()


def one_after_another(
    lanes: Sequence[Lane[Item]], most: int, room: int, size: Callable[[Item], int]
) -> Generator[Item, None, None]:
    """The items of all lanes in their order, up to ``most`` lanes running at a time.

    Items of about ``room`` bytes are held. Whoever stops early closes the iterator.
    """
    shared = _Room(room)

    def entered(lane: Lane[Item]) -> Generator[tuple[Item, int], None, None]:
        with closing(lane.make(lane)) as items:
            for item in items:
                amount = size(item)
                shared.enter(lane, amount)
                yield item, amount
                del item

    waiting, running = deque(lanes), deque[Lane[Item]]()
    try:
        while waiting or running:
            held = sum(lane.expected for lane in list(running)[1:])
            while waiting and len(running) < most:
                held += waiting[0].expected if running else 0
                if len(running) > 1 and held > room:
                    break
                running.append(waiting.popleft())
            for lane in running:
                lane.running = len(running)
                if lane._items is None:
                    lane._items = BackgroundIterator(entered(lane), 0)
            lane = running[0]
            shared.give_turn(lane)
            assert lane._items is not None
            for item, amount in lane._items:
                shared.leave(lane, amount)
                yield item
                del item
            running.popleft()
    finally:
        _close(running)


def _close(lanes: Iterator[Lane[Item]] | deque[Lane[Item]]) -> None:
    begun = [lane._items for lane in lanes if lane._items is not None]
    for items in begun:
        items.close(wait=False)
    for items in begun:
        items.close()
