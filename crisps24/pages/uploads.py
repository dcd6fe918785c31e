"""Read a form that was sent with files, as `multipart/form-data`."""

from collections.abc import Mapping, Sequence
from email.parser import BytesParser
from email.policy import HTTP

from crisps24.messages.message import message
from crisps24.pages.addresses import AddressError, Upload

_MAX_PARTS = 20_000


def read_form(
    content_type: str, body: bytes
) -> tuple[Sequence[tuple[str, str]], Mapping[str, Upload]]:
    """Return the texts of the fields of a form, and its files by field; empty ones are left out."""
    head = f"content-type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    parsed = BytesParser(policy=HTTP).parsebytes(head + body)
    parts = [*parsed.iter_parts()] if parsed.is_multipart() else []
    if not parts or len(parts) > _MAX_PARTS:
        raise AddressError(message("address.form"))
    texts: list[tuple[str, str]] = []
    uploads: dict[str, Upload] = {}
    for part in parts:
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(data, bytes):
            raise AddressError(message("address.form"))
        if (file_name := part.get_filename()) is None:
            try:
                texts.append((name, data.decode()))
            except UnicodeDecodeError:
                raise AddressError(message("address.encoding")) from None
        elif data:
            uploads[name] = Upload(file_name, data)
    return texts, uploads
