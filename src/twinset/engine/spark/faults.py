"""What goes wrong inside Spark, in a sentence: a fault of ours that a task met, or Spark's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from twinset import errors
from twinset.errors import TwinsetError

OURS = re.compile(r"^(?:\s*E\s+)?twinset\.errors\.(\w+): (.*)$", re.MULTILINE)
"""The last line of a traceback of Python that a task has ended with."""
LONGEST = 300


@contextmanager
def explained(doing: str = "Spark has failed", log: str | None = None) -> Iterator[None]:
    """Turn what pyspark and py4j raise into one sentence, with the file of Spark's own words."""
    try:
        yield
    except (TwinsetError, KeyboardInterrupt):
        raise
    except Exception as fault:
        if not _is_of_spark(fault):
            raise
        where = f"; what it said is in {log}" if log else ""
        raise _in_words(str(fault), doing, where) from fault


def _in_words(text: str, doing: str, where: str) -> TwinsetError:
    ours = OURS.findall(text)
    if ours:
        name, message = ours[-1]
        # A fault with facts of its own cannot be made from its message: the sentence is enough.
        usage = issubclass(getattr(errors, name, TwinsetError), errors.PlanError)
        return errors.PlanError([message]) if usage else TwinsetError(message)
    causes = re.findall(r"^Caused by: [\w.$]+(?:Exception|Error): (.+)$", text, re.MULTILINE)
    python = re.findall(r"^(?:\s*E\s+)?((?:[A-Z]\w*)(?:Error|Exception): .+)$", text, re.MULTILINE)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = (python or causes or lines or ["it gave no reason"])[-1 if python or causes else 0]
    return TwinsetError(f"{doing}: {reason[:LONGEST].rstrip('. ')}{where}")


def _is_of_spark(fault: BaseException) -> bool:
    return any(
        each.__module__.partition(".")[0] in ("pyspark", "py4j") for each in type(fault).__mro__
    )
