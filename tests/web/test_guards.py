"""Guards, worker processes that are stopped, and more requests than can be answered."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import active_children
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Message, Send

from crisps24.pages.replies import PageReply
from crisps24.web.application import make_application
from crisps24.web.guards import ANY_ADDRESS, MAX_ADDRESS_LENGTH, OWN_NAMES, Guards
from crisps24.web.work import BusyError, LostError, TooLongError, WorkerPool


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    application = make_application({*OWN_NAMES, "maths.example"}, workers=1)
    with TestClient(application, base_url="http://localhost") as made:
        yield made


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8024", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8024", 200),
        ("maths.example", 200),
        ("maths.example.", 200),
        ("evil.example", 421),
        ("192.168.1.7", 421),
        ("localhost.evil.example", 421),
        ("localhost:80:80", 421),
        ("user@localhost", 421),
        ("", 421),
    ],
)
def test_unknown_hosts_are_refused(client: TestClient, host: str, status: int) -> None:
    answer = client.get("/health", headers={"host": host})
    assert answer.status_code == status


def test_any_address_allows_ip_addresses_but_no_names() -> None:
    application = make_application({*OWN_NAMES, ANY_ADDRESS}, workers=1)
    # Without the block nothing is begun, and `/health` needs nothing.
    client = TestClient(application, base_url="http://localhost")
    for host, status in (("192.168.1.7:8024", 200), ("[fe80::1]", 200), ("evil.example", 421)):
        assert client.get("/health", headers={"host": host}).status_code == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"])
@pytest.mark.parametrize("path", ["/", "/health", "/static/style.css", "/nothing"])
def test_other_methods_are_refused(client: TestClient, method: str, path: str) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert "answers only GET requests" in answer.text


@pytest.mark.parametrize("path", ["/", "/health", "/static/style.css", "/solve?hand=8+3&x=1"])
def test_head_is_answered_as_get_without_a_body(client: TestClient, path: str) -> None:
    head, whole = client.head(path), client.get(path)
    assert head.status_code == whole.status_code
    assert head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]


def test_a_request_with_a_body_is_refused(client: TestClient) -> None:
    assert client.request("GET", "/", content=b"x").status_code == 413
    assert client.request("GET", "/", headers={"transfer-encoding": "chunked"}).status_code == 413
    assert client.request("GET", "/", headers={"content-length": "0"}).status_code == 200


def test_a_long_address_is_refused(client: TestClient) -> None:
    assert client.get("/check?formula=" + "1" * (MAX_ADDRESS_LENGTH - 20)).status_code == 400
    assert client.get("/check?formula=" + "1" * MAX_ADDRESS_LENGTH).status_code == 414
    assert client.get("/" + "a" * MAX_ADDRESS_LENGTH).status_code == 414


@pytest.mark.parametrize("kept", [{}, {"raw_path": None}, {"raw_path": b"/"}])
def test_a_request_without_a_raw_path_is_served(kept: dict[str, object]) -> None:
    status: list[int] = []

    async def well(_: object, __: object, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def sent(message: Message) -> None:
        status.append(message["status"])

    async def nothing() -> Message:
        return {}

    guards = Guards(well, OWN_NAMES, lambda status, _: Response(b"%d" % status, status))
    scope = {"type": "http", "method": "GET", "headers": [(b"host", b"localhost")], **kept}
    asyncio.run(guards(scope | {"query_string": b"hand=1"}, nothing, sent))
    assert status == [200]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/health", "no-store"),
        *((path, "no-cache") for path in ("/", "/static/script.js", "/nothing", "/solve?x=1")),
        ("/" + "a" * MAX_ADDRESS_LENGTH, "no-cache"),
    ],
)
def test_browsers_must_revalidate_every_response(client: TestClient, path: str, told: str) -> None:
    assert client.get(path).headers.get_list("cache-control") == [told]


@pytest.mark.parametrize("path", ["/", "/health", "/static/script.js", "/nothing", "/solve?x=1"])
def test_every_response_has_the_security_policy(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in headers


SLOWLY = "tests.web.slow:slowly"


def test_a_reply_over_the_time_limit_is_stopped_and_the_next_succeeds() -> None:
    application = make_application(workers=1, function=SLOWLY, timeout=0.3)
    with TestClient(application, base_url="http://localhost") as client:
        before = client.get("/solve?0").text
        answer = client.get("/check?60")
        assert answer.status_code == 422
        assert "takes longer than 0.3 seconds, so it was stopped" in answer.text
        assert client.get("/solve?0").text != before


def test_a_process_that_dies_is_replaced() -> None:
    application = make_application(workers=1, function=SLOWLY)
    with TestClient(application, base_url="http://localhost") as client:
        answer = client.get("/solve?die")
        assert answer.status_code == 422
        assert "more memory than the server has" in answer.text
        assert client.get("/solve?0").status_code == 200


@contextmanager
def no_files() -> Iterator[None]:
    """Let this process open nothing more."""
    resource = pytest.importorskip("resource", reason="such limits are of POSIX")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def none_for(error: Exception) -> Callable[[], AbstractContextManager[None]]:
    """Return what lets this process begin no other for a reason."""

    def refused(_: SpawnProcess) -> None:
        raise error

    @contextmanager
    def none() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SpawnProcess, "start", refused)
            yield

    return none


@pytest.mark.parametrize(
    "want",
    [no_files, none_for(BlockingIOError(11, "no processes")), none_for(MemoryError())],
    ids=["files", "processes", "memory"],
)
@pytest.mark.parametrize("killer", ["die", "60", ""])
def test_a_process_that_cannot_start_is_started_for_the_next_request(
    want: Callable[[], AbstractContextManager[None]], killer: str
) -> None:
    async def asked() -> None:
        before = set(active_children())
        pool = WorkerPool(SLOWLY, 1)
        async with pool.running():
            with want():
                if killer:
                    with pytest.raises((LostError, TooLongError)):
                        await pool.reply_to("/", killer, 0.3)
                else:
                    kill(*set(active_children()) - before)
                for _ in range(2):
                    with pytest.raises(BusyError):
                        await pool.reply_to("/", "0")
            for _ in range(2):
                assert (await pool.reply_to("/", "0")).status == 200

    asyncio.run(asked())


def kill(*processes: BaseProcess) -> None:
    """Kill processes as a system does that is out of memory."""
    assert processes
    for process in processes:
        process.kill()
        process.join()


def test_a_process_killed_while_idle_is_replaced() -> None:
    async def asked() -> None:
        before = set(active_children())
        pool = WorkerPool(SLOWLY, 2)
        async with pool.running():
            for _ in range(2):
                kill(*set(active_children()) - before)
                asking = (pool.reply_to("/", "0") for _ in range(3))
                assert {reply.status for reply in await asyncio.gather(*asking)} == {200}

    asyncio.run(asked())


def test_a_request_that_ended_a_process_is_not_repeated(tmp_path: Path) -> None:
    async def asked() -> None:
        pool = WorkerPool("tests.web.slow:fatal", 1)
        async with pool.running():
            with pytest.raises(LostError):
                await pool.reply_to(str(tmp_path / "asked"), "")

    asyncio.run(asked())
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_processes_end_with_the_block() -> None:
    async def begun() -> int:
        pool = WorkerPool(SLOWLY, 2)
        before = set(active_children())
        async with pool.running():
            await pool.reply_to("/", "0")
            found = len(set(active_children()) - before)
        assert set(active_children()) <= before
        return found

    assert asyncio.run(begun()) == 2


def test_too_many_requests_are_refused() -> None:
    async def asked() -> list[object]:
        pool = WorkerPool(SLOWLY, 1, max_requests=3)
        async with pool.running():
            asking = (pool.reply_to("/", f"0.{at + 1}") for at in range(5))
            return list(await asyncio.gather(*asking, return_exceptions=True))

    found = asyncio.run(asked())
    assert [type(each) for each in found] == [PageReply, PageReply, PageReply, BusyError, BusyError]


def test_short_requests_overtake_a_long_one() -> None:
    async def asked() -> list[str]:
        done: list[str] = []
        pool = WorkerPool(SLOWLY, 2)

        async def one(query: str) -> None:
            await pool.reply_to("/", query)
            done.append(query)

        async with pool.running():
            await asyncio.gather(one("1.5"), one("0.01"), one("0.02"), one("0.03"))
        return done

    assert asyncio.run(asked())[-1] == "1.5"


def test_a_cacheable_reply_comes_from_the_cache() -> None:
    async def asked() -> None:
        pool = WorkerPool(SLOWLY, 1)
        async with pool.running():
            first = await pool.reply_to("/lasting", "0")
            with pytest.raises(TooLongError):
                await pool.reply_to("/lasting", "60", 0.3)
            with pytest.raises(LostError):
                await pool.reply_to("/", "die")
            again = await pool.reply_to("/", "0")
            assert await pool.reply_to("/lasting", "0") is first
            assert await pool.reply_to("/", "0") is not again

    asyncio.run(asked())


def test_idle_processes_compute_warm_up_addresses() -> None:
    async def beside() -> int:
        """Return how many answers there were that nobody asked for."""
        pool = WorkerPool("tests.web.slow:counted", 1, warm_up=[("/", "a"), ("/", "b")])
        found = 0
        async with pool.running():
            for asked in range(1, 200):
                found = int((await pool.reply_to("/", "")).body) - asked
                if found == 2:
                    break
                await asyncio.sleep(0.3)
        return found

    assert asyncio.run(beside()) == 2


def test_a_busy_server_sends_a_page(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(*_: object) -> PageReply:
        raise BusyError

    monkeypatch.setattr(WorkerPool, "reply_to", busy)
    answer = client.get("/solve")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert "Try again in a moment" in answer.text


def test_an_unexpected_error_hides_its_details() -> None:
    application = make_application(workers=1, function=SLOWLY)
    with TestClient(application, "http://localhost", raise_server_exceptions=False) as client:
        before = client.get("/solve?0").text
        answer = client.get("/solve?fail")
        assert answer.status_code == 500
        assert "not your fault" in answer.text
        assert "secret" not in answer.text
        assert client.get("/solve?0").text == before
