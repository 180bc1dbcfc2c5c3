"""How many examples a property test of the kernels tries, as a share of what the profile allows."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""What hypothesis tries by itself, as does the profile ``all``; counts are meant against it."""


def examples(count: int) -> settings:
    """So many examples under the profile ``all``, in proportion fewer under a smaller one.

    There is no deadline: a busy machine is no fault of a kernel.
    """
    share = settings.default.max_examples / USUAL
    return settings(deadline=None, max_examples=max(5, round(count * share)))
