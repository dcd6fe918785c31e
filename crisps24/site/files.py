"""Write the folder of a site, which needs a web server for files and nothing else.

The folder has the shell in the place of each page, so that every address can be opened first; the
package and its libraries as one archive; and pages that need no Python: the start page and its
puzzle in each language, and a file of puzzles. `site.js` names all files, with their hashes: the
service worker keeps no other bytes. The version of a site is the hash of all of them.
"""

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from crisps24.errors import RefusedError
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH
from crisps24.pages import answering, requests, start
from crisps24.pages.addresses import Parameters, Site
from crisps24.player.files import (
    daily_key,
    file_record,
    integrity_of,
    integrity_text,
    puzzle_records,
    render_file,
)
from crisps24.puzzles.dealing import deal
from crisps24.site.tab import Tab

PUZZLES = 100
"""The number of puzzles in the file that plays without Python."""
_SEED = 24
_MARK = b"// A site of crisps24\n"
# The texts of the shell.
_TEXTS = ("loading", "starting", "puzzles", "pages", "missing", "no_server", "failed", "again")
# What no page reads: the server, the commands, and what only commands show; and parts of the
# libraries that they import only for other uses.
_UNUSED = re.compile(
    r"crisps24/(?:(?:web|cli|training|surveys|equation_puzzles|docs)/|"
    r"site/(?!__init__|tab)|.*\.(?:md|pyc)$)|"
    r"pyparsing/(?:diagram|tools)|jinja2/(?:sandbox|nativetypes|meta|ext)|"
    r"reportlab/(?:graphics|platypus|fonts/(?!Vera\.|VeraBd\.))"
)
_LIBRARIES = ("pyparsing", "tabulate", "jinja2")
# Archives that are loaded when a page needs them, with their libraries and these pages.
_LATE = {
    "pdf.zip": (("reportlab",), ("/sheet.pdf", "/mark.pdf")),
    "excel.zip": (("xlsxwriter",), ("/quiz.download", "/mark.xlsx", "/sheet.xlsx")),
}
# Packages of Pyodide that pages can do without, and these pages.
_OPTIONAL = {"python-calamine": ("/mark", "/sheet.pdf", "/sheet.xlsx", "/sheet.csv")}
# reportlab imports Pillow, a megabyte, for pictures. Sheets have none: they get empty modules.
_INSTEAD_OF_PILLOW = ("PIL/__init__.py", "PIL/Image.py")
# The packages of Pyodide that the pages import.
_PACKAGES = ("numpy", "markupsafe")
_RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")


@dataclass(frozen=True, slots=True)
class Pyodide:
    """The files of Pyodide: where they are, with their hashes."""

    version: str
    python: str
    address: str
    """Where the files are: a URL, or a folder of the site."""
    hashes: dict[str, str]
    lock: dict[str, Any]
    """The names of its packages and their hashes, as Pyodide reads them."""
    size: int
    """The bytes of all files, at least roughly."""
    folder: Path | None = None
    """The folder from which the files are copied into the site."""


@cache
def _pinned() -> dict[str, Any]:
    return tomllib.loads(files("crisps24.site").joinpath("pyodide.toml").read_text("utf-8"))


def find_pyodide(place: str = "") -> Pyodide:
    """Return Pyodide at a URL, or in a folder; by default its own distribution."""
    pinned = _pinned()
    version, python = pinned["version"], pinned["python"]
    lock = {"info": pinned["info"] | {"python": python}, "packages": pinned["packages"]}
    if not place or re.match("https?://", place):
        address = (place or pinned["address"]).rstrip("/") + "/"
        return Pyodide(version, python, address, pinned["hashes"], lock, pinned["size"])
    folder = Path(place)
    try:
        found = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
        packages = {
            name: each
            for name in (*_PACKAGES, *_OPTIONAL)
            if (each := found["packages"].get(name)) and (folder / each["file_name"]).is_file()
        }
        hashes = {name: integrity_of((folder / name).read_bytes()) for name in _RUNTIME}
    except (OSError, ValueError, KeyError, TypeError):
        raise RefusedError(_no_pyodide(place, "files of Pyodide are missing")) from None
    for name in _RUNTIME:
        if hashes[name] != pinned["hashes"][name]:
            raise RefusedError(_no_pyodide(place, f"{name} is of another version"))
    if missing := [name for name in _PACKAGES if name not in packages]:
        raise RefusedError(_no_pyodide(place, f"{missing[0]} is missing"))
    copied = [*_RUNTIME, *(each["file_name"] for each in packages.values())]
    size = sum((folder / name).stat().st_size for name in copied)
    lock |= {"packages": packages}
    return Pyodide(version, python, "pyodide/", hashes, lock, size, folder)


def _no_pyodide(place: str, problem: str) -> str:
    version = _pinned()["version"]
    return f"{place}: {problem} (expected a folder with Pyodide {version} and its numpy, or a URL)"


def write_site(folder: Path, site: Site, pyodide: Pyodide) -> None:
    """Write the folder of a site; replace one as a whole, and refuse to replace anything else."""
    check_folder(folder)
    own = _own_files(site, pyodide)
    temporary = folder.parent / f".{folder.name}.{uuid.uuid4().hex[:8]}"
    old = temporary.with_name(f"{temporary.name}.old")
    try:
        for name, content in own.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if pyodide.folder:
            (temporary / pyodide.address).mkdir()
            for name in _pyodide_names(pyodide):
                shutil.copyfile(pyodide.folder / name, temporary / pyodide.address / name)
        if folder.exists():
            folder.rename(old)
        temporary.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def check_folder(folder: Path) -> None:
    """Raise RefusedError if a folder, or a file, is in the way of a site."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    marked = folder / "site.js"
    if not marked.is_file() or not marked.read_bytes().startswith(_MARK):
        expected = "expected a new or empty folder, or the folder of a site"
        raise RefusedError(f"{folder} is in the way: it is no site of crisps24 ({expected})")


def _own_files(site: Site, pyodide: Pyodide) -> dict[str, bytes]:
    """Return the contents of all files but those of Pyodide, by their names."""
    settings = {"title": site.title, "language": site.language, "games": site.games}
    made, made_files = _made_pages(site, Tab(json.dumps(settings)))
    kept = {
        **dict(_static_files()),
        **made_files,
        "puzzles.html": _puzzle_file(site),
        "worker.js": _source("worker.js"),
        "shell.js": _source("shell.js"),
        "shell.css": _source("shell.css"),
        "lock.json": json.dumps(pyodide.lock).encode(),
    }
    kept["index.html"] = _shell(site, "./")
    late = {name: each for name, each in _LATE.items() if all(map(find_spec, each[0]))}
    archives = {"python.zip": _archive(("crisps24", *_LIBRARIES), pyodide)} | {
        name: _archive(libraries, pyodide, _INSTEAD_OF_PILLOW if name == "pdf.zip" else ())
        for name, (libraries, _) in late.items()
    }
    record = {
        "version": integrity_of(b"".join(kept.values()) + b"".join(archives.values()))[7:23],
        "site": settings,
        "policy": _worker_policy(pyodide),
        "files": {
            name: {
                "integrity": integrity_of(content),
                "size": len(content),
                "late": name in archives,
            }
            for name, content in (kept | archives).items()
        },
        "pyodide": {
            "version": pyodide.version,
            "address": pyodide.address,
            "hashes": {name: _hash_of(pyodide, name) for name in _pyodide_names(pyodide)},
            "size": pyodide.size,
            "packages": [*_PACKAGES],
        },
        # What a page needs besides.
        "needs": {
            path: {
                "archive": next((name for name in late if path in late[name][1]), ""),
                "packages": [
                    name
                    for name, paths in _OPTIONAL.items()
                    if path in paths and name in pyodide.lock["packages"]
                ],
            }
            for path in answering.PAGES
        },
        "limits": {path: requests.timeout_of(path) for path in answering.PAGES},
        "made": made,
        "languages": {
            language.name: {name: language.text(f"tab.{name}") for name in _TEXTS}
            for language in LANGUAGES.values()
        },
    }
    data = b"self.SITE = " + json.dumps(record).encode() + b";\n"
    shells = {
        f"{path[1:]}/index.html": _shell(site, "../") for path in answering.PAGES if path != "/"
    }
    own = {"site.js": _MARK + data, "service.js": data + _source("service.js")}
    return {**kept, **archives, **shells, **own}


def _made_pages(site: Site, tab: Tab) -> tuple[dict[str, dict[str, Any]], dict[str, bytes]]:
    """Return pages that need no Python: their replies by language and address, and their bodies."""
    made: dict[str, dict[str, Any]] = {}
    bodies: dict[str, bytes] = {}
    puzzle = start.page(Parameters({}, site=site))["play"]
    for language in [LANGUAGES[site.language]] if site.language else LANGUAGES.values():
        replies = made[language.name] = {}
        for name, address in (("start", "/"), ("play", puzzle)):
            path, _, query = address.partition("?")
            asked = json.dumps({"path": path, "query": query, "languages": language.name})
            status, headers, body = tab.reply(asked)
            file = f"made/{name}.{language.name}.html"
            bodies[file] = body
            replies[address] = {"status": status, "headers": headers, "file": file}
    return made, bodies


def _puzzle_file(site: Site) -> bytes:
    puzzles = deal(site.games[0], PUZZLES, seed=_SEED, rising=True)
    key = f"{daily_key(puzzles.game)} {_SEED}"
    records = puzzle_records(puzzles)
    return render_file(
        file_record(puzzles.game, records, key=key, title=site.title, language=site.language)
    )


def _static_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files for browsers of the pages and of the player, which share a folder."""
    for package in ("crisps24.pages", "crisps24.player"):
        folder = files(package)
        for file in (folder / "static" if package.endswith("pages") else folder).iterdir():
            if file.name.endswith((".css", ".js", ".svg")):
                yield f"static/{file.name}", file.read_bytes()


def _source(name: str) -> bytes:
    return files("crisps24.site").joinpath(name).read_bytes()


def _shell(site: Site, base: str) -> bytes:
    language = LANGUAGES[site.language or ENGLISH.name]
    values = {
        "language": language.name,
        "base": base,
        "title": site.title,
        "no_server": language.text("tab.no_server"),
        "puzzles": language.text("tab.puzzles"),
    }
    text = _source("shell.html").decode()
    return re.sub(r"\{(\w+)\}", lambda place: escape(values[place[1]]), text).encode()


def _worker_policy(pyodide: Pyodide) -> str:
    """Return the policy of the worker: it compiles WebAssembly, and can load Pyodide elsewhere."""
    parts = urlsplit(pyodide.address)
    sources = f"'self' {parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"
    return f"default-src 'none'; script-src {sources} 'wasm-unsafe-eval'; connect-src {sources}"


def _pyodide_names(pyodide: Pyodide) -> list[str]:
    return [*_RUNTIME, *(each["file_name"] for each in pyodide.lock["packages"].values())]


def _hash_of(pyodide: Pyodide, name: str) -> str:
    if name in pyodide.hashes:
        return pyodide.hashes[name]
    packages = pyodide.lock["packages"].values()
    digest: str = next(each["sha256"] for each in packages if each["file_name"] == name)
    return integrity_text(bytes.fromhex(digest))


def _archive(names: Sequence[str], pyodide: Pyodide, empty: Sequence[str] = ()) -> bytes:
    """Return modules and their licences as a zip file, compiled if Pyodide reads that."""
    buffer = BytesIO()
    with TemporaryDirectory() as temporary, ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        folder = Path(temporary)
        for name, content in (dict.fromkeys(empty, b"") | dict(_modules(names))).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        if can_compile(pyodide):
            _compile(folder)
        for path in sorted(folder.rglob("*")):
            is_source = path.suffix == ".py" and path.with_suffix(".pyc").exists()
            if path.is_file() and not is_source:
                # The same files make the same archive: it has no times.
                place = ZipInfo(path.relative_to(folder).as_posix())
                archive.writestr(place, path.read_bytes(), ZIP_DEFLATED, 9)
    return buffer.getvalue()


def _compile(folder: Path) -> None:
    # Nothing reads docstrings, or the columns of a traceback, which are a third of a module.
    options = ("-OO", "-X", "no_debug_ranges", "-m", "compileall", "-q", "-b", "-s", str(folder))
    command = [sys.executable, *options, "--invalidation-mode", "unchecked-hash", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def can_compile(pyodide: Pyodide) -> bool:
    """Return whether this Python compiles modules for Pyodide, which then starts faster."""
    return list(sys.version_info[:2]) == [int(part) for part in pyodide.python.split(".")[:2]]


def _modules(names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise RefusedError(f'site needs {name}, which is missing: pip install "crisps24[web]"')
        origin = Path(spec.origin)
        if not spec.submodule_search_locations:
            yield origin.name, origin.read_bytes()
        else:
            for path in origin.parent.rglob("*"):
                place = path.relative_to(origin.parent).as_posix()
                is_left_out = "__pycache__" in place or place.endswith(".pyc")
                if path.is_file() and not is_left_out and not _UNUSED.match(f"{name}/{place}"):
                    yield f"{name}/{place}", path.read_bytes()
        if name != "crisps24":
            for file in importlib.metadata.files(name) or ():
                if re.search("LICEN|COPYING|NOTICE", file.name.upper()):
                    yield f"licences/{name}/{file.name}", Path(str(file.locate())).read_bytes()
