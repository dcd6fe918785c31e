"""The command `serve`: its output, the calls and requests that it refuses, and how it stops.

Each server takes a second to start; the one that opens a browser starts a second program.
"""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click
import pytest
import uvicorn

from crisps24.cli import serving
from crisps24.cli.serving import _own_hosts
from crisps24.web.connections import MAX_CONNECTIONS, MAX_CONNECTIONS_PER_CLIENT, REQUEST_TIMEOUT
from tests.commands import Run
from tests.sampling import EVERY, in_one_test, some
from tests.tables import cells_of
from tests.waiting import wait_until
from tests.web import hostile
from tests.web.served import run_server
from tests.web.wire import RawConnection, descendants


@pytest.mark.parametrize("number", [*some([signal.SIGTERM, signal.SIGINT], 1), signal.SIGKILL])
def test_signal_stops_the_server_and_its_processes(number: signal.Signals) -> None:
    with run_server("--workers", "2") as (address, process):
        assert status_of(f"{address}/health") == 200
        children = descendants(process.pid)
        assert len(children) > 2
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
        if number is not signal.SIGKILL:
            assert (process.returncode, out, err) == (128 + number, "", "crisps24: stopped\n")
        wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


Running = tuple[str, "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """Yield a server for many tests; it must keep running and print no errors."""
    with run_server("--workers", "2") as (address, process):
        yield address, process
        process.terminate()
        assert process.communicate(timeout=120)[1] == "crisps24: stopped\n"


def test_worker_processes_block_the_signals_of_a_terminal(running: Running) -> None:
    folders = [Path(f"/proc/{child}") for child in descendants(running[1].pid)]
    workers = [folder for folder in folders if "spawn_main" in (folder / "cmdline").read_text()]
    masks = [re.findall(r"SigBlk:\s+(\w+)", (folder / "status").read_text()) for folder in workers]
    both = 1 << signal.SIGINT - 1 | 1 << signal.SIGHUP - 1
    assert [int(mask, 16) & both for [mask] in masks] == [both, both]


# A server with a slow reply function, which waits for open requests for one second when it stops.
SERVER_WITH_SLOW_REPLIES = f"""
import sys
from functools import partial
from crisps24.cli import serving
from crisps24.cli.program import main
from crisps24.web import application as module
sys.path.append({str(Path(__file__).parents[2])!r})
module.make_application = partial(module.make_application, function="tests.web.slow:reply_slowly")
serving._SHUTDOWN_SECONDS = 1
sys.exit(main(sys.argv[1:]))
"""


def status_of(target: str, **headers: str) -> int:
    """Return the status of a response; 0 without one."""
    try:
        with urllib.request.urlopen(urllib.request.Request(target, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def is_refused(address: str) -> bool:
    host, port = address.removeprefix("http://").split(":")
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) != 0


@pytest.mark.parametrize(
    ("number", "times"),
    some([(signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGINT, 1), (signal.SIGHUP, 1)], 2),
)
def test_signal_during_requests_stops_the_server_with_one_line(
    number: signal.Signals, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILE_OF_SLOW_REPLIES", str(tmp_path / "started"))
    server = run_server("--workers", "1", program=("-c", SERVER_WITH_SLOW_REPLIES))
    with server as (address, process), ThreadPoolExecutor(8) as threads:
        requests = [threads.submit(status_of, f"{address}/play?60") for _ in range(8)]
        wait_until((tmp_path / "started").exists)
        process.send_signal(number)
        if times == 2:
            # The server stops: it has closed the socket that it listens to.
            wait_until(lambda: is_refused(address))
            process.send_signal(number)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (128 + number, "", "crisps24: stopped\n")
        assert {request.result() for request in requests} <= {0, 503}


def test_ignored_hangup_signal_does_not_stop_the_server() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with run_server("--workers", "1") as (address, process):
            process.send_signal(signal.SIGHUP)
            assert [status_of(f"{address}/health") for _ in range(3)] == [200] * 3
    finally:
        signal.signal(signal.SIGHUP, before)


def test_server_stops_if_its_output_is_closed() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "crisps24", "serve", "--port", "0", "--workers", "1"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@in_one_test(("options", "said"), *cells_of("web/refused.txt"))
def test_invalid_argument_is_refused_with_one_line(
    run: Run, taken_port: int, options: str, said: str
) -> None:
    ran = run(f"serve {options}".replace("TAKEN", str(taken_port)))
    is_said = said.replace("TAKEN", str(taken_port)) in ran.err
    assert (ran.status, is_said, ran.err.count("\n")) == (2, True, 1)


def test_host_option_allows_other_machines_and_prints_their_addresses() -> None:
    options = ("--host", "0.0.0.0", "--allow-host", "maths.example", "--workers", "1")
    with run_server(*options) as (address, process):
        assert address.startswith("http://127.0.0.1:")
        name = socket.gethostname()
        own = (name, name.upper(), f"{name.partition('.')[0]}.local:8024")
        for host in ("192.168.1.7", "maths.example", *own):
            assert status_of(f"{address}/health", host=host) == 200
        for host in ("evil.example", f"{name}.evil.example"):
            assert status_of(f"{address}/health", host=host) == 421
        process.terminate()
        err = process.communicate(timeout=120)[1]
    shown = re.findall(r"http://([0-9.]+):([0-9]+)/", err)
    assert err.startswith("crisps24: other machines on the network can open ")
    assert "0.0.0.0" not in err
    assert [host for host, _ in shown] == [*dict.fromkeys(_own_hosts(socket.AF_INET))]
    assert {port for _, port in shown} <= {address.rsplit(":", 1)[1]}


def test_own_addresses_are_local_and_need_no_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getfqdn"):
        monkeypatch.setattr(socket, name, None)
    for family in (socket.AF_INET, socket.AF_INET6):
        for address in _own_hosts(family):
            assert not ip_address(address).is_loopback
            with socket.socket(family) as bound:
                # Only an address of this machine can be bound.
                bound.bind((address, 0))


@in_one_test(
    ("host", "own", "others"),
    ("127.0.0.1", "127.0.0.1", ["127.0.0.1"]),
    ("0.0.0.0", "127.0.0.1", ["192.168.1.7"]),
    ("::", "127.0.0.1", ["192.168.1.7", "[fd00::7]"]),
    ("::1", "[::1]", ["[::1]"]),
)
def test_printed_addresses_are_never_unspecified(
    monkeypatch: pytest.MonkeyPatch, host: str, own: str, others: list[str]
) -> None:
    addresses = {socket.AF_INET: ["192.168.1.7"], socket.AF_INET6: ["fd00::7"]}
    monkeypatch.setattr(serving, "_own_hosts", addresses.__getitem__)
    try:
        listener = serving._open_listener(host, 0)
    except click.UsageError:
        # This machine cannot listen there.
        assert ":" in host
        return
    with listener:
        port = listener.getsockname()[1]
        assert serving._own_address(listener) == f"http://{own}:{port}"
        expected = [f"http://{other}:{port}" for other in others]
        assert serving._addresses_for_others(listener) == expected


BOTH_LENGTHS = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
LOCAL = b" HTTP/1.1\r\nHost: localhost\r\n"


@in_one_test(
    ("head", "status", "closes"),
    (b"GET /" + LOCAL + BOTH_LENGTHS, 413, True),
    (b"POST /" + LOCAL + BOTH_LENGTHS, 405, True),
    (b"GET / HTTP/1.1\r\nHost: evil.example\r\n" + BOTH_LENGTHS, 421, True),
    (b"GET /" + LOCAL + b"Transfer-Encoding: chunked\r\n", 413, False),
    (b"GET /health" + LOCAL + b"Content-Length: 0\r\n", 200, False),
    (b"GET /health" + LOCAL, 200, False),
)
def test_request_with_two_lengths_closes_the_connection(
    running: Running, head: bytes, status: int, closes: bool
) -> None:
    host, port = running[0].removeprefix("http://").split(":")
    # A proxy can have read these bytes as a body, so the server must not reply to them.
    smuggled = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    data = b""
    with socket.create_connection((host, int(port)), timeout=30) as client:
        client.sendall(head + b"\r\n" + (b"0\r\n\r\n" if b"chunked" in head else b"") + smuggled)
        while (closes or data.count(b"HTTP/1.1 ") < 2) and (chunk := client.recv(65536)):
            data += chunk
    assert data.startswith(b"HTTP/1.1 %d" % status)
    assert (b"connection: close" in data) == closes
    assert data.count(b"HTTP/1.1 ") == (1 if closes else 2)


def test_invalid_http_is_refused_and_the_next_request_succeeds(running: Running) -> None:
    async def statuses() -> tuple[int, int, int]:
        connection = RawConnection(running[0])
        invalid = await connection.send(b"GARBAGE\r\n\r\n")
        long = await connection.send(b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n")
        valid = await connection.get("/health")
        connection.close()
        return invalid.status, long.status, valid.status

    # A client that is still sending when it is disconnected can lose the response.
    assert asyncio.run(statuses()) in ((400, 400, 200), (400, 0, 200))


def test_help_states_the_limits_of_connections(run: Run) -> None:
    text = " ".join(run("serve --help").out.split())
    for limit in (
        *(f"{MAX_CONNECTIONS} connections", f"{REQUEST_TIMEOUT:g} seconds to send a request"),
        f"{MAX_CONNECTIONS_PER_CLIENT} per address of other machines",
    ):
        assert limit in text


def test_hostile_requests_are_refused_and_the_server_keeps_running(running: Running) -> None:
    report = asyncio.run(hostile.campaign(running[0], count=8_000 if EVERY else 200, seed=24))
    assert report.wrong == []
    assert {200, 400, 404, 405, 413, 414, 421, 422} <= {*map(int, report.kinds)}


def test_open_option_opens_a_browser(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)

    async def start(config: uvicorn.Config) -> None:
        application: Any = config.app
        async with application.router.lifespan_context(application):
            pass

    monkeypatch.setattr("uvicorn.Server.run", lambda self, **_: asyncio.run(start(self.config)))
    # This test needs no worker processes.
    monkeypatch.setattr("crisps24.web.work.WorkerPool.running", lambda _: nullcontext())
    assert (run("serve --port 0 --workers 1").status, opened) == (0, [])
    ran = run("serve --port 0 --workers 1 --open")
    assert (ran.status, ran.out) == (0, f"{opened[0]} (Ctrl-C ends it)\n")
