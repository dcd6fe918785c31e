"""Find the folder of Pyodide, which is Python for browsers; or make it and print its path.

`python -m tests.tab.distribution FOLDER` needs npm, for the runtime, and Pyodide's own address, for
numpy. Tests only use a folder that `CRISPS24_PYODIDE` names.
"""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import pytest

from tests.player.node import NODE

VERSION = "0.29.5"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
_NAMES = ("pyodide.mjs", "pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm")
RUNTIME = (*_NAMES, "python_stdlib.zip", "pyodide-lock.json", "package.json")
PACKAGES = ("numpy", "markupsafe")


def find_pyodide() -> tuple[Path | None, str]:
    """Return the folder of Pyodide and an empty text, or None and the reason why there is none."""
    named = os.environ.get("CRISPS24_PYODIDE")
    if not named:
        return None, "CRISPS24_PYODIDE names no folder of Pyodide"
    folder = Path(named).resolve()
    missing = [name for name in RUNTIME if not (folder / name).is_file()]
    if not missing:
        packages = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))["packages"]
        wheels = [packages[name]["file_name"] for name in PACKAGES]
        missing = [name for name in wheels if not (folder / name).is_file()]
    return (None, f"{folder} has no {missing[0]}") if missing else (folder, "")


PYODIDE, REASON = find_pyodide()
needs_pyodide = pytest.mark.skipif(PYODIDE is None, reason=REASON)
_IS_MISSING = PYODIDE is None or NODE is None
needs_pyodide_in_node = pytest.mark.skipif(_IS_MISSING, reason=REASON or "node runs Pyodide")


def make_pyodide(folder: Path) -> None:
    """Write the runtime and the wheels of `PACKAGES` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        command = ["npm", "pack", "--silent", f"pyodide@{VERSION}"]
        subprocess.run(command, cwd=temporary, check=True, capture_output=True, timeout=120)
        [packed] = Path(temporary).iterdir()
        with tarfile.open(packed) as archive:
            archive.extractall(temporary, filter="data")
        for name in RUNTIME:
            Path(temporary, "package", name).replace(folder / name)
    packages = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))["packages"]
    for name in PACKAGES:
        file, sha256 = packages[name]["file_name"], packages[name]["sha256"]
        with urlopen(f"{ADDRESS}/{file}", timeout=60) as response:
            wheel = response.read()
        if hashlib.sha256(wheel).hexdigest() != sha256:
            raise ValueError(f"{ADDRESS}/{file} has another hash than pyodide-lock.json")
        (folder / file).write_bytes(wheel)


if __name__ == "__main__":
    make_pyodide(Path(sys.argv[1]))
    print(Path(sys.argv[1]).resolve())
