"""``twinset index key``."""
