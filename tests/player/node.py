"""Run the scripts of the player in node."""

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import crisps24

PLAYER = Path(crisps24.__file__).parent / "player"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node runs the scripts")
# Run each line, a program as JSON, in a context of its own; answer with a line.
LOOP = """
const vm = require("vm");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  let answer;
  try {
    answer = { result: vm.runInNewContext(JSON.parse(line), { performance, structuredClone }) };
  } catch (error) {
    answer = { error: String(error.stack) };
  }
  process.stdout.write(JSON.stringify(answer) + "\\n");
});
"""


@cache
def _node() -> "subprocess.Popen[str]":
    """Start node once for all tests of a process: a start takes longer than most of them."""
    assert NODE is not None
    process = subprocess.Popen(
        [NODE, "-e", LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    atexit.register(process.communicate)
    return process


def run_script(names: tuple[str, ...], code: str, data: object = None) -> Any:
    """Run scripts of the player, then code: the body of a function of `input`, which is data."""
    scripts = "\n".join((PLAYER / name).read_text(encoding="utf-8") for name in names)
    program = f"{scripts}\n((input) => {{ {code} }})({json.dumps(data)})"
    node = _node()
    assert node.stdin is not None
    assert node.stdout is not None
    node.stdin.write(json.dumps(program) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    assert "error" not in answer, answer
    return answer["result"]
