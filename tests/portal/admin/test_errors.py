"""What staff see where a page of the admin is refused."""

from __future__ import annotations

import pytest
from django.test import Client

from portal.errors import FORBIDDEN, FORM_REFUSED, NOT_FOUND
from tests.factories.portal import ClientFactory, ProductFactory
from tests.portal.admin.pages import page_of

pytestmark = pytest.mark.portable

UNKNOWN = "/admin/portal/nothing/"


@pytest.mark.usefixtures("sidebar")
@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/admin/portal/product/add/", 403, FORBIDDEN),
        (UNKNOWN, 404, NOT_FOUND),
    ],
)
def test_refusal_is_a_page_of_the_admin(path, code, words, helper):
    answer = helper.get(path)

    assert answer.status_code == code
    text = answer.content.decode()
    assert all(sentence in text for sentence in words)
    assert 'href="/admin/"' in text


def test_form_without_its_cookie_is_refused_in_the_admin(staff, brand):
    product = ProductFactory(brand=brand, name="Basic")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(staff)

    answer = browser.post(page_of(product), {"name": "Other"})

    assert answer.status_code == 403
    assert FORM_REFUSED[1] in answer.content.decode()
    product.refresh_from_db()
    assert product.name == "Basic"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [("/api/nothing", "application/json"), ("/admin/nothing/", "text/html")],
)
def test_strangers_get_no_page_of_the_admin(path, content_type, brand):
    client = ClientFactory(brand=brand)
    browser = Client()
    browser.force_login(client)

    answer = browser.get(path)

    assert "To the first page" not in answer.content.decode()
    assert answer["Content-Type"].startswith(content_type)
