"""One application with one worker process, shared by all tests of this package."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient


@pytest.fixture(scope="package")
def client() -> "Iterator[TestClient]":
    from starlette.testclient import TestClient

    from crisps24.web.application import make_application

    with TestClient(make_application(workers=1), base_url="http://localhost") as test_client:
        yield test_client
