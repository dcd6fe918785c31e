"""Run pytest inside Pyodide, and report the result of each test."""

import json
import sys

import pytest


class _Recorder:
    """A plugin of pytest that collects (outcome, last line) by test, or by file that fails."""

    def __init__(self) -> None:
        self.results: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if getattr(report, "when", "") == "call" or report.outcome != "passed":
            _, _, line = str(report.longrepr or "").strip().rpartition("\n")
            self.results[report.nodeid] = report.outcome, line

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.pytest_runtest_logreport(report)


def run(paths: list[str]) -> str:
    """Run the tests in files or folders; return their results as JSON."""
    sys.pycache_prefix = "/tmp/compiled"
    recorder = _Recorder()
    options = ["-o", "addopts=", "-p", "no:cacheprovider", "-q", "--tb=short"]
    pytest.main([*options, *paths], plugins=[recorder])
    return json.dumps(recorder.results)
