"""The two trees of FPmax*: the FP-tree of transactions and the MFI-tree of the sets found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

Transaction = tuple[list[int], int]
"""Items and how often they occur."""

SHORT = 16
"""Mean length up to which pairs are counted beforehand (the paper's array, for sparse trees)."""


class Node:
    """An item on a path from the root, with the number of transactions through it."""

    __slots__ = ("children", "count", "item", "level", "parent")

    def __init__(self, item: int, parent: Node | None) -> None:
        self.item = item
        self.parent = parent
        self.count = 0
        self.level: int = parent.level + 1 if parent else 0
        self.children: dict[int, Node] = {}

    def path(self) -> Iterator[Node]:
        """The nodes above, without the root."""
        node = self.parent
        while node is not None and node.parent is not None:
            yield node
            node = node.parent


class PrefixTree:
    """Sets as paths, frequent items near the root, nodes of one item listed in the header."""

    def __init__(self, order: dict[int, int]) -> None:
        self.order = order
        self.root = Node(-1, None)
        self.header: dict[int, list[Node]] = defaultdict(list)

    def add(self, items: Sequence[int], count: int = 1) -> None:
        """One more path; items must all be in the order."""
        node = self.root
        for item in sorted(items, key=self.order.__getitem__):
            child = node.children.get(item)
            if child is None:
                child = node.children[item] = Node(item, node)
                self.header[item].append(child)
            child.count += count
            node = child


class FPTree(PrefixTree):
    """Transactions that hold the ``base``, without it; ``support`` is how many they are."""

    def __init__(self, order: dict[int, int], base: list[int], support: int) -> None:
        super().__init__(order)
        self.base = base
        self.support = support
        self.pairs: dict[int, Counter[int]] | None = None

    @classmethod
    def of(cls, transactions: list[Transaction], minimum: int) -> FPTree:
        """The tree of the whole data, of items in at least ``minimum`` transactions."""
        counts: Counter[int] = Counter()
        for items, count in transactions:
            for item in items:
                counts[item] += count
        frequent = [item for item, count in counts.items() if count >= minimum]
        frequent.sort(key=lambda item: (-counts[item], item))
        total = sum(count for _, count in transactions)
        return cls._grow(frequent, [], total, transactions)

    @classmethod
    def _grow(
        cls, items: list[int], base: list[int], support: int, transactions: list[Transaction]
    ) -> FPTree:
        tree = cls({item: rank for rank, item in enumerate(items)}, base, support)
        kept = [
            ([i for i in transaction if i in tree.order], count)
            for transaction, count in transactions
        ]
        for transaction, count in kept:
            tree.add(transaction, count)
        if sum(len(transaction) for transaction, _ in kept) <= SHORT * len(kept):
            tree._count_pairs(kept)
        return tree

    def _count_pairs(self, transactions: list[Transaction]) -> None:
        self.pairs = defaultdict(Counter)
        for items, count in transactions:
            ranked = sorted(items, key=self.order.__getitem__)
            for at, item in enumerate(ranked):
                row = self.pairs[item]
                for above in ranked[:at]:
                    row[above] += count

    def bottom_up(self) -> Iterator[int]:
        """The items, the rarest first."""
        return iter(sorted(self.order, key=self.order.__getitem__, reverse=True))

    def tail(self, item: int, minimum: int) -> list[int]:
        """The items above ``item`` that are frequent together with it, most frequent first."""
        counts = self._counts_above(item)
        frequent = [other for other, count in counts.items() if count >= minimum]
        return sorted(frequent, key=lambda other: (-counts[other], other))

    def _counts_above(self, item: int) -> Counter[int]:
        if self.pairs is not None:
            return self.pairs[item]
        counts: Counter[int] = Counter()
        for node in self.header[item]:
            for above in node.path():
                counts[above.item] += node.count
        return counts

    def conditional(self, item: int, tail: list[int]) -> FPTree:
        """The tree of the transactions with ``item``, reduced to the items of its tail."""
        pattern_base = [
            ([above.item for above in node.path()], node.count) for node in self.header[item]
        ]
        support = sum(node.count for node in self.header[item])
        return self._grow(tail, [*self.base, item], support, pattern_base)

    def single_path(self) -> list[int] | None:
        """The items, if the tree is one path that holds all of them; None if it branches."""
        path: list[int] = []
        node = self.root
        while node.children:
            if len(node.children) > 1:
                return None
            node = next(iter(node.children.values()))
            path.append(node.item)
        return path

    def path_support(self) -> int:
        """The support of the base with the whole of a single path."""
        node, support = self.root, self.support
        while node.children:
            node = next(iter(node.children.values()))
            support = node.count
        return support


class MFITree(PrefixTree):
    """The maximal sets found so far, as far as they matter to one FP-tree."""

    def insert(self, items: Sequence[int]) -> None:
        """Add a set."""
        self.add(items)

    def holds(self, items: Sequence[int]) -> bool:
        """Whether a set in the tree has all these items."""
        ranked = sorted(items, key=self.order.__getitem__)
        *above, last = ranked
        needed = set(above)
        return any(
            node.level > len(above) and needed.issubset(n.item for n in node.path())
            for node in self.header[last]
        )

    def projection(self, item: int, order: dict[int, int]) -> MFITree:
        """The sets with ``item``, reduced to the items of its conditional tree, all above it."""
        projected = MFITree(order)
        for node in self.header[item]:
            projected.insert([above.item for above in node.path() if above.item in order])
        return projected
