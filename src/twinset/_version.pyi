"""The version of the package, in a module that the build writes."""

VERSION: str
