"""The version of the package, in one place."""

__version__ = "5.7.0"
