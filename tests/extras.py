"""Skip tests that need an extra of the package, where only the extra `test` is installed."""

import re

import pytest

# The modules that the extras bring.
WEB = ("starlette", "jinja2", "uvicorn")
# What commands need: a pattern of their text, the extra, and its modules.
COMMAND_NEEDS = (
    (r"\.pdf\b", "sheets", ("reportlab",)),
    (r"\.png\b|--plot", "plot", ("matplotlib",)),
    (r"\.parquet\b", "data", ("pyarrow",)),
    (r"\.xlsx\b", "excel", ("python_calamine",)),
    (r"^(crisps24 )?serve\b", "web", WEB),
)


def skip_without_extra(command: str) -> None:
    for pattern, extra, modules in COMMAND_NEEDS:
        if re.search(pattern, command):
            for module in modules:
                pytest.importorskip(module, reason=f"{command} needs the extra `{extra}`")
