"""Which copy stays: policies in their order, used for the list and saved as named sets."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.review.cleaning.priorities import PrioritySets
from twinset.spec import make, spell
from twinset.web.render import go
from twinset.web.report.cleaning import answer, changed_list, cleaning_of
from twinset.web.report.cleaning_view import CleaningView

router = APIRouter(prefix="/report/{name}/clean")
POLICIES = {
    "original-name": "original-name",
    "newest": "newest",
    "oldest": "oldest",
    "format": "format:order=docx/odt/pdf/txt",
    "longest": "longest",
    "shortest-name": "shortest-name",
}
"""Policies to choose from, by the name of their sentence."""
PLACES = 4
"""Policies of one set that can be chosen here."""


@router.get("/priorities")
def priorities(request: Request, name: str) -> Response:
    """What decides which copy stays, and the saved sets."""
    clean = cleaning_of(request, name)
    return answer(request, clean, "clean_priorities.html", **_shown(request, clean))


@router.post("/priorities")
def prefer(
    request: Request,
    name: str,
    policy: Annotated[list[str] | None, Form()] = None,
    chosen: Annotated[str, Form(alias="set")] = "",
    save_as: Annotated[str, Form()] = "",
) -> Response:
    """Go by other policies, or by a saved set; with a name, save them first."""
    clean = cleaning_of(request, name)
    sets = PrioritySets(clean.cleaning.home)
    policies = [POLICIES[each] for each in policy or () if each in POLICIES]
    if chosen:
        known = sets.all()
        if chosen not in known:
            raise PlanError([f"there is no set '{chosen}' any more; choose another"])
        policies = list(known[chosen])
    if not policies:
        raise PlanError(["no policy is chosen; choose what decides first"])
    if save_as.strip():
        sets.save(save_as, policies)
    change = clean.cleaning.prefer(policies)
    return changed_list(request, clean, change)


@router.post("/priorities/forget")
def forget(request: Request, name: str, chosen: Annotated[str, Form(alias="set")]) -> Response:
    """Drop a saved set; the list stays as it is."""
    clean = cleaning_of(request, name)
    PrioritySets(clean.cleaning.home).forget(chosen)
    return go(clean.address)


def _shown(request: Request, clean: CleaningView) -> dict[str, Any]:
    by_text = {_spelt(text): key for key, text in POLICIES.items()}
    now = [by_text.get(_spelt(text), "") for text in clean.cleaning.policies]
    return {
        "policies": list(POLICIES),
        "now": (now + [""] * PLACES)[:PLACES],
        "sets": list(PrioritySets(clean.cleaning.home).all()),
    }


def _spelt(policy: str) -> str:
    """One spelling of a policy, whether or not it states what is usual."""
    return spell("keep", make("keep", policy))
