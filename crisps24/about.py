"""The version of the package, in one place."""

__version__ = "1.1.0.dev0"
