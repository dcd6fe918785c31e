"""Run every example of the guides for hosting and for programs with a server.

`CRISPS24_UPDATE_README=1 pytest tests/web/test_documents.py` updates the replies.
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
from tests.documents import GUIDES, blocks
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
    rows = {
        "requests at once": [work.MAX_REQUESTS],
        "time for a reply": [work.REPLY_TIMEOUT],
        "connections": [connections.MAX_CONNECTIONS, connections.MAX_CONNECTIONS_PER_CLIENT],
        "time to send a request": [int(connections.REQUEST_TIMEOUT)],
        "length of an address": [guards.MAX_ADDRESS_LENGTH],
    }
    for name, limits in rows.items():
        [row] = re.findall(rf"^\| {name}.*$", table, re.M)
        numbers = [int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", row)]
        assert set(limits) <= set(numbers)


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
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
def run_proxy(command: list[str], port: int) -> Iterator[str]:
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


def follow_links(address: str) -> None:
    page = urllib.request.urlopen(f"{address}/crisps/").read().decode()
    links = set(re.findall(r'\s(?:href|src|action)="(/[^"#]*)"', page))
    assert {"/crisps/play", "/crisps/static/style.css"} <= links
    for link in links:
        url = address + link.replace("&amp;", "&")
        assert link.startswith("/crisps/")
        response = urllib.request.urlopen(url)
        # Redirects stay under /crisps.
        assert response.url.startswith(f"{address}/crisps/")
    rows = urllib.request.urlopen(f"{address}/crisps/deal.json?game=cards&count=3").read()
    assert rows.count(b'"id"') == 3


@contextmanager
def run_nginx(example: int, address: str, folder: Path) -> Iterator[str]:
    """Run nginx in front of a server, with an example of the guide; yield its address."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    locations = blocks(HOSTING, "nginx")[example].replace("http://127.0.0.1:8024", address)
    port, user = free_port(), "root" if os.getuid() == 0 else "nobody"
    configuration = NGINX.format(folder=folder, port=port, locations=locations, user=user)
    (folder / "nginx.conf").write_text(configuration)
    with run_proxy([program, "-p", str(folder), "-c", str(folder / "nginx.conf")], port) as proxy:
        yield proxy


def test_pages_under_a_path_of_nginx_and_root_path(tmp_path: Path) -> None:
    server = run_server("--root-path", "/crisps", "--workers", "1")
    with server as (address, _), run_nginx(0, address.removesuffix("/crisps"), tmp_path) as proxy:
        follow_links(proxy)


def test_pages_under_a_path_that_nginx_sends(proxied_address: str, tmp_path: Path) -> None:
    with run_nginx(1, proxied_address, tmp_path) as proxy:
        follow_links(proxy)


def test_pages_under_a_path_of_caddy(proxied_address: str, tmp_path: Path) -> None:
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed")
    port = free_port()
    [configuration] = blocks(HOSTING, "caddy")
    configuration = configuration.replace("127.0.0.1:8024", proxied_address.removeprefix("http://"))
    configuration = configuration.replace("example.org", f"http://127.0.0.1:{port}")
    (tmp_path / "Caddyfile").write_text("{\n admin off\n}\n" + configuration)
    command = [caddy, "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    with run_proxy(command, port) as proxy:
        follow_links(proxy)
