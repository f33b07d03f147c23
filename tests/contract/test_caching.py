"""No answer of the API is kept by a browser or on its way: it may hold a client's data."""

from __future__ import annotations

import re

import pytest
from rest_framework.test import APIClient

from portal.clients.open_sessions import AuthToken
from tests.cases import each
from tests.contract.test_openapi import OPERATIONS
from tests.factories.affiliates import BrandFactory
from tests.factories.portal import ClientFactory


@pytest.fixture
def person(db):
    return ClientFactory(brand=BrandFactory())


@each(("method", "path"), sorted(OPERATIONS))
def test_no_answer_may_be_kept(method, path, person):
    stranger = APIClient(HTTP_ORIGIN="https://shop.example.com")
    client = APIClient(HTTP_ORIGIN="https://shop.example.com")
    _, token = AuthToken.objects.create(person)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")

    for api in (stranger, client):
        answer = api.generic(method, re.sub(r"\{\w+\}", "1", path))

        assert answer.get("Cache-Control") == "no-store", answer.status_code
