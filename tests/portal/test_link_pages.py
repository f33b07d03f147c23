"""The doctor opens the page of affiliate links in each client area."""

from __future__ import annotations

import pytest
from django.core.checks import WARNING

from affiliates.operations.health import requests
from affiliates.outbox.http.types import CallFailed, FailureKind, Response
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory

NAME = requests.UNKNOWN_NAME
SCRIPT = b'<script src="/referral-1.0.0.js" defer></script>'


@each(
    ("_case", "area", "place", "fault"),
    [
        ("the shop", "shop.localhost:8000", "/aff", ""),
        ("below its portal", "shop.localhost:8000", "/portal/aff", ""),
        ("route of its script", "shop.localhost:8000", "/#/aff", ""),
        ("no such page", "api.localhost:8000", "/aff", "answers with status 404"),
        ("no script", "api.localhost:8000", "/#/aff", "has no script"),
    ],
)
def test_page_of_this_process_is_opened_within_it(db, now, area, place, fault):
    brand = BrandFactory(client_area=area)
    brand.link_place = place
    brand.save()

    with nothing_written():
        findings = list(requests.link_pages(now))

    assert [finding.level for finding in findings] == [WARNING] * bool(fault)
    assert all(
        finding.id == "affiliates.D036"
        and f"http://{area}{place}/{NAME}: " in finding.msg
        and fault in finding.msg
        for finding in findings
    )
    brand.delete()


@pytest.mark.parametrize(
    ("_case", "answer", "is_fine"),
    [
        ("with the script", Response(status=200, headers={}, body=SCRIPT), True),
        ("without", Response(status=200, headers={}, body=b"<p>referral</p>"), False),
        ("no page", Response(status=404, headers={}, body=SCRIPT), False),
        ("tracked by the server", Response(status=302, headers={}, body=b""), True),
        ("out of reach", CallFailed(FailureKind.NOT_SENT, "no route"), True),
    ],
)
def test_page_of_another_server_is_asked_for(
    brand, now, monkeypatch, settings, _case, answer, is_fine
):
    settings.ALLOWED_HOSTS = ["api.example.net"]
    asked = []

    class Network:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def send(self, call):
            asked.append((call.method, call.url))
            if isinstance(answer, CallFailed):
                raise answer
            return answer

    monkeypatch.setattr(requests, "Transport", Network)

    findings = list(requests.link_pages(now))

    assert asked == [("GET", f"https://shop.example.com/aff/{NAME}")]
    assert (findings == []) is is_fine
