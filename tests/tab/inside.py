"""Run pytest inside Pyodide, and report the result of each test."""

import json
import sys

import pytest


class _Recorder:
    """A plugin of pytest that collects (outcome, last line) by test, or by file that fails."""

    def __init__(self) -> None:
        self.results: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._add(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self._add(report)

    def _add(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        _, _, line = str(report.longrepr or "").strip().rpartition("\n")
        self.results[report.nodeid] = report.outcome, line


def run(paths: list[str]) -> str:
    """Run the tests in files or folders; return their results as JSON."""
    sys.pycache_prefix = "/tmp/compiled"
    recorder = _Recorder()
    options = ["-o", "addopts=", "-p", "no:cacheprovider", "-q", "--tb=short"]
    pytest.main([*options, *paths], plugins=[recorder])
    return json.dumps(recorder.results)
