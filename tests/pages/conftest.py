"""One application with its process, for all tests that ask it as anybody does."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient


@pytest.fixture(scope="package")
def client() -> "Iterator[TestClient]":
    from starlette.testclient import TestClient

    from crisps24.web.application import make_application

    with TestClient(make_application(workers=1), base_url="http://localhost") as made:
        yield made
