"""How a class says that a field of it is an option."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

from twinset.spec.option import KEY
from twinset.spec.text import make


def option(default: Any, help: str, **facts: Any) -> Any:
    """A field that is an option; the facts are those of `Option`.

    Where its value is a part, ``usual`` is the text of the default, and ``default`` is not used.
    """
    metadata = {KEY: {"help": help, **facts}}
    if facts.get("usual"):
        factory = partial(make, facts["part"], facts["usual"])
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
