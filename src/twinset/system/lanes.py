"""Iterators side by side, each in a thread of its own: the items of one after another's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from twinset.system.threads import BackgroundIterator

Item = TypeVar("Item")


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
    _items: BackgroundIterator[Item] | None = field(default=None, repr=False)

    def begun(self, room: int, item_bytes: int) -> BackgroundIterator[Item]:
        """Its items; as many wait as are expected, in half of the room at most."""
        if self._items is None:
            waiting = max(min(self.expected, room // 2) // item_bytes, 1)
            self._items = BackgroundIterator(self.make(self), waiting)
        return self._items


def one_after_another(
    lanes: Sequence[Lane[Item]], most: int, room: int, item_bytes: int
) -> Generator[Item, None, None]:
    """The items of all lanes in their order, up to ``most`` lanes running at a time.

    An item takes ``item_bytes`` or less, and items of about ``room`` bytes are held. Whoever stops
    early closes the iterator.
    """
    waiting, running = deque(lanes), deque[Lane[Item]]()
    try:
        while waiting or running:
            held = sum(lane.expected for lane in list(running)[1:])
            while waiting and len(running) < most:
                held += waiting[0].expected if running else 0
                if len(running) > 1 and held > room:
                    break
                running.append(waiting.popleft())
            running[0].has_turn = True
            for lane in running:
                lane.running = len(running)
                lane.begun(room, item_bytes)
            for item in running[0].begun(room, item_bytes):
                yield item
                del item
            running.popleft()
    finally:
        begun = [lane._items for lane in running if lane._items is not None]
        for items in begun:
            items.close(wait=False)
        for items in begun:
            items.close()
