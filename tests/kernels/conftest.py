"""The profile of ``make sanitize``: compiled code is many times slower under the sanitizers."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("sanitized", max_examples=10, deadline=None)
