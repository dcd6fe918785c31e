"""Reply to requests: the one way to the pages, for the server, a browser tab and tests.

`reply_to` turns a request into its reply. The server computes replies in processes of its own, with
time limits, so that it calls the parts instead: `refusal_status`, `address_of`, `refuse` and
`finished`.
"""

import re
from dataclasses import dataclass, replace

from crisps24.messages.message import ENGLISH, Language, message
from crisps24.pages import answering, programs
from crisps24.pages.addresses import SITE, Site
from crisps24.pages.negotiation import preferred_language
from crisps24.pages.replies import PageReply

METHODS = ("GET", "HEAD")
# The bytes of a form with files.
MAX_BODY_BYTES = 5_000_000
# The maximum length of an encoded path with its query, in bytes; enough for 20 formulas.
MAX_ADDRESS_LENGTH = 16_000
# The time limit of a page in seconds, of which some have a multiple.
REPLY_TIMEOUT = 5
_STATUS_HEADERS = {405: (("allow", ", ".join(METHODS)),), 429: (("retry-after", "1"),)}
# HTML attributes with an address. Text of users cannot match, since its quotes are escaped.
_ADDRESS = re.compile(rb'(\s(?:href|src|action|formaction)=")/(?!/)')
# Pages have no inline scripts or styles, and load only from their own site.
_OWN = ("script-src", "style-src", "img-src", "connect-src", "frame-src", "form-action")
_SOURCES = {"default-src": "'none'", **dict.fromkeys(_OWN, "'self'"), "base-uri": "'none'"}


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a page: its path begins with `/`, and its root is left out."""

    path: str
    query: str = ""
    method: str = "GET"
    body: bytes = b""
    content_type: str = ""
    languages: str = ""
    """The header Accept-Language."""
    accept: str = ""
    """The header Accept."""
    root: str = ""
    """What the addresses in the reply begin with, such as /crisps."""

    @property
    def wants_rows(self) -> bool:
        """Whether a program asks, which gets JSON."""
        return programs.wants_rows(self.path, self.accept)


def reply_to(request: Request, site: Site = SITE) -> PageReply:
    """Return the reply to any request, without a time limit."""
    path, length = request.path, len(request.path.encode()) + len(request.query.encode())
    if status := refusal_status(path, request.method, length, len(request.body)):
        return refuse(request, status, "", site)
    if not (address := address_of(request, site)):
        return refuse(request, 404, "", site)
    return finished(answering.answer(*address, site=site), request.root)


def refusal_status(path: str, method: str, length: int, body_length: int) -> int | None:
    """Return the status with which a request is refused before its reply is computed, if any.

    `length` is that of the address, in bytes.
    """
    takes_files = path in answering.PAGES and answering.PAGES[path].takes_files
    if method not in METHODS and not (method == "POST" and takes_files):
        return 405
    if length > MAX_ADDRESS_LENGTH:
        return 414
    most = MAX_BODY_BYTES if method == "POST" else 0
    return 413 if body_length > most else None


def address_of(request: Request, site: Site = SITE) -> answering.Address | None:
    """Return the arguments of `answering.answer` for a request; None if there is no such page."""
    path = request.path
    if request.wants_rows and f"{path}{programs.SUFFIX}" in answering.PAGES:
        path += programs.SUFFIX
    if path not in answering.PAGES:
        return None
    # Rows for programs are always in English, which is the default of the function.
    language = ENGLISH if path.endswith(programs.SUFFIX) else language_of(request, site)
    if request.method == "POST":
        return path, request.query, language.name, request.content_type, request.body
    if language is ENGLISH:
        return path, request.query
    return path, request.query, language.name


def timeout_of(path: str, usual: float = REPLY_TIMEOUT) -> float:
    """Return the time limit of a page in seconds."""
    return usual * answering.PAGES[path].timeout_factor


def language_of(request: Request, site: Site = SITE) -> Language:
    return preferred_language(site.language or request.languages)


def refuse(
    request: Request, status: int, name: str = "", site: Site = SITE, /, **values: object
) -> PageReply:
    """Return the reply that reports an error, as a page for people or JSON for programs."""
    reason = message(f"page.{name or f'status_{status}'}", **values)
    if request.wants_rows:
        return finished(programs.error_reply(status, str(reason)), request.root)
    page = answering.refusal_page(status, reason, language_of(request, site), site)
    return finished(page, request.root)


def finished(reply: PageReply, root: str) -> PageReply:
    """Return a reply with the root of its request in its addresses, and all its headers."""
    headers = (*reply.headers, *_STATUS_HEADERS.get(reply.status, ()))
    rooted = tuple(
        (name, root + value if name == "location" and value.startswith("/") else value)
        for name, value in headers
    )
    body = reply.body
    if root and reply.media_type.startswith("text/html"):
        body = _ADDRESS.sub(rb"\g<1>" + root.encode() + b"/", body)
    return replace(reply, body=body, headers=rooted)


def security_headers(ancestors: str = "'none'") -> dict[str, str]:
    """Return the headers of every reply; `ancestors` are the sites that can frame the pages."""
    sources = _SOURCES | {"frame-ancestors": ancestors}
    policy = "; ".join(map(" ".join, sources.items()))
    return {
        # Browsers must check that a cached response is still valid.
        "cache-control": "no-cache",
        "vary": ", ".join(("accept", "accept-language")),
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        **({"x-frame-options": "DENY"} if ancestors == "'none'" else {}),
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "cross-origin" if ancestors == "*" else "same-origin",
        "permissions-policy": ", ".join(("camera=()", "geolocation=()", "microphone=()")),
    }
