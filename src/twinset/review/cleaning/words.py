"""Reasons in words: why a file stays, goes or was refused, in the reader's language."""

from __future__ import annotations

from twinset.clusters.keep import KeepReason
from twinset.pages.language import has_sentence, say
from twinset.report.keeping import reason_in_words
from twinset.review.cleaning.model import Reason


def worded(reason: Reason, language: str = "en") -> str:
    """A reason without a full stop; a name without a sentence is shown as it is.

    Other sentences of the list may have the name of a reason, so only refusals stand there by
    their own name.
    """
    key = f"cleaning.reason_{reason.name}"
    if reason.name.startswith("refused_"):
        key = f"cleaning.{reason.name}"
    if has_sentence(language, key):
        return say(language, key, **reason.values)
    if has_sentence(language, f"keeping.{reason.name}"):  # what a keep policy says
        return reason_in_words(KeepReason(reason.name, dict(reason.values)), language)
    return reason.name.replace("_", " ")
