"""In words which copy stays: the policies of a run, and why one of two copies went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from twinset.errors import PlanError
from twinset.pages.language import has_sentence, speaker
from twinset.spec import name_of, parse

if TYPE_CHECKING:
    from twinset.clusters.keep import KeepReason

_UNITS = (("years", 365.25), ("months", 365.25 / 12), ("days", 1), ("hours", 1 / 24))
_LEAST = {"years": 2, "months": 2}
"""So many of a unit at least: two months and not eight weeks, but 45 days and not one month."""


def reason_in_words(reason: KeepReason, language: str = "en") -> str:
    """Why a copy goes, without a full stop: "older by 11 months"."""
    values = dict(reason.values)
    if "seconds" in values:
        values["time"] = time_in_words(int(values.pop("seconds")), language)
    return speaker(language, "keeping")(reason.name, **values)


def time_in_words(seconds: int, language: str = "en") -> str:
    """A length of time in the largest unit that it has a few of."""
    say = speaker(language, "keeping")
    for unit, days in _UNITS:
        count = round(seconds / 86_400 / days)
        if count >= _LEAST.get(unit, 1) and seconds >= 86_400 * days:
            return say(unit, n=count)
    return say("minutes", n=round(seconds / 60)) if seconds >= 60 else say("seconds", n=seconds)


def policies_in_words(plan: Mapping[str, Any], language: str = "en") -> str:
    """A sentence on how a copy was chosen; nothing where it is the first one that was read."""
    written = plan.get("keep") or "first"
    texts = [written] if isinstance(written, str) else written
    if texts == ["first"]:
        return ""
    say = speaker(language, "keeping")
    return say("used", policies=say("then").join(_policy(text, language) for text in texts))


def _policy(text: str, language: str) -> str:
    try:
        policy = parse("keep", text)[0]
        name = name_of("keep", policy)
    except PlanError:  # of a package that is not installed here
        return text
    if not has_sentence(language, f"keeping.policy_{name}"):
        return text
    values = {key: getattr(policy, key) for key in ("order", "field") if getattr(policy, key, None)}
    return speaker(language, "keeping")(f"policy_{name}", **values)
