"""The application: addresses to pages, behind the guards, computed in worker processes."""

import asyncio
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
from crisps24.pages.negotiation import reader_of
from crisps24.pages.replies import PageReply
from crisps24.web.guards import METHODS, OWN_NAMES, Guards, host_of
from crisps24.web.requests import Requests
from crisps24.web.roots import Network, Rooted
from crisps24.web.work import SECONDS, BusyError, LostError, TooLongError, Work

_STATIC = Path(answering.__file__).parent / "static"
_ANSWERS = "crisps24.pages.answering:answer"
# Headers that an answer of some status has besides.
_MORE = {405: {"allow": ", ".join(METHODS)}, 429: {"retry-after": "1"}}


def make_application(
    hosts: Collection[str] = OWN_NAMES,
    workers: int | None = None,
    *,
    root: str = "",
    proxies: Sequence[Network] = (),
    embed: bool = False,
    answers: str = _ANSWERS,
    seconds: float = SECONDS,
    ready: Callable[[], object] = lambda: None,
) -> Starlette:
    """Return the application that answers requests to some hosts.

    `workers` is the number of processes (default: all cores), `answers` the name of the function
    that they call, `seconds` the time limit of an answer. `ready` is called once all processes are
    there. The pages are under `root`, such as /crisps, or under the root that one of the `proxies`
    sends; `embed` lets other sites frame the pages.
    """
    usual = answering.USUAL if answers == _ANSWERS else ()
    work = Work(answers, workers_for(workers), usual=usual)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with work.begun():
            ready()
            yield

    async def page(request: Request) -> Response:
        path, reader = request.url.path, _reader_of(request.scope)
        if _wants_rows(request.scope) and f"{path}{programs.ENDING}" in answering.PAGES:
            path += programs.ENDING
        if path.endswith(programs.ENDING):
            # Rows are alike for readers of every language.
            reader = ENGLISH
        longest = seconds * answering.PAGES[path].patience
        try:
            more = () if reader is ENGLISH else (reader.name,)
            reply = await work.ask(path, request.url.query, longest, *more)
        except BusyError:
            return _refused(429, request.scope)
        except TooLongError:
            return _refused(422, request.scope, "status_422_long", seconds=f"{longest:g}")
        except LostError:
            return _refused(422, request.scope, "status_422_memory")
        except asyncio.CancelledError:
            # The server ends, and nobody waits for this task but who asked.
            return _refused(503, request.scope)
        return _response(reply)

    async def health(_: Request) -> Response:
        status = {"status": "ok", "version": __version__}
        return JSONResponse(status, headers={"cache-control": "no-store"})

    made = Starlette(
        routes=[
            *(Route(path, page) for path in answering.PAGES),
            Route("/health", health),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        middleware=[
            Middleware(Requests),
            Middleware(Rooted, root=root, proxies=proxies, refused=_refused),
            Middleware(Guards, hosts=hosts, refused=_refused, framed=embed),
        ],
        exception_handlers={HTTPException: _missing, Exception: _failed},
        lifespan=lifespan,
    )
    # A page has one address.
    made.router.redirect_slashes = False
    return made


def _response(reply: PageReply) -> Response:
    headers = dict(reply.headers) | _MORE.get(reply.status, {})
    return Response(reply.body, reply.status, headers, media_type=reply.kind)


def _reader_of(scope: Scope) -> Language:
    return reader_of(Headers(scope=scope).get("accept-language", ""))


def _refused(status: int, scope: Scope, sentence: str = "", **words: object) -> Response:
    is_data = _wants_rows(scope)
    reader = ENGLISH if is_data else _reader_of(scope)
    if status == 421:
        # The placeholder is the one of `serve --help`.
        words |= {"host": host_of(scope) or "NAME"}
    reason = message(f"page.{sentence or f'status_{status}'}", **words)
    if is_data:
        made = programs.no_rows(status, str(reason))
    else:
        made = answering.refused(status, reason, reader)
    return _response(made)


def _wants_rows(scope: Scope) -> bool:
    return programs.wants_rows(scope["path"], Headers(scope=scope).get("accept", ""))


async def _missing(request: Request, _error: Exception) -> Response:
    return _refused(404, request.scope)


async def _failed(request: Request, _error: Exception) -> Response:
    return _refused(500, request.scope)
