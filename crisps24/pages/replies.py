"""Replies: what is answered to an address, all that the server knows of pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageReply:
    """What is answered to an address."""

    status: int
    body: bytes
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    cacheable: bool = True
    """Whether the same address has the same answer for ever."""


def redirect_to(place: str) -> PageReply:
    """Return what sends who asks to another address, which need not be the same again."""
    return PageReply(303, b"", headers=(("location", place),), cacheable=False)
