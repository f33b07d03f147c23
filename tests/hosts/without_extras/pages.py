"""What a host without any extra can do. Run by tests/hosts/test_without_extras.py."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages

import pytest
from django.test import override_settings

import affiliates
from affiliates.operations.health.examine import check_settings
from tests.affiliates.api.calls import SHOP, refusal, visit
from tests.package.distributions import EXTRAS

# Imported only by a URLconf or an app that a host names, or after asking for the extra.
OF_EXTRAS = {
    "affiliates.api.http.docs": "drf_spectacular",
    "affiliates.api.http.schema": "drf_spectacular",
    "affiliates.contrib.area.api.scheme": "drf_spectacular",
    "affiliates.contrib.events_api.api.scheme": "drf_spectacular",
    "affiliates.payouts.papers.drawing": "fpdf",
}
HIDDEN = [
    *("PIL", "auditlog", "defusedxml", "django_htmx", "fontTools", "fpdf"),
    *("drf_spectacular", "maxminddb", "openpyxl", "opentelemetry", "prometheus_client"),
    *("redis", "segno", "sepaxml", "unfold", "uritemplate"),
]


def test_no_extra_is_there():
    assert len(EXTRAS) == 12
    assert [name for name in HIDDEN if find_spec(name)] == []


def test_every_module_but_those_of_extras_is_imported():
    missing = {}
    for module in walk_packages(affiliates.__path__, "affiliates."):
        try:
            import_module(module.name)
        except ModuleNotFoundError as fault:
            missing[module.name] = str(fault.name).partition(".")[0]

    assert missing == OF_EXTRAS


def test_a_visit_is_answered(api, brand, link):
    answer = visit(api, f"{SHOP}/aff/{link.hash}")

    assert answer.status_code == 200
    assert answer.json()["data"]["redirect_url"] == link.target_url


@override_settings(ROOT_URLCONF="tests.hosts.without_extras.urls_of_description")
def test_a_description_that_is_missing_is_named(api, db):
    (message,) = check_settings(None)

    assert (message.id, message.msg, message.hint) == (
        "affiliates.W011",
        "The URLconf includes affiliates.api.schema_urls, and drf-spectacular is not "
        "installed: the API's description and its page are left out.",
        "Run pip install 'affiliates[openapi]', or leave out "
        'path("", include("affiliates.api.schema_urls")).',
    )
    for path in ("/api/schema", "/api/docs"):
        assert refusal(api.get(path)) == (404, "not_found", None)


@pytest.mark.django_db
def test_a_country_file_without_its_extra_is_named(tmp_path):
    file = tmp_path / "countries.mmdb"
    file.write_bytes(b"x")

    with override_settings(AFFILIATES_GEOIP_FILE=str(file)):
        (message,) = check_settings(None)

    assert message.id == "affiliates.E024"
    assert "affiliates[geoip]" in message.hint
