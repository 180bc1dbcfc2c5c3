"""Exact verification: the measures, one formula each over (shared, size, size)."""
