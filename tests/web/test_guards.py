"""Refused requests, security headers, and worker processes that are slow, die or are too busy."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from multiprocessing import active_children
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from starlette.testclient import TestClient

from crisps24.pages.replies import PageReply
from crisps24.pages.requests import MAX_ADDRESS_LENGTH, MAX_BODY_BYTES
from crisps24.web.application import make_application
from crisps24.web.guards import ANY_ADDRESS, OWN_NAMES, host_of
from crisps24.web.work import BusyError, LostError, TooLongError, WorkerPool
from tests.commands import Run
from tests.sampling import in_one_test


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    application = make_application({*OWN_NAMES, "maths.example"}, workers=1)
    with TestClient(application, base_url="http://localhost") as client:
        yield client


def allowed_by(client: TestClient, *hosts: str) -> list[str]:
    statuses = {host: client.get("/health", headers={"host": host}).status_code for host in hosts}
    assert {*statuses.values()} == {200, 421}
    return [host for host in hosts if statuses[host] == 200]


def test_only_known_hosts_are_allowed(client: TestClient) -> None:
    known = ["localhost", "LOCALHOST:8024", "127.0.0.1:1", "[::1]:8024", "maths.example."]
    unknown = ["evil.example", "192.168.1.7", "localhost.evil.example", "localhost:80:80", ""]
    assert allowed_by(client, *known, *unknown, "user@localhost") == known


def test_unknown_host_is_told_the_option_that_allows_it(client: TestClient, run: Run) -> None:
    allowed = {"games.home.arpa:8024": "games.home.arpa", "[fd00::7]": "fd00::7"}
    for host, name in (allowed | {"<script>x": "NAME"}).items():
        page = client.get("/", headers={"host": host}).text
        assert f"crisps24 serve --allow-host {name}" in page
        assert "<script>x" not in page
        # Names are checked before the root path, which is refused.
        ran = run(f"serve --allow-host {name} --root-path x")
        assert (ran.status, "--root-path" in ran.err) == (2, True)


def test_request_needs_one_host() -> None:
    for hosts in ([], [b"localhost"] * 2, [b"localhost", b"evil.example"], [b"localhost"]):
        found = host_of({"type": "http", "headers": [(b"host", host) for host in hosts]})
        assert found == ("localhost" if len(hosts) == 1 else "")


def test_any_address_allows_ip_addresses_and_no_other_names() -> None:
    application = make_application({*OWN_NAMES, ANY_ADDRESS}, workers=1)
    # Outside a `with` block no process starts; `/health` needs none.
    client = TestClient(application, base_url="http://localhost")
    hosts = ["192.168.1.7:8024", "[fe80::1]"]
    assert allowed_by(client, *hosts, "evil.example") == hosts


@in_one_test("method", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE")
@in_one_test("path", "/", "/health", "/static/style.css", "/static/colours.css", "/nothing")
def test_other_methods_are_refused(client: TestClient, path: str, method: str) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD")
    assert "answers only GET requests" in response.text


@in_one_test("path", "/", "/health", "/static/style.css", "/solve?hand=8+3&x=1")
def test_head_returns_the_headers_of_get_without_a_body(client: TestClient, path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-length"] == get.headers["content-length"]


@in_one_test(
    ("path", "options", "status"),
    ("/", {"content": b"x"}, 413),
    ("/", {"headers": {"transfer-encoding": "chunked"}}, 413),
    ("/", {"headers": {"content-length": "0"}}, 200),
    ("/check?formula=" + "1" * (MAX_ADDRESS_LENGTH - 20), {}, 400),
    ("/check?formula=" + "1" * MAX_ADDRESS_LENGTH, {}, 414),
    ("/" + "a" * MAX_ADDRESS_LENGTH, {}, 414),
)
def test_request_with_a_body_or_a_long_address_is_refused(
    client: TestClient, path: str, options: dict[str, Any], status: int
) -> None:
    assert client.request("GET", path, **options).status_code == status


@in_one_test(
    *("path", "/", "/health", "/static/script.js", "/nothing", "/solve?x=1"),
    "/" + "a" * MAX_ADDRESS_LENGTH,
)
def test_every_response_is_revalidated_with_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    cached = "no-store" if path == "/health" else "no-cache"
    assert headers.get_list("cache-control") == [cached]
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in headers


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a test of a coroutine: it runs in a loop of its own."""
    return wraps(test)(lambda *args, **named: asyncio.run(test(*args, **named)))


SLOW_FUNCTION = "tests.web.slow:reply_slowly"


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("60", 422, "takes longer than 0.3 seconds, so it was stopped"),
        ("die", 422, "more memory than the server has"),
        ("fail", 500, "not your fault"),
    ],
)
def test_slow_dead_or_failed_process_is_replaced(query: str, status: int, said: str) -> None:
    application = make_application(workers=1, function=SLOW_FUNCTION, timeout=0.3)
    with TestClient(application, "http://localhost", raise_server_exceptions=False) as client:
        before = client.get("/solve?0").text
        response = client.get(f"/check?{query}")
        assert (response.status_code, said in response.text) == (status, True)
        assert "secret" not in response.text
        assert (client.get("/solve?0").text == before) == (query == "fail")


@contextmanager
def shortage_of(what: Exception | None) -> Iterator[None]:
    """Let no process start: with an error, or if there is none, without file descriptors."""
    resource = pytest.importorskip("resource", reason="this limit needs POSIX")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with pytest.MonkeyPatch.context() as patch:
        if what:
            patch.setattr(SpawnProcess, "start", Mock(side_effect=what))
        else:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize(
    "shortage",
    [None, BlockingIOError(11, "no processes"), MemoryError()],
    ids=["files", "processes", "memory"],
)
@pytest.mark.parametrize("killer", ["die", "60", ""])
@in_loop
async def test_process_that_cannot_start_is_started_by_a_later_request(
    shortage: Exception | None, killer: str
) -> None:
    before = set(active_children())
    pool = WorkerPool(SLOW_FUNCTION, 1)
    async with pool.running():
        with shortage_of(shortage):
            if killer:
                with pytest.raises((LostError, TooLongError)):
                    await pool.reply_to(("/", killer), 0.3)
            else:
                kill(*set(active_children()) - before)
            for _ in range(2):
                with pytest.raises(BusyError):
                    await pool.reply_to(("/", "0"))
        for _ in range(2):
            assert (await pool.reply_to(("/", "0"))).status == 200


def kill(*processes: BaseProcess) -> None:
    """Kill processes, as the operating system does when memory is short."""
    assert processes
    for process in processes:
        process.kill()
        process.join()


@in_loop
async def test_process_killed_while_idle_is_replaced_at_the_next_request() -> None:
    before = set(active_children())
    pool = WorkerPool(SLOW_FUNCTION, 2)
    async with pool.running():
        for _ in range(2):
            kill(*set(active_children()) - before)
            replies = (pool.reply_to(("/", "0")) for _ in range(3))
            assert {reply.status for reply in await asyncio.gather(*replies)} == {200}


@in_loop
async def test_request_that_killed_a_process_is_not_repeated(tmp_path: Path) -> None:
    pool = WorkerPool("tests.web.slow:reply_and_die", 1)
    async with pool.running():
        with pytest.raises(LostError):
            await pool.reply_to((str(tmp_path / "calls"), ""))
    assert (tmp_path / "calls").read_text() == "called\n"


@in_loop
async def test_requests_above_the_maximum_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.web.work.MAX_REQUESTS", 3)
    pool = WorkerPool(SLOW_FUNCTION, 1)
    async with pool.running():
        requests = (pool.reply_to(("/", f"0.{number}")) for number in range(1, 6))
        outcomes = await asyncio.gather(*requests, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [PageReply] * 3 + [BusyError] * 2


@in_loop
async def test_quick_replies_do_not_wait_for_a_slow_one() -> None:
    done: list[str] = []
    pool = WorkerPool(SLOW_FUNCTION, 2)

    async def request(query: str) -> None:
        await pool.reply_to(("/", query))
        done.append(query)

    async with pool.running():
        await asyncio.gather(request("1.5"), request("0.01"), request("0.02"), request("0.03"))
    assert done[-1] == "1.5"


@in_loop
async def test_cacheable_reply_comes_from_the_cache() -> None:
    pool = WorkerPool(SLOW_FUNCTION, 1)
    async with pool.running():
        first = await pool.reply_to(("/cacheable", "0"))
        with pytest.raises(TooLongError):
            await pool.reply_to(("/cacheable", "60"), 0.3)
        with pytest.raises(LostError):
            await pool.reply_to(("/", "die"))
        uncached = await pool.reply_to(("/", "0"))
        assert await pool.reply_to(("/cacheable", "0")) is first
        assert await pool.reply_to(("/", "0")) is not uncached
        # A form, which can have megabytes, is not kept.
        form = ("/cacheable", "0", "en", "multipart/form-data", b"x")
        sent = await pool.reply_to(form)
        assert await pool.reply_to(form) is not sent


@in_loop
async def test_idle_process_computes_the_warm_up_addresses() -> None:
    pool = WorkerPool("tests.web.slow:reply_with_count", 1, warm_up=[("/", "a"), ("/", "b")])
    requests = calls = 0
    async with asyncio.timeout(60), pool.running():
        while calls < requests + 2:
            # A process is idle some time after its last reply.
            await asyncio.sleep(0.3)
            requests, calls = requests + 1, int((await pool.reply_to(("/", ""))).body)
    assert calls == requests + 2


def test_busy_server_replies_with_page(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerPool, "reply_to", AsyncMock(side_effect=BusyError))
    response = client.get("/solve")
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")
    assert "Try again in a moment" in response.text


def test_forms_with_files_are_taken_within_a_limit(client: TestClient) -> None:
    table = {"table": ("class.csv", b"Name;3 3 8 8\nEmil;8/(3-8/3)\n")}
    marked = client.post("/mark", data={"game": "cards"}, files=table)
    assert (marked.status_code, "Emil" in marked.text) == (200, True)
    large = {"table": ("class.csv", b"x" * MAX_BODY_BYTES)}
    assert client.post("/mark", files=large).status_code == 413
    assert client.post("/mark", content=iter([b"x"])).status_code == 413
    assert client.post("/solve", files=table).status_code == 405
