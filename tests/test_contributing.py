"""The recipes for who takes part: each does what it says, in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parent.parent / ".github" / "CONTRIBUTING.md").read_text()
RECIPES = re.findall(r"^## (.*?)\n.*?^```python\n(.*?)^```$", TEXT, re.M | re.S)


def test_there_is_a_recipe_for_each_kind_of_thing() -> None:
    assert [name for name, _ in RECIPES] == [
        "Add a game",
        "Add a rule",
        "Add an operator",
        "Add a style",
        "Add a language",
        "Add a command",
        "Add a table format",
        "Add a file format of sheets",
        "Add a paper",
        "Add a card shape",
    ]


@pytest.mark.parametrize(("name", "code"), RECIPES, ids=[name for name, _ in RECIPES])
def test_a_recipe_works_as_it_is_written(name: str, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, ""), name
