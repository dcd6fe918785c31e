"""The server needs an extra."""

from tests.pages.conftest import pytest_pycollect_makemodule

__all__ = ["pytest_pycollect_makemodule"]
