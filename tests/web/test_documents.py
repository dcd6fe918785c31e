"""The guides for hosting and for programs: every example runs with a server.

`CRISPS24_UPDATE_README=1 pytest tests/web/test_documents.py` writes what is answered now.
"""

import os
import re
import shlex
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.cli.serving import serve
from crisps24.web import connections, guards, work
from tests.documents import GUIDES, TOP, blocks
from tests.web.served import served

PROGRAMS, HOSTING = GUIDES / "programs.md", GUIDES / "hosting.md"


@pytest.fixture(scope="module")
def behind() -> Iterator[str]:
    """Give the address of a server that believes a proxy of this machine."""
    with served("--proxy", "127.0.0.1", "--workers", "1") as (address, _):
        yield address


def test_replies_to_programs_are_as_documented(behind: str) -> None:
    text = PROGRAMS.read_text()

    def answered(found: re.Match[str]) -> str:
        words = shlex.split(found[1])
        assert words[0] == "curl"
        headers = [words[at + 1].split(": ") for at, word in enumerate(words) if word == "-H"]
        place = words[-1].replace("http://127.0.0.1:8024", behind)
        asked = urllib.request.Request(place, headers=dict(headers))
        try:
            told = urllib.request.urlopen(asked).read().decode()
        except urllib.error.HTTPError as error:
            told = error.read().decode()
        return f"```sh\n{found[1]}\n```\n\n```json\n{told}```"

    example = re.compile(r"^```sh\n([^\n]*)\n```\n\n```json\n.*?^```$", re.M | re.S)
    now, many = re.subn(example, answered, text)
    assert many == 5
    if "CRISPS24_UPDATE_README" in os.environ:
        PROGRAMS.write_text(now)
    assert now == text


def test_documented_commands_of_hosting_are_valid() -> None:
    text = HOSTING.read_text()
    calls = re.findall(r"crisps24(?: serve)? (--[a-z].*?)(?:`|$)", text, re.M)
    assert len(calls) == 7
    for call in calls:
        serve.make_context("serve", shlex.split(call))


def test_documented_limits_are_those_of_the_server() -> None:
    table = HOSTING.read_text().partition("## Limits")[2]
    rows = {
        "requests at once": [work.MAX_REQUESTS],
        "time for a reply": [work.REPLY_TIMEOUT],
        "connections": [connections.MAX_CONNECTIONS, connections.MAX_CONNECTIONS_PER_CLIENT],
        "time to send a request": [int(connections.REQUEST_TIMEOUT)],
        "length of an address": [guards.MAX_ADDRESS_LENGTH],
    }
    for name, limits in rows.items():
        [row] = re.findall(rf"^\| {name}.*$", table, re.M)
        numbers = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", row)]
        assert set(limits) <= set(numbers)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


NGINX = """
daemon off; pid {folder}/pid; error_log {folder}/error; worker_processes 1; user {user};
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; {locations} }}
}}
"""


@contextmanager
def running(command: list[str], port: int) -> Iterator[str]:
    """Give the address of a proxy while it runs."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as proxy:
        try:
            for _ in range(200):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            proxy.terminate()
            proxy.wait(30)


def walked(address: str) -> None:
    """Open the first page under /crisps, and all that it leads to."""
    page = urllib.request.urlopen(f"{address}/crisps/").read().decode()
    links = set(re.findall(r'\s(?:href|src|action)="(/[^"#]*)"', page))
    assert {"/crisps/play", "/crisps/static/style.css"} <= links
    for link in links:
        place = address + link.replace("&amp;", "&")
        assert link.startswith("/crisps/")
        found = urllib.request.urlopen(place)
        # Where it leads on, it stays beneath.
        assert found.url.startswith(f"{address}/crisps/")
    rows = urllib.request.urlopen(f"{address}/crisps/deal.json?game=cards&count=3").read()
    assert rows.count(b'"id"') == 3


@contextmanager
def nginx(place: int, address: str, folder: Path) -> Iterator[str]:
    """Give the address of nginx before a server, by the example in a place."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    locations = blocks(HOSTING, "nginx")[place].replace("http://127.0.0.1:8024", address)
    port, user = free_port(), "root" if os.getuid() == 0 else "nobody"
    told = NGINX.format(folder=folder, port=port, locations=locations, user=user)
    (folder / "nginx.conf").write_text(told)
    with running([program, "-p", str(folder), "-c", str(folder / "nginx.conf")], port) as proxy:
        yield proxy


def test_nginx_serves_under_a_path_given_by_an_option(tmp_path: Path) -> None:
    hung = served("--root-path", "/crisps", "--workers", "1")
    with hung as (address, _), nginx(0, address.removesuffix("/crisps"), tmp_path) as proxy:
        walked(proxy)


def test_nginx_serves_under_a_path_given_by_a_header(behind: str, tmp_path: Path) -> None:
    with nginx(1, behind, tmp_path) as proxy:
        walked(proxy)


def test_caddy_serves_under_a_path(behind: str, tmp_path: Path) -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed")
    port = free_port()
    [told] = blocks(HOSTING, "caddy")
    told = told.replace("127.0.0.1:8024", behind.removeprefix("http://"))
    told = told.replace("example.org", f"http://127.0.0.1:{port}")
    (tmp_path / "Caddyfile").write_text("{\n admin off\n}\n" + told)
    command = [caddy, "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    with running(command, port) as proxy:
        walked(proxy)


@pytest.mark.skipif("CRISPS24_CONTAINER" not in os.environ, reason="it downloads an image")
def test_the_container_builds_and_replies(tmp_path: Path) -> None:
    """With `CRISPS24_CONTAINER=podman`, or docker."""
    program = os.environ["CRISPS24_CONTAINER"]
    [told] = blocks(HOSTING, "dockerfile")
    (tmp_path / "Containerfile").write_text(told)
    build = [program, "build", "-f", str(tmp_path / "Containerfile"), "-t", "crisps24-tested", "."]
    subprocess.run(build, cwd=TOP, check=True)
    port = free_port()
    options = ["--rm", "--read-only", "--tmpfs", "/tmp", "-p", f"127.0.0.1:{port}:8024"]
    with running([program, "run", *options, "crisps24-tested"], port) as address:
        for _ in range(60):
            try:
                assert b'"ok"' in urllib.request.urlopen(f"{address}/health").read()
                return
            except OSError:
                time.sleep(1)
        raise AssertionError("it does not answer")
