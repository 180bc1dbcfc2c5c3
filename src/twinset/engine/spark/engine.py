"""The Spark engine as an option: where the cluster is, and nothing that decides a result."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from twinset.spec import option

MASTER = re.compile(
    r"local(?:\[(?:\*|[1-9]\d*)(?:, *[1-9]\d*)?\])?"  # local, local[2], local[*], local[2,4]
    r"|local-cluster\[\d+, *\d+, *\d+\]"
    r"|yarn|[a-z][a-z0-9+.-]*://\S+"
)


@dataclass(frozen=True)
class SparkEngine:
    """Runs on Apache Spark: for collections that one machine is too small for."""

    master: str | None = option(
        None,
        "The cluster: local[2], spark://HOST:7077, yarn; without it that of spark-submit, or "
        "local[*].",
    )
    partitions: int = option(
        0, "Number of parts that tables are cut into; 0: by the size of the input.", least=0
    )
    work: str | None = option(
        None, "Folder or address for tables in between; all machines of the cluster must see it."
    )

    def faults(self) -> list[str]:
        """A master that Spark would not understand."""
        if self.master is None or MASTER.fullmatch(self.master):
            return []
        return [
            f"master '{self.master}' is no address of a cluster; write local[2], local[*], "
            "spark://HOST:7077, yarn or k8s://URL"
        ]


@dataclass(frozen=True)
class OpenedSpark(SparkEngine):
    """An engine with the session that it works in, which stays open."""

    session: Any = field(default=None, compare=False, repr=False)


def is_local(master: str | None) -> bool:
    """Whether a master is this machine, and nothing but this process."""
    return master is not None and re.match(r"local(?!-cluster)", master) is not None
