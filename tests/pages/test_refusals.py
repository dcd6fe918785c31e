"""Refusals: for each kind of invalid request, the page shows a message that can be translated."""

import re
from urllib.parse import quote_plus

from crisps24.errors import RefusedError
from crisps24.pages.answering import answer
from tests.sampling import in_one_test
from tests.tables import cells_of

# Addresses, each with the key of the reason on the page. If a field is invalid, the message of the
# reason is inside a message that names the field.
REFUSALS = dict(cells_of("pages/refused.txt")) | {
    f"/solve hand={'1 ' * 120}": "hand.too_long",
    f"/check formula={'1' * 1200}": "formula.too_long",
    "/check formula=" + "1\n" * 30: "refused.lines",
    "/sheet own=" + "x\n" * 400: "refused.more",
    "/sheet seed=1&title=\u200b": "paper.character",
    "/sheet.pdf seed=1&title=\U0001f600": "paper.letter",
    f"/sheet seed=1&title={'x' * 300}": "answer.text_too_long",
    "/solve hand=\0": "address.control",
    f"/solve hand={'1' * 6000}": "address.too_long",
    f"/solve {'&'.join(f'a{index}=1' for index in range(99))}": "address.words",
}


def query_of(text: str) -> str:
    pairs = (parameter.partition("=") for parameter in text.split("&"))
    return "&".join(f"{name}={quote_plus(value)}" for name, _, value in pairs)


@in_one_test("address", *REFUSALS)
def test_refused_request_has_its_status_and_no_options_of_commands(address: str) -> None:
    # tests/messages/test_surfaces.py compares the reasons.
    path, _, parameters = address.partition(" ")
    reply = answer(path, query_of(parameters), "nl")
    assert reply.status in ((400,) if REFUSALS[address].startswith("address") else (400, 422))
    assert " --" not in re.sub("<[^>]*>", "", reply.body.decode())


def test_json_error_is_in_english_and_names_the_parameter() -> None:
    body = answer("/deal.json", "count=0&seed=1", "nl").body.decode()
    said = "count: invalid number '0' (expected a whole number from 1 to 100)"
    assert body == f'{{"error": "{said}"}}\n'


def test_pages_leave_out_advice_for_commands() -> None:
    error = RefusedError("too much", "advice.work")
    assert (str(error), error.reason) == ("too much, or add --work none", "too much")
    assert error.reason_in("nl") == "too much"
    body = answer("/solve.json", "hand=1+2+3+4+5+6+7+8+9+9&game=cards").body.decode()
    assert "would fit" in body
    assert "--work" not in body
