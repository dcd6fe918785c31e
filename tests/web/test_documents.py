"""Run every example of the guides for hosting and for programs with a server.

`CRISPS24_UPDATE_README=1 pytest tests/web/test_documents.py` updates the replies.
"""

import os
import re
import shlex
import urllib.request
from collections.abc import Iterator

import pytest

from crisps24.cli.serving import serve
from crisps24.pages import requests
from crisps24.web import connections, work
from tests.documents import GUIDES
from tests.web.served import run_server

PROGRAMS, HOSTING = GUIDES / "programs.md", GUIDES / "hosting.md"


@pytest.fixture(scope="module")
def proxied_address() -> Iterator[str]:
    with run_server("--proxy", "127.0.0.1", "--workers", "1") as (address, _):
        yield address


def test_examples_for_programs_show_the_replies(proxied_address: str) -> None:
    text = PROGRAMS.read_text()

    def with_reply(example: re.Match[str]) -> str:
        words = shlex.split(example[1])
        assert words[0] == "curl"
        headers = [words[index + 1].split(": ") for index, word in enumerate(words) if word == "-H"]
        address = words[-1].replace("http://127.0.0.1:8024", proxied_address)
        request = urllib.request.Request(address, headers=dict(headers))
        try:
            reply = urllib.request.urlopen(request).read().decode()
        except urllib.error.HTTPError as error:
            reply = error.read().decode()
        return f"```sh\n{example[1]}\n```\n\n```json\n{reply}```"

    pattern = re.compile(r"^```sh\n([^\n]*)\n```\n\n```json\n.*?^```$", re.M | re.S)
    updated, count = re.subn(pattern, with_reply, text)
    assert count == 5
    if "CRISPS24_UPDATE_README" in os.environ:
        PROGRAMS.write_text(updated)
    assert updated == text


def test_commands_in_the_hosting_guide_are_valid() -> None:
    text = HOSTING.read_text()
    calls = re.findall(r"crisps24(?: serve)? (--[a-z].*?)(?:`|$)", text, re.M)
    assert len(calls) == 7
    for call in calls:
        serve.make_context("serve", shlex.split(call))


def test_hosting_guide_states_the_limits_of_the_server() -> None:
    table = HOSTING.read_text().partition("## Limits")[2]
    for name, limit in (
        *(("requests at once", work.MAX_REQUESTS), ("time for a reply", requests.REPLY_TIMEOUT)),
        ("connections", connections.MAX_CONNECTIONS),
        ("connections", connections.MAX_CONNECTIONS_PER_CLIENT),
        ("time to send a request", int(connections.REQUEST_TIMEOUT)),
        ("length of an address", requests.MAX_ADDRESS_LENGTH),
    ):
        [row] = re.findall(rf"^\| {name}.*$", table, re.M)
        assert re.search(rf"\b{limit:,}\b", row)
