"""Methods side by side on one collection."""
