"""The page of a sheet: its preview, its PDF, and its command."""

import re
import shlex
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from crisps24.cli.program import main
from tests.pages.test_pages import get_page
from tests.sampling import in_one_test, some

SHEETS = [
    {"game": "cards", "seed": "7", "count": "6"},
    {"game": "cards", "seed": "7", "count": "3", "rising": "yes", "paper": "letter"},
    {
        **{"game": "countdown", "seed": "5", "count": "2", "large": "2", "no_key": "yes"},
        **{"title": "Mme O'Hara's \"5b\" & --co", "name_line": "yes", "per_page": "4"},
    },
    {"game": "crisps", "seed": "1", "count": "2", "operators": "-+", "cut_lines": "yes"},
    {"game": "numble", "seed": "1", "count": "3", "targets": "1..9", "trivial": "yes"},
    {"game": "cards", "seed": "1", "count": "3", "numbers": "1..99"},
    {"game": "cards", "seed": "1", "mix": "1,1,1,0,0", "backs": "answer", "faces": "yes"},
    {"game": "cards", "seed": "1", "count": "2", "versions": "3", "backs": "target"},
]


@in_one_test("parameters", *some(SHEETS, 6))
def test_command_of_a_sheet_writes_the_same_pdf(
    client: TestClient, parameters: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    page = get_page(client, "/sheet", **parameters)
    [command, _] = re.findall(r"command line<br><code>(.*?)</code>", page)
    program, *arguments = shlex.split(unescape(command))
    assert program == "crisps24"
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 0
    written = (tmp_path / "sheet.pdf").read_bytes()
    assert written == client.get("/sheet.pdf", params=parameters).content
