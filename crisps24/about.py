"""The version of the package, in one place."""

__version__ = "4.9.0"
