"""What made collections are made of: unpacked packages of Debian, of three releases."""

from __future__ import annotations


class MissingError(Exception):
    """Material that is not at hand; the message says what to get."""
