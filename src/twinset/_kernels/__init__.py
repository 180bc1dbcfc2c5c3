"""The compiled kernels: arrays in, arrays out. Headers hold the loops, ``bind_*.cpp`` the doors."""

from typing import TYPE_CHECKING, Any

from twinset._kernels._native import *  # noqa: F403

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
