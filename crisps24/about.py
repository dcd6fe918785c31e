"""The version of the package, in one place."""

__version__ = "3.6.0"
