"""The application: addresses to pages, behind the guards, worked out by processes beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from crisps24.about import __version__
from crisps24.outside.executors import workers_for
from crisps24.web import pages
from crisps24.web.guards import METHODS, OWN_NAMES, Guards
from crisps24.web.sentences import say
from crisps24.web.work import SECONDS, BusyError, LostError, PageReply, TooLongError, Work

_STATIC = Path(__file__).parent / "static"
_ANSWERS = "crisps24.web.pages:answer"
# Headers that an answer of some status has besides.
_MORE = {405: {"allow": ", ".join(METHODS)}, 429: {"retry-after": "1"}}


def make_application(
    hosts: Collection[str] = OWN_NAMES,
    workers: int | None = None,
    *,
    answers: str = _ANSWERS,
    seconds: float = SECONDS,
    ready: Callable[[], object] = lambda: None,
) -> Starlette:
    """Return the application that answers requests to some hosts.

    `workers` are the processes that work for it, all cores where nothing is said; `answers` names
    the function that they answer by, and `seconds` is how long an answer may take. `ready` is
    called once all of them are there.
    """
    usual = pages.USUAL if answers == _ANSWERS else ()
    work = Work(answers, workers_for(workers), usual=usual)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with work.begun():
            ready()
            yield

    async def page(request: Request) -> Response:
        path = request.url.path
        longest = seconds * pages.PAGES[path].patience
        try:
            reply = await work.ask(path, request.url.query, longest)
        except BusyError:
            return _refused(429)
        except TooLongError:
            return _refused(422, say("status_422_long", seconds=f"{longest:g}"))
        except LostError:
            return _refused(422, say("status_422_memory"))
        except asyncio.CancelledError:
            # The server ends, and nobody waits for this task but who asked.
            return _refused(503)
        return _response(reply)

    async def health(_: Request) -> Response:
        told = {"status": "ok", "version": __version__}
        return JSONResponse(told, headers={"cache-control": "no-store"})

    made = Starlette(
        routes=[
            *(Route(path, page) for path in pages.PAGES),
            Route("/health", health),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        middleware=[Middleware(Guards, hosts=hosts, refused=_refused)],
        exception_handlers={HTTPException: _missing, Exception: _failed},
        lifespan=lifespan,
    )
    # A page has one address.
    made.router.redirect_slashes = False
    return made


def _response(reply: PageReply) -> Response:
    headers = dict(reply.headers) | _MORE.get(reply.status, {})
    return Response(reply.body, reply.status, headers, media_type=reply.kind)


def _refused(status: int, told: str = "") -> Response:
    return _response(pages.refused(status, told))


async def _missing(_request: Request, _error: Exception) -> Response:
    return _refused(404)


async def _failed(_request: Request, _error: Exception) -> Response:
    return _refused(500)
