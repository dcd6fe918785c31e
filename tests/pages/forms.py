"""Forms with files, as a browser sends them."""

from crisps24.pages.replies import PageReply
from crisps24.pages.requests import Request, reply_to

BOUNDARY = "----crisps24"


def form_body(fields: dict[str, str | tuple[str, bytes]]) -> bytes:
    """Return the body of a form: texts, and files as (name, content)."""
    body = b""
    for name, field in fields.items():
        head = f'content-disposition: form-data; name="{name}"'
        content = field.encode() if isinstance(field, str) else field[1]
        head += "" if isinstance(field, str) else f'; filename="{field[0]}"'
        body += f"--{BOUNDARY}\r\n{head}\r\n\r\n".encode() + content + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def post(path: str, language: str = "en", **fields: str | tuple[str, bytes]) -> PageReply:
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    body = form_body(fields)
    return reply_to(Request(path, "", "POST", body, kind, languages=language))
