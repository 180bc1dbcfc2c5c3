"""Learning: a support vector machine that tells near-duplicates from others by similarity vectors.

Raveena, Nandini 2014. ``labels`` and ``examples`` make labelled similarity vectors of the
``features``, ``training`` trains, ``held_out`` and ``figures`` say what it is worth. ``api`` has
`learn`, ``options`` what it takes, ``result`` the model. What applies a model lies lower, in
``twinset.methods.learned``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twinset.lab.learning.api import learn
    from twinset.lab.learning.features import Learning
    from twinset.lab.learning.options import Training
    from twinset.lab.learning.result import Match, Model, load_model

__all__ = ["Learning", "Match", "Model", "Training", "learn", "load_model"]
_HOMES = {"Learning": "features", "Training": "options", "learn": "api"}


def __getattr__(name: str) -> Any:
    """Load the rest when it is used: the help of the command line needs the options alone."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'result')}"), name)
