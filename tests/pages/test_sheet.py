"""The page of a sheet: its preview, its PDF, and its command."""

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.commands import Run
from tests.sampling import in_one_test, some

SHEETS = [
    "game=cards&seed=7&count=6",
    "game=cards&seed=7&count=3&rising=yes&paper=letter",
    "game=countdown&seed=5&count=2&large=2&no_key=yes&name_line=yes&per_page=4&title="
    "Mme O'Hara's \"5b\" %26 --co",
    "game=crisps&seed=1&count=2&operators=-%2B&cut_lines=yes",
    "game=numble&seed=1&count=3&targets=1..9&trivial=yes",
    "game=cards&seed=1&count=3&numbers=1..99",
    "game=cards&seed=1&mix=1,1,1,0,0&backs=answer&faces=yes",
    "game=cards&seed=1&count=2&versions=3&backs=target",
]


@pytest.mark.usefixtures("_reportlab")
@in_one_test("query", *some(SHEETS, 6))
def test_command_of_a_sheet_writes_the_same_pdf(client: TestClient, run: Run, query: str) -> None:
    page = client.get(f"/sheet?{query}").text
    [command, _] = re.findall(r"command line<br><code>(.*?)</code>", page)
    program, line = unescape(command).split(" ", 1)
    assert (program, run(line).status) == ("crisps24", 0)
    assert Path("sheet.pdf").read_bytes() == client.get(f"/sheet.pdf?{query}").content
