"""The manual is true: all its blocks run, its commands exist, its links lead somewhere."""
