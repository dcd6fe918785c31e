"""Run the scripts of the player in node."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import crisps24

PLAYER = Path(crisps24.__file__).parent / "player"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node runs the scripts")


def run_script(names: tuple[str, ...], code: str, data: object = None) -> Any:
    """Run scripts of the player, then code that returns a result for `input`; return the result.

    Args:
        names: the names of the scripts, such as `texts.js`.
        code: the body of a function of `input`.
        data: the input, as JSON.
    """
    scripts = "\n".join((PLAYER / name).read_text(encoding="utf-8") for name in names)
    program = (
        f"{scripts}\nconst result = ((input) => {{ {code} }})"
        '(JSON.parse(require("fs").readFileSync(0, "utf8")));\n'
        "process.stdout.write(JSON.stringify(result));"
    )
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", program], input=json.dumps(data), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
