"""Combine pages, guards and worker processes into one ASGI application."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

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
from crisps24.messages.message import ENGLISH, Language, message
from crisps24.output.executors import workers_for
from crisps24.pages import answering, programs
from crisps24.pages.negotiation import preferred_language
from crisps24.pages.replies import PageReply
from crisps24.web.guards import METHODS, OWN_NAMES, Guards, host_of
from crisps24.web.requests import Requests
from crisps24.web.roots import Network, PrefixMiddleware
from crisps24.web.work import REPLY_TIMEOUT, BusyError, LostError, TooLongError, WorkerPool

_STATIC = Path(answering.__file__).parent / "static"
_REPLY_FUNCTION = "crisps24.pages.answering:answer"
# Additional headers of responses, by status.
_STATUS_HEADERS = {405: {"allow": ", ".join(METHODS)}, 429: {"retry-after": "1"}}
# Suffixes of the files for browsers; the folder of the player also has modules.
_BROWSER_SUFFIXES = (".css", ".js", ".svg")


class _Files(StaticFiles):
    """The files for browsers of the pages and of the player."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Return the full path of a file in the folders, and the status of the file.

        Only style sheets, scripts and SVG pictures are found. For any other file, return
        ("", None), which the base class answers with "not found".
        """
        return super().lookup_path(path) if path.endswith(_BROWSER_SUFFIXES) else ("", None)


def make_application(
    hosts: Collection[str] = OWN_NAMES,
    workers: int | None = None,
    *,
    root: str = "",
    proxies: Sequence[Network] = (),
    embed: bool = False,
    function: str = _REPLY_FUNCTION,
    timeout: float = REPLY_TIMEOUT,
    on_ready: Callable[[], object] = lambda: None,
) -> Starlette:
    """Return the ASGI application, for a server such as uvicorn, that serves the pages.

    Worker processes compute the pages. They start with the application, and stop with it.

    Args:
        hosts: the allowed host names and IP addresses, and `guards.ANY_ADDRESS` for all IP
            addresses; other hosts get status 421.
        workers: the number of processes (default: all cores).
        root: the path prefix of the pages, such as /crisps, as `roots.parse_root` returns it.
        proxies: the networks of proxies, which can send another root.
        embed: whether other sites can frame the pages.
        function: the reply function that the processes call, as `package.module:name`.
        timeout: the time limit of a reply in seconds; some pages have a multiple of it.
        on_ready: called once when all processes are ready.
    """
    warm_up = answering.WARM_UP if function == _REPLY_FUNCTION else ()
    pool = WorkerPool(function, workers_for(workers), warm_up=warm_up)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Run the worker processes while the server runs."""
        async with pool.running():
            on_ready()
            yield

    async def page(request: Request) -> Response:
        """Return the response of a page, or an error page if no process can compute it.

        Programs that prefer JSON get the rows of the page in this format, if it has any.
        """
        path, language = request.url.path, _language_of(request.scope)
        if _wants_rows(request.scope) and f"{path}{programs.SUFFIX}" in answering.PAGES:
            path += programs.SUFFIX
        if path.endswith(programs.SUFFIX):
            # Rows for programs are always in English.
            language = ENGLISH
        page_timeout = timeout * answering.PAGES[path].timeout_factor
        # English is the default of the reply function.
        language_names = () if language is ENGLISH else (language.name,)
        try:
            reply = await pool.reply_to(path, request.url.query, page_timeout, *language_names)
        except BusyError:
            return _refuse(429, request.scope)
        except TooLongError:
            return _refuse(422, request.scope, "status_422_long", seconds=f"{page_timeout:g}")
        except LostError:
            return _refuse(422, request.scope, "status_422_memory")
        except asyncio.CancelledError:
            # The server is stopping; only the client of this request waits for this task.
            return _refuse(503, request.scope)
        return _response(reply)

    async def health(_: Request) -> Response:
        """Return the response by which other programs see that the server runs."""
        status = {"status": "ok", "version": __version__}
        return JSONResponse(status, headers={"cache-control": "no-store"})

    application = Starlette(
        routes=[
            *(Route(path, page) for path in answering.PAGES),
            Route("/health", health),
            Mount("/static", _Files(directory=_STATIC, packages=[("crisps24", "player")])),
        ],
        middleware=[
            Middleware(Requests),
            Middleware(PrefixMiddleware, root=root, proxies=proxies, refuse=_refuse),
            Middleware(Guards, hosts=hosts, refuse=_refuse, embed=embed),
        ],
        exception_handlers={HTTPException: _refuse_missing, Exception: _refuse_failed},
        lifespan=lifespan,
    )
    # Do not redirect /play/ to /play: a page has one address.
    application.router.redirect_slashes = False
    return application


def _response(reply: PageReply) -> Response:
    """Return the HTTP response of a reply, with the headers that its status requires."""
    headers = dict(reply.headers) | _STATUS_HEADERS.get(reply.status, {})
    return Response(reply.body, reply.status, headers, media_type=reply.media_type)


def _language_of(scope: Scope) -> Language:
    """Return the language that the browser of a request prefers, or English."""
    return preferred_language(Headers(scope=scope).get("accept-language", ""))


def _refuse(status: int, scope: Scope, name: str = "", **values: object) -> Response:
    """Return the response that reports an error, as a page for people or as JSON for programs.

    Args:
        status: The HTTP status, from 400 up.
        scope: The request, whose headers decide between page and JSON, and the language.
        name: The key of the message on the page (default: the usual message of the status).
        values: The values for the placeholders of the message, by name.
    """
    wants_rows = _wants_rows(scope)
    language = ENGLISH if wants_rows else _language_of(scope)
    if status == 421:
        # NAME is the placeholder in `serve --help`.
        values |= {"host": host_of(scope) or "NAME"}
    reason = message(f"page.{name or f'status_{status}'}", **values)
    if wants_rows:
        reply = programs.error_reply(status, str(reason))
    else:
        reply = answering.refusal_page(status, reason, language)
    return _response(reply)


def _wants_rows(scope: Scope) -> bool:
    """Return whether a request is for JSON, by its path or its header `Accept`."""
    return programs.wants_rows(scope["path"], Headers(scope=scope).get("accept", ""))


async def _refuse_missing(request: Request, _error: Exception) -> Response:
    """Return the response for an address that no page has."""
    return _refuse(404, request.scope)


async def _refuse_failed(request: Request, _error: Exception) -> Response:
    """Return the response for a page that raised an unexpected exception."""
    return _refuse(500, request.scope)
