"""What is published: the picture of the README, and pages for all documents of the site."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent
_GITHUB = _ROOT / ".github"
pytestmark = pytest.mark.skipif(not _GITHUB.exists(), reason="only the repository has .github")


def test_the_picture_shows_what_the_call_prints() -> None:
    command = [sys.executable, str(_GITHUB / "screen.py")]
    call = subprocess.run(command, capture_output=True, text=True, check=True, cwd=_ROOT)
    assert (_GITHUB / "solve.svg").read_text(encoding="utf-8") == call.stdout


def test_the_site_has_every_guide() -> None:
    pages = set(re.findall(r": ([a-z]+\.md)$", (_GITHUB / "mkdocs.yml").read_text(), re.MULTILINE))
    assert {path.name for path in (_ROOT / "crisps24" / "docs").glob("*.md")} <= pages


def test_actions_are_pinned_by_hash() -> None:
    for path in (_GITHUB / "workflows").glob("*.yml"):
        for use in re.findall(r"uses: (.*)", path.read_text()):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use
