"""The command line: `main` runs it and returns its exit status. No other room imports it."""

from crisps24.cli.program import main

__all__ = ["main"]
