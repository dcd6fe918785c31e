"""Reply to requests in a tab of a browser: what `worker.js` calls."""

import json
import sys
import traceback
from typing import Any

from crisps24.pages.addresses import Site
from crisps24.pages.replies import PageReply
from crisps24.pages.requests import Request, refuse, reply_to, security_headers

# The addresses in a page are relative to the page, since no page has a slash after the root.
ROOT = "."


class Tab:
    """The pages of a site, of which `settings` has the fields as JSON."""

    def __init__(self, settings: str) -> None:
        fields = json.loads(settings)
        self._site = Site(**fields | {"games": tuple(fields["games"]), "in_tab": True})

    def reply(self, request: str, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body for a request, of which JSON has the fields."""
        asked = Request(**json.loads(request), body=body, root=ROOT)
        try:
            return _parts(reply_to(asked, self._site))
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return _parts(refuse(asked, 500, "", self._site))

    def refuse(
        self, request: str, status: int, name: str, seconds: float
    ) -> tuple[int, dict[str, str], bytes]:
        """Return the refusal of a request that took too long, or after which Python ended."""
        asked = Request(**json.loads(request), root=ROOT)
        values: dict[str, Any] = {"seconds": f"{seconds:g}"} if seconds else {}
        return _parts(refuse(asked, status, name, self._site, **values))


def _parts(reply: PageReply) -> tuple[int, dict[str, str], bytes]:
    # The shell, a page of the same site, has the page in a frame.
    headers = security_headers("'self'") | {"content-type": reply.media_type}
    return reply.status, headers | dict(reply.headers), reply.body
