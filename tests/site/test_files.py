"""The folder of a site: what is in it, and what is refused."""

import hashlib
import json
import re
import subprocess
import sys
from base64 import b64decode
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock
from zipfile import ZipFile

import numpy
import pytest

from crisps24.errors import RefusedError
from crisps24.pages.addresses import SITE

pytest.importorskip("jinja2", reason="a site needs the extra `web`")
pytest.importorskip("reportlab", reason="a site needs the extra `sheets`")

from crisps24.site import files as module
from crisps24.site.files import find_pyodide, write_site
from crisps24.site.tab import Tab
from tests.commands import Run
from tests.sampling import in_one_test
from tests.site.sites import SETTINGS, native
from tests.tables import cells_of

PACKAGES = Path(numpy.__path__[0]).parent
CHOSEN = replace(SITE, title="Maths <club>", language="fr", games=("cards", "countdown"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("site") / "site"
    write_site(path, CHOSEN, find_pyodide())
    return path


def contents_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_record_has_the_hash_of_each_file_and_the_own_part_is_small(folder: Path) -> None:
    text = (folder / "site.js").read_text("utf-8")
    record = json.loads(text[text.index("{") : text.rindex("}") + 1])
    for name, file in record["files"].items():
        digest = hashlib.sha256((folder / name).read_bytes()).digest()
        assert b64decode(file["integrity"].removeprefix("sha256-")) == digest
    written = {name for name in contents_of(folder) if not name.endswith("/index.html")}
    assert written == {*record["files"], "site.js", "service.js"}
    # As a server sends it: archives are compressed already.
    assert (folder / "python.zip").stat().st_size < 1_300_000
    assert {record["pyodide"]["address"]} == {module._pinned()["address"]}


def test_pages_of_a_site_have_its_title_language_and_games(folder: Path) -> None:
    start = (folder / "made/start.fr.html").read_text("utf-8")
    assert "Maths &lt;club&gt;" in start
    assert re.findall(r'href="\./play\?game=(\w+)"', start) == ["cards", "countdown"]
    assert {path.name for path in (folder / "made").iterdir()} == {"start.fr.html", "play.fr.html"}
    assert "Maths &lt;club&gt;" in (folder / "index.html").read_text("utf-8")
    tab = Tab(json.dumps({"title": "x", "language": "fr", "games": ["cards", "countdown"]}))
    status, _, body = native(tab, "solve?hand=3+3+8+8")
    # The usual game is the first of them.
    assert (status, b"8/3" in body) == (200, True)


def test_same_site_is_written_again_and_equal(folder: Path) -> None:
    before = contents_of(folder)
    (folder / "left over").touch()
    write_site(folder, CHOSEN, find_pyodide())
    assert before == contents_of(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["site"]


def test_archive_has_what_the_pages_read(folder: Path, tmp_path: Path) -> None:
    for name in ("python.zip", "pdf.zip"):
        ZipFile(folder / name).extractall(tmp_path)
    # numpy and markupsafe come from Pyodide; nothing else may be found outside the archive.
    for name in ("numpy", "numpy.libs", "markupsafe"):
        with suppress(FileNotFoundError):
            (tmp_path / name).symlink_to(PACKAGES / name)
    script = f"""
import json, sys
sys.path = [{str(tmp_path)!r}, *(path for path in sys.path if "-packages" not in path)]
sys.meta_path = [each for each in sys.meta_path if "editable" not in repr(each).lower()]
from crisps24.site.tab import Tab
import crisps24
assert crisps24.__file__.startswith({str(tmp_path)!r})
tab = Tab({SETTINGS!r})
for path, query in json.loads(sys.argv[1]):
    print(tab.reply(json.dumps({{"path": path, "query": query}}))[0], path)
"""
    asked = [
        *(["/", ""], ["/play", "game=cards&seed=7"], ["/daily", "game=cards&date=2026-11-01"]),
        *(["/solve", "game=cards&hand=3+3+8+8"], ["/check", "formula=3+x+8"]),
        *(["/sheet", "game=cards&seed=7"], ["/sheet.pdf", "game=cards&seed=7"]),
        *(["/deal.json", "game=cards&seed=7"], ["/solve.json", "hand=4+3+8+4"]),
    ]
    # -I also ignores PYTHONPATH.
    command = [sys.executable, "-I", "-c", script, json.dumps(asked)]
    call = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert call.stdout.splitlines() == [f"200 {path}" for path, _ in asked], call.stderr


def test_a_folder_of_no_site_stays(tmp_path: Path, run: Run) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    ran = run(f"site --out {tmp_path}")
    assert (ran.status, "is in the way: it is no site of crisps24" in ran.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]
    assert run("site --out letters.txt").status == 2


@in_one_test(("options", "said"), *cells_of("site/refused.txt"))
def test_wrong_call_is_refused(run: Run, options: str, said: str) -> None:
    ran = run(f"site {options}")
    assert (ran.status, said in ran.err, [*Path().iterdir()]) == (2, True, [])


def test_other_files_of_pyodide_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pyodide-lock.json").write_text('{"packages": {}}')
    for name in module._RUNTIME:
        (tmp_path / name).touch()
    with pytest.raises(RefusedError, match=r"pyodide\.mjs is of another version"):
        find_pyodide(str(tmp_path))
    assert find_pyodide("https://example.org/p").address == "https://example.org/p/"


def test_a_full_disk_leaves_the_old_site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "site.js").read_bytes()

    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        write_site(folder, SITE, find_pyodide())
    monkeypatch.undo()
    assert (folder / "site.js").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["site"]
