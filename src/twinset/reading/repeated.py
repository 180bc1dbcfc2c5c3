"""Texts without what documents repeat.

Pages lose the lines that their sites repeat, and all documents, where that is asked for, their
boilerplate. What these are is known only after the last document: see `held`. Later passes, and
those who read single documents again, know it from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

if TYPE_CHECKING:
    from twinset.text.boilerplate import BoilerplateCutter
    from twinset.text.repeated import RepeatedLines

Result = TypeVar("Result")


@dataclass
class Repetition:
    """What is known of what some documents repeat, from one pass to the next.

    ``lines`` is None before the first pass over pages, and ``boilerplate`` before the first over
    documents; ``table`` and ``paragraphs`` show them to the reader of a report.
    """

    lines: RepeatedLines | None = None
    table: pa.Table | None = None
    boilerplate: BoilerplateCutter | None = None
    paragraphs: pa.Table | None = None
    lets_few_through: bool = False


class LinesKnownLateError(Exception):
    """Pages were let through that repeat lines of others: the pass has to begin again."""


def let_few_pages_through(documents: object, read: Callable[[], Result]) -> Result:
    """What ``read`` makes of a first pass over documents, which may be called a second time.

    Where they have few pages at first, these and what follows them do not wait for the last one.
    """
    repetition = getattr(documents, "repetition", None)
    if not isinstance(repetition, Repetition):
        return read()
    repetition.lets_few_through = True
    try:
        return read()
    except LinesKnownLateError:
        pass  # what was read goes before it is read again
    finally:
        repetition.lets_few_through = False
    return read()
