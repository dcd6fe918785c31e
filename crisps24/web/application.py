"""Combine pages, guards and worker processes into one ASGI application, and serve it."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from crisps24.about import __version__
from crisps24.output.executors import workers_for
from crisps24.pages import answering, requests
from crisps24.pages.replies import PageReply
from crisps24.web.connections import Connection
from crisps24.web.guards import OWN_NAMES, ROOT_KEY, Guards, Network, host_of
from crisps24.web.work import BusyError, LostError, TooLongError, WorkerPool

_STATIC = Path(answering.__file__).parent / "static"
_REPLY_FUNCTION = "crisps24.pages.answering:answer"
# `Guards` refuses POST where no files are taken.
METHODS = (*requests.METHODS, "POST")
# Suffixes of the files for browsers; the folder of the player also has modules.
_BROWSER_SUFFIXES = (".css", ".js", ".svg")


class _Files(StaticFiles):
    """The files for browsers of the pages and of the player."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        return super().lookup_path(path) if path.endswith(_BROWSER_SUFFIXES) else ("", None)


def make_application(
    hosts: Collection[str] = OWN_NAMES,
    workers: int | None = None,
    *,
    root: str = "",
    proxies: Collection[Network] = (),
    embed: bool = False,
    function: str = _REPLY_FUNCTION,
    timeout: float = requests.REPLY_TIMEOUT,
    on_ready: Callable[[], object] = lambda: None,
) -> Starlette:
    """Return the ASGI application, for a server such as uvicorn, that serves the pages.

    Worker processes compute the pages with `function`. They start with the application, and stop
    with it; `on_ready` is called when all are ready. `Guards` explains the other arguments.
    """
    warm_up = answering.WARM_UP if function == _REPLY_FUNCTION else ()
    pool = WorkerPool(function, workers_for(workers), warm_up)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with pool.running():
            on_ready()
            yield

    def refuse(status: int, scope: Scope, name: str = "", **values: object) -> Response:
        if status == 421:
            # NAME is the placeholder in `serve --help`.
            values |= {"host": host_of(scope) or "NAME"}
        return _response(requests.refuse(_request_of(scope), status, name, **values))

    async def page(request: Request) -> Response:
        asked = _request_of(request.scope, await request.body())
        if (address := requests.address_of(asked)) is None:
            return refuse(404, request.scope)
        page_timeout = requests.timeout_of(address[0], timeout)
        try:
            reply = await pool.reply_to(address, page_timeout)
            return _response(requests.finished(reply, asked.root))
        except BusyError:
            return refuse(429, request.scope)
        except TooLongError:
            return refuse(422, request.scope, "status_422_long", seconds=f"{page_timeout:g}")
        except LostError:
            return refuse(422, request.scope, "status_422_memory")
        except asyncio.CancelledError:
            # The server is stopping; only the client of this request waits for this task.
            return refuse(503, request.scope)

    async def health(_: Request) -> Response:
        status = {"status": "ok", "version": __version__}
        return JSONResponse(status, headers={"cache-control": "no-store"})

    async def missing(request: Request, _: Exception) -> Response:
        return refuse(404, request.scope)

    async def failed(request: Request, _: Exception) -> Response:
        return refuse(500, request.scope)

    application = Starlette(
        routes=[
            *(Route(path, page, methods=METHODS) for path in answering.PAGES),
            Route("/health", health),
            Mount("/static", _Files(directory=_STATIC, packages=[("crisps24", "player")])),
        ],
        middleware=[Middleware(*(Guards, hosts, refuse), root=root, proxies=proxies, embed=embed)],
        exception_handlers={HTTPException: missing, Exception: failed},
        lifespan=lifespan,
    )
    # Do not redirect /play/ to /play: a page has one address.
    application.router.redirect_slashes = False
    return application


def _request_of(scope: Scope, body: bytes = b"") -> requests.Request:
    headers = Headers(scope=scope)
    return requests.Request(
        scope["path"],
        scope["query_string"].decode("latin-1"),
        scope["method"],
        body,
        headers.get("content-type", ""),
        languages=headers.get("accept-language", ""),
        accept=headers.get("accept", ""),
        # An unexpected error is handled outside `Guards`.
        root=scope.get(ROOT_KEY, ""),
    )


def _response(reply: PageReply) -> Response:
    return Response(reply.body, reply.status, dict(reply.headers), media_type=reply.media_type)


class _Server(uvicorn.Server):
    """A server that also stops when its terminal is closed, and that stops without errors."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        hangup = getattr(signal, "SIGHUP", signal.SIGTERM)
        with super().capture_signals():
            before = signal.getsignal(hangup)
            # A handler that is not callable ignores the signal, as after nohup.
            if callable(before):
                signal.signal(hangup, self.handle_exit)
            yield
            signal.signal(hangup, before)

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        # Do not log that clients are disconnected.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def make_server(application: Any, grace: int, proxies: Collection[Network] = ()) -> uvicorn.Server:
    config = uvicorn.Config(
        application,
        # uvicorn makes a connection from a class only: a subclass has the proxies.
        http=type("Proxied", (Connection,), {"proxies": proxies}),
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=grace,
    )
    return _Server(config)
