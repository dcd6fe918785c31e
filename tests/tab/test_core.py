"""A sample of the tests in Pyodide, of each package that computes answers."""

import subprocess
from pathlib import Path

import pytest

from tests.tab.core import FOLDERS, KNOWN, ROOT, pack, run
from tests.tab.distribution import needs_pyodide_in_node

SAMPLE = (
    *("rules/test_ratios.py", "notation/test_evaluation.py", "hands/test_reach.py"),
    *("solving/test_likeliest.py", "enumeration/test_counting.py", "judging/test_extraction.py"),
    *("puzzles/test_draws.py", "equation_puzzles/test_search.py::test_number_of_equations"),
)


def test_the_sample_has_a_file_of_each_folder_and_known_tests_exist() -> None:
    assert tuple(name.partition("/")[0] for name in SAMPLE) == FOLDERS
    for test in KNOWN:
        path, name = test.partition("[")[0].split("::")
        assert f"def {name}(" in (ROOT / path).read_text("utf-8"), test


@needs_pyodide_in_node
def test_a_sample_of_the_tests_passes_in_a_browser(tmp_path: Path) -> None:
    try:
        pack(tmp_path / "project.zip")
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"pip cannot install hypothesis: {error}")
    counts, _, problems = run(tmp_path / "project.zip", *(f"tests/{name}" for name in SAMPLE))
    assert not problems
    assert counts["passed"] > 70
