"""The command that serves: what it says, what it refuses, and how it ends."""

import asyncio
import html
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click
import pytest

from crisps24.cli import serving
from crisps24.cli.program import main
from crisps24.cli.serving import _own_addresses

pytest.importorskip("uvicorn", reason="the pages need the extra `web`")
pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

import uvicorn

from crisps24.web.connections import MAX_CONNECTIONS, MAX_CONNECTIONS_PER_CLIENT, REQUEST_TIMEOUT
from tests.web import hostile, load
from tests.web.served import served
from tests.web.wire import RawConnection, descendants_of


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_its_processes(number: signal.Signals) -> None:
    with served("--workers", "2") as (address, running):
        with urllib.request.urlopen(f"{address}/health", timeout=30) as answer:
            assert answer.status == 200
        began = descendants_of(running.pid)
        assert len(began) > 2
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
        assert (running.returncode, out, err) == (128 + number, "", "crisps24: stopped\n")
        until = time.monotonic() + 10
        while any(Path(f"/proc/{each}").exists() for each in began):
            assert time.monotonic() < until
            time.sleep(0.05)


Running = tuple[str, "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """Give a server that goes on whatever it is asked, and says nothing of it."""
    with served("--workers", "2") as (address, process):
        yield address, process
        process.terminate()
        assert process.communicate(timeout=30)[1] == "crisps24: stopped\n"


@pytest.fixture
def shared(running: Running) -> str:
    return running[0]


def test_terminal_signals_are_blocked_in_workers(
    running: Running,
) -> None:
    folders = [Path(f"/proc/{each}") for each in descendants_of(running[1].pid)]
    workers = [each for each in folders if "spawn_main" in (each / "cmdline").read_text()]
    told = [re.findall(r"SigBlk:\s+(\w+)", (each / "status").read_text()) for each in workers]
    both = 1 << signal.SIGINT - 1 | 1 << signal.SIGHUP - 1
    assert [int(mask, 16) & both for [mask] in told] == [both, both]


# What takes longer than anybody who ends the program has to wait.
LONG = "/play?60"
# Who was asked before the end has half the time that he has otherwise, and sleeps over it.
HASTY = f"""
import sys
from functools import partial
from crisps24.cli import serving
from crisps24.cli.program import main
from crisps24.web import application as module
sys.path.append({str(Path(__file__).parents[2])!r})
module.make_application = partial(module.make_application, function="tests.web.slow:slowly")
serving._SHUTDOWN_SECONDS = 1
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("number", "times"),
    [(signal.SIGTERM, 2), (signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGHUP, 1)],
)
def test_a_signal_during_replies_prints_one_line(number: signal.Signals, times: int) -> None:
    def status(target: str) -> int:
        with suppress(OSError), urllib.request.urlopen(target, timeout=30) as answer:
            return int(answer.status)
        return 0

    hasty = served("--workers", "1", program=("-c", HASTY))
    with hasty as (address, running), ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(status, address + LONG) for _ in range(8)]
        time.sleep(0.5)
        for _ in range(times):
            running.send_signal(number)
            time.sleep(0.2)
        out, err = running.communicate(timeout=30)
        assert (running.returncode, out, err) == (128 + number, "", "crisps24: stopped\n")
        assert {each.result() for each in asked} == {0}


def test_an_ignored_hangup_does_not_end_the_server() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with served("--workers", "1") as (address, running):
            running.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            urllib.request.urlopen(f"{address}/health", timeout=30).close()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_workers_end_when_the_server_is_killed() -> None:
    with served("--workers", "1") as (address, running):
        urllib.request.urlopen(f"{address}/health", timeout=30).close()
        began = descendants_of(running.pid)
        running.kill()
        running.communicate(timeout=30)
        until = time.monotonic() + 10
        while any(Path(f"/proc/{each}").exists() for each in began):
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_closed_output_ends_the_server() -> None:
    command = f"{shlex.quote(sys.executable)} -m crisps24 serve --port 0 --workers 1 | true"
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (141, "")


def test_a_port_in_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    told = capsys.readouterr().err
    assert f"--port: {port} on 127.0.0.1 is in use" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "no such name"], "is not an address of this machine"),
        (["--host", "192.0.2.1"], "--host: 192.0.2.1"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--port", "http"], "not a valid integer"),
        (["--allow-host", "a b"], "--allow-host: invalid host name 'a b'"),
        (["--proxy", "proxy.example"], "invalid network 'proxy.example' (expected an address"),
        (["--root-path", "crisps"], "--root-path: invalid root 'crisps' (expected a path"),
    ],
)
def test_invalid_options_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["serve", *words]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


def test_a_missing_extra_is_reported_with_its_install_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err == (
        'crisps24: serve needs starlette, which is missing: pip install "crisps24[web]"\n'
    )


def test_other_machines_are_allowed_by_an_option() -> None:
    with served("--host", "0.0.0.0", "--allow-host", "maths.example", "--workers", "1") as (
        place,
        running,
    ):
        assert place.startswith("http://127.0.0.1:")

        def status(host: str) -> int:
            asked = urllib.request.Request(f"{place}/health", headers={"Host": host})
            try:
                with urllib.request.urlopen(asked, timeout=30) as answer:
                    return int(answer.status)
            except urllib.error.HTTPError as error:
                return error.code

        name = socket.gethostname()
        own = (name, name.upper(), f"{name.partition('.')[0]}.local:8024")
        hosts = ("192.168.1.7", "maths.example", "evil.example", f"{name}.evil.example", *own)
        assert [status(host) for host in hosts] == [200, 200, 421, 421, 200, 200, 200]
        running.terminate()
        err = running.communicate(timeout=30)[1]
    shown = re.findall(r"http://([0-9.]+):([0-9]+)/", err)
    assert err.startswith("crisps24: other machines on the network can open ")
    assert "0.0.0.0" not in err
    assert [host for host, _ in shown] == _own_addresses(socket.AF_INET)
    assert {port for _, port in shown} <= {place.rsplit(":", 1)[1]}


def test_local_addresses_need_no_name_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getfqdn"):
        monkeypatch.setattr(socket, name, None)
    for family in (socket.AF_INET, socket.AF_INET6):
        for address in _own_addresses(family):
            assert not ip_address(address).is_loopback
            with socket.socket(family) as one:
                # Only an address of this machine can be bound.
                one.bind((address, 0))


@pytest.mark.parametrize(
    ("host", "own", "others"),
    [
        ("127.0.0.1", "127.0.0.1", ["127.0.0.1"]),
        ("0.0.0.0", "127.0.0.1", ["192.168.1.7"]),
        ("::", "127.0.0.1", ["192.168.1.7", "[fd00::7]"]),
        ("::1", "[::1]", ["[::1]"]),
    ],
)
def test_shown_addresses_are_never_unspecified(
    monkeypatch: pytest.MonkeyPatch, host: str, own: str, others: list[str]
) -> None:
    addresses = {socket.AF_INET: ["192.168.1.7"], socket.AF_INET6: ["fd00::7"]}
    monkeypatch.setattr(serving, "_own_addresses", addresses.__getitem__)
    try:
        listening = serving._open_listener(host, 0)
    except click.UsageError:
        pytest.skip(f"this machine cannot listen on {host}")
    with listening:
        port = listening.getsockname()[1]
        assert serving._address_of(listening) == f"http://{own}:{port}"
        expected = [f"http://{each}:{port}" for each in others]
        assert serving._addresses_for_others(listening) == expected


def test_an_unknown_host_is_refused_with_the_option_that_allows_it(
    shared: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async def heard(host: str) -> str:
        line = RawConnection(shared)
        request = f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"
        found = await line.ask(request.encode())
        line.close()
        assert found.status == 421
        return html.unescape(found.body.decode())

    for host, name in (("games.home.arpa:8024", "games.home.arpa"), ("[fd00::7]", "fd00::7")):
        assert f"crisps24 serve --allow-host {name}" in asyncio.run(heard(host))
        # Names are checked before the root path, which is refused.
        assert main(["serve", "--allow-host", name, "--root-path", "x"]) == 2
        assert "--root-path" in capsys.readouterr().err
    told = asyncio.run(heard("<script>x"))
    assert "crisps24 serve --allow-host NAME" in told
    assert "<script>x" not in told


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("{own}/health", "localhost", 200),
        ("HTTP://LOCALHOST:8024/health", "evil.example", 200),
        ("https://localhost/health", "localhost", 200),
        ("{own}/static/style.css?x=1", "localhost", 200),
        ("{own}", "localhost", 200),
        ("{own}/nothing", "localhost", 404),
        ("http://evil.example/health", "localhost", 421),
        ("http:///health", "localhost", 421),
        ("http://user@localhost/health", "localhost", 421),
        ("ftp://localhost/health", "localhost", 404),
        ("/http://localhost/health", "localhost", 404),
    ],
)
def test_an_absolute_address_gets_the_reply_of_its_path(
    shared: str, target: str, host: str, status: int
) -> None:
    async def heard() -> int:
        line = RawConnection(shared)
        request = f"GET {target.format(own=shared)} HTTP/1.1\r\nHost: {host}\r\n\r\n"
        found = await line.ask(request.encode())
        line.close()
        return found.status

    assert asyncio.run(heard()) == status


BOTH = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    ("head", "status", "closes"),
    [
        (f"GET / HTTP/1.1\r\nHost: localhost\r\n{BOTH}", 413, True),
        (f"POST / HTTP/1.1\r\nHost: localhost\r\n{BOTH}", 405, True),
        (f"GET / HTTP/1.1\r\nHost: evil.example\r\n{BOTH}", 421, True),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n", 413, False),
        ("GET /health HTTP/1.1\r\nHost: localhost\r\n", 200, False),
    ],
)
def test_a_request_with_two_lengths_closes_the_connection(
    shared: str, head: str, status: int, closes: bool
) -> None:
    body = b"0\r\n\r\n" if "chunked" in head else b""
    # What a proxy took for a body must not be answered as a request.
    smuggled = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    async def heard() -> bytes:
        host, port = shared.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode() + b"\r\n" + body + smuggled)
        try:
            async with asyncio.timeout(30):
                found = b""
                while part := await reader.read(65536):
                    found += part
                    if not closes and found.count(b"HTTP/1.1 ") == 2:
                        break
                return found
        finally:
            writer.transport.abort()

    found = asyncio.run(heard())
    assert found.startswith(b"HTTP/1.1 %d" % status)
    assert (b"connection: close" in found) == closes
    assert found.count(b"HTTP/1.1 ") == (1 if closes else 2)


def test_help_imports_no_server() -> None:
    code = (
        "import sys; from crisps24.cli.program import main; main(['serve', '--help']); "
        "sys.exit(any(name in sys.modules for name in ('starlette', 'jinja2', 'numpy', 'uvicorn')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_invalid_http_is_refused_and_the_next_request_succeeds(shared: str) -> None:
    async def heard(address: str) -> list[int]:
        line = RawConnection(address)
        found = [
            await line.ask(b"GARBAGE\r\n\r\n"),
            await line.ask(b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n"),
            await line.get("/health"),
        ]
        line.close()
        return [each.status for each in found]

    no_http, too_long, well = asyncio.run(heard(shared))
    assert (no_http, well) == (400, 200)
    # Who is still sending when it is hung up on may lose the answer.
    assert too_long in (400, 0)


def test_help_shows_the_limits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serve", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"{MAX_CONNECTIONS} connections" in told
    assert f"{MAX_CONNECTIONS_PER_CLIENT} per address of other machines" in told
    assert f"{REQUEST_TIMEOUT:g} seconds to send a request" in told


def test_connections_over_the_limit_are_disconnected(shared: str) -> None:
    with ExitStack() as stack:
        place = ("127.0.0.1", int(shared.rsplit(":", 1)[1]))
        for _ in range(MAX_CONNECTIONS):
            stack.enter_context(socket.create_connection(place))
        one_more = stack.enter_context(socket.create_connection(place, timeout=30))
        with suppress(ConnectionError):
            assert one_more.recv(1) == b""


def test_many_requests_succeed_at_once(shared: str) -> None:
    report = asyncio.run(load.run(shared, clients=20, seconds=1, seed=1))
    # A machine that is busy with other things may say that it is: nothing else goes wrong.
    assert 200 in report.statuses
    assert set(report.statuses) <= {200, 429}
    assert len(report.seconds) >= 10
    assert set(report.kinds) == {"play", "solve", "check"}


def test_malicious_requests_are_refused(running: Running) -> None:
    report = asyncio.run(hostile.campaign(*running, count=200, seed=24))
    assert report.wrong == []
    assert {200, 400, 404, 405, 413, 414, 421, 422} <= set(report.kinds)


def test_a_browser_opens_with_the_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)

    async def begin(config: uvicorn.Config) -> None:
        application: Any = config.app
        async with application.router.lifespan_context(application):
            pass

    monkeypatch.setattr("uvicorn.Server.run", lambda self, **_: asyncio.run(begin(self.config)))
    # What is opened needs nobody who answers.
    monkeypatch.setattr("crisps24.web.work.WorkerPool.running", lambda _: nullcontext())
    assert main(["serve", "--port", "0", "--workers", "1"]) == 0
    assert opened == []
    capsys.readouterr()
    assert main(["serve", "--port", "0", "--workers", "1", "--open"]) == 0
    assert f"{opened[0]} (Ctrl-C ends it)\n" == capsys.readouterr().out
