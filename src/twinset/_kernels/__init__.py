"""The compiled kernels: arrays in, arrays out. Headers hold the loops, ``bind_*.cpp`` the doors."""

from twinset._kernels._native import *  # noqa: F403
