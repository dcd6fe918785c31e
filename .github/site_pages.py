"""The pages of the site that are not guides, and links between all of them.

Only the links of the documents change: a link to a file of the repository becomes one to its page,
and a link to a file without a page becomes text.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

_ROOT = Path(__file__).resolve().parent.parent
_GUIDES = "crisps24/docs"
# A file of the repository to its place in the site.
_PLACES = {
    "README.md": "index.md",
    "results/README.md": "results.md",
    "tests/benchmarks/README.md": "speed.md",
    "tests/difficulty/README.md": "levels.md",
    "crisps24/README.md": "architecture.md",
    "crisps24/CHANGES.md": "changes.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    ".github/SECURITY.md": "security.md",
    ".github/card.svg": "card.svg",
    ".github/page.png": "page.png",
    ".github/phone.png": "phone.png",
    ".github/solve.svg": "solve.svg",
}
_SOURCES = {place: source for source, place in _PLACES.items()}
_LINK = re.compile(
    r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)|(?<=src=\")([^\":]+)(?=\")"
)


def on_files(files: Any, *, config: Any) -> Any:
    """Add the files of the repository that are not among the guides."""
    for source, place in _PLACES.items():
        content = (_ROOT / source).read_bytes()
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Replace the links of a page to files of the repository."""
    place = page.file.src_uri
    folder = posixpath.dirname(_SOURCES.get(place, f"{_GUIDES}/{place}"))

    def replace(link: re.Match[str]) -> str:
        sign, text, path, anchor, picture = link.groups()
        source = posixpath.normpath(posixpath.join(folder, path or picture))
        name = posixpath.basename(source)
        known = _PLACES.get(source, name if source == f"{_GUIDES}/{name}" else "")
        if picture:
            # A page of the site is a folder, and Start is at the top.
            return known if place == "index.md" else f"../{known}"
        return f"{sign}[{text}]({known}{anchor or ''})" if known else text

    return _LINK.sub(replace, markdown)
