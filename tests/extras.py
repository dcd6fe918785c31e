"""Skip tests that need an extra of the package, where only the extra `test` is installed."""

import pkgutil
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType

import pytest

import crisps24

# The modules that the extras bring.
WEB = ("starlette", "jinja2", "uvicorn")
# What commands need: a pattern of their text, the extra, and its modules.
COMMAND_NEEDS = (
    (r"\.pdf\b", "sheets", ("reportlab",)),
    (r"\.png\b|--plot", "plot", ("matplotlib",)),
    (r"\.parquet\b", "data", ("pyarrow",)),
    (r"\.xlsx\b", "excel", ("python_calamine", "xlsxwriter")),
    (r"^(crisps24 )?(serve|site)\b", "web", WEB),
)


def skip_without_extra(command: str) -> None:
    for pattern, extra, modules in COMMAND_NEEDS:
        if re.search(pattern, command):
            for module in modules:
                pytest.importorskip(module, reason=f"{command} needs the extra `{extra}`")


def modules() -> Iterator[ModuleType]:
    """Yield all modules of the package, except those for which an extra is missing."""
    for module in pkgutil.walk_packages(crisps24.__path__, "crisps24."):
        # `__main__` would run.
        if "__main" not in module.name:
            with suppress(ImportError):
                yield import_module(module.name)
