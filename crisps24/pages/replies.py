"""Replies of pages, which the server turns into HTTP responses."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageReply:
    """A status, a body and headers."""

    status: int
    body: bytes
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    cacheable: bool = True
    """Whether the same address always has the same reply."""


def redirect_to(address: str) -> PageReply:
    return PageReply(303, b"", headers=(("location", address),), cacheable=False)


def download(body: bytes, name: str, media_type: str) -> PageReply:
    """Return a reply that browsers save as a file."""
    disposition = f'attachment; filename="{name}"'
    return PageReply(200, body, media_type, (("content-disposition", disposition),))
