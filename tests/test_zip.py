"""The package works from a zip file: its data files are resources.

It takes 2 seconds: there are no compiled modules in the file.
"""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import crisps24


def test_commands_run_from_a_zip_file(tmp_path: Path) -> None:
    package = Path(crisps24.__path__[0])
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in package.rglob("*"):
            if path.suffix != ".pyc":
                archive.write(path, Path(package.name) / path.relative_to(package))
    for words, shown in (
        *(("check 4+3x --language nl", "getal"), ("deal cards --count 1", "=")),
        ("page cards --count 1 --out a.html", "a.html"),
        ("sheet cards --count 1 --out a.svg", "a.svg"),
    ):
        call = [sys.executable, "-m", "crisps24", *words.split()]
        environment = os.environ | {"PYTHONPATH": str(tmp_path / "a.zip")}
        ran = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert (shown in ran.stdout, "a.zip" in ran.stderr) == (True, False), ran.stderr
