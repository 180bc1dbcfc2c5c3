"""What a plan is like where units of documents are compared, and not the documents themselves."""

from __future__ import annotations

from typing import Any

from twinset.spec import name_of, parse, spell

CHANGED_BY_LEVEL = {"method": "md5:stop=none,letters=0", "html": "no"}
"""Units are equal by all their words, and have places in texts as they are stored."""
KEEP_OF_UNITS = ("first", "longest", "shortest", "field")
"""Keep policies that need to know no more than the units and the records that they stand in."""


def values_of_level(base: Any, asked: bool) -> dict[str, Any]:
    """What options are unless they are given; ``asked`` says that a way to compare is."""
    usual = type(base)()
    values: dict[str, Any] = {}
    if base.read.html == usual.read.html:
        values["html"] = CHANGED_BY_LEVEL["html"]
    if not asked and base.method == usual.method:
        values["method"] = parse("method", CHANGED_BY_LEVEL["method"])[0]
    return values


def faults_of_level(plan: Any) -> list[str]:
    """What of a plan has no meaning for units of documents, as sentences."""
    level, faults = name_of("level", plan.level), []
    if spell("clusters", plan.clusters) != "anchored":
        faults.append(f"level {level} makes no clusters of documents: leave clusters out")
    if plan.drop_boilerplate is not None:
        faults.append(
            f"drop-boilerplate is for whole documents, and level {level} compares their units: "
            "leave one of them out"
        )
    if plan.kinds == "yes":
        faults.append(f"kinds are those of whole documents: leave kinds out with level {level}")
    if name_of("method", plan.method) == "given":
        faults.append(f"the method given names documents: give another method with level {level}")
    return faults + [
        f"keep {name} looks at files, and level {level} compares units of their texts: keep first, "
        "longest, shortest, FIELD:max or FIELD:min"
        for policy in plan.keep
        if (name := name_of("keep", policy)) not in KEEP_OF_UNITS
    ]
