"""Which copy stays: the usual order, or one that the user has put together and named."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.plan.presets import FOR_FOLDERS
from twinset.review.cleaning.priorities import OFFERED, PLACES, PrioritySets
from twinset.web.render import render

router = APIRouter(prefix="/start/priorities")


@router.post("")
def save(
    request: Request,
    set_name: Annotated[str, Form()] = "",
    policy: Annotated[list[str] | None, Form()] = None,
    folders: Annotated[str, Form()] = "",
) -> Response:
    """Keep a set under a name, and choose it."""
    policies = [_policy(name, folders) for name in dict.fromkeys(policy or ()) if name]
    sets = sets_of(request)
    sets.save(set_name, policies)
    return render(request, "start_priorities.html", **shown(request, " ".join(set_name.split())))


@router.post("/forget")
def forget(request: Request, priorities: Annotated[str, Form()] = "") -> Response:
    """Drop the chosen set."""
    sets_of(request).forget(priorities)
    return render(request, "start_priorities.html", **shown(request, ""))


def policies_named(request: Request, name: str) -> list[str]:
    """The policies of a set, or the usual ones; raises where it was dropped meanwhile."""
    sets = sets_of(request).all()
    if name and name not in sets:
        raise PlanError([f"there is no order named '{name}' any more; choose another one"])
    return list(sets[name] if name else FOR_FOLDERS)


def shown(request: Request, chosen: str) -> dict[str, Any]:
    """What the page shows of the sets."""
    sets = sets_of(request).all()
    return {
        "sets": sets,
        "chosen_set": chosen if chosen in sets else "",
        "policies": OFFERED,
        "ranks": range(PLACES),
    }


def sets_of(request: Request) -> PrioritySets:
    """The sets of this page."""
    return PrioritySets(request.app.state.settings.home)


def _policy(name: str, folders: str) -> str:
    """A policy as a plan writes it; that of folders has their names, the best first."""
    if name not in OFFERED:
        raise PlanError([f"'{name[:60]}' is not one of {', '.join(OFFERED)}"])
    if name != "folder":
        return name
    order = "/".join(part.strip() for part in folders.replace("/", ",").split(",") if part.strip())
    return f"folder:order={order}"
