"""Where a click came from: the affiliate's sub-ids, the visitor's country."""

from __future__ import annotations

import pytest

from affiliates.core.urls import parse_http_url
from affiliates.visits import country
from affiliates.visits.rules import MAX_SUB_ID, sub_ids_of


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("ref=x", ("", "")),
        ("sub=blog", ("blog", "")),
        ("sub1=mail&sub3=top&sub2=a%26b", ("mail", "sub2=a%26b&sub3=top")),
        ("sub=blog&sub1=mail", ("blog", "sub1=mail")),
        ("sub=&sub1=mail", ("mail", "")),
        ("sub5=last", ("", "sub5=last")),
        ("subscribe=1&sub9=x", ("", "")),
        ("sub=%00" + "a" * 200, ("a" * (MAX_SUB_ID - 1), "")),
        ("ref=x#/plans?sub=app", ("app", "")),
    ],
)
def test_sub_ids_are_kept(query, kept):
    url = parse_http_url(f"https://shop.example.com/?{query}")

    assert sub_ids_of(url) == kept


class Reader:
    def get(self, ip):
        if ip == "not an address":
            raise ValueError
        return {
            "203.0.113.7": {"country": {"iso_code": "NZ"}},
            "203.0.113.8": {"continent": {"code": "OC"}},
        }.get(ip)


@pytest.mark.parametrize(
    ("ip", "found"),
    [
        ("203.0.113.7", "NZ"),
        ("203.0.113.8", ""),
        ("203.0.113.9", ""),
        ("not an address", ""),
    ],
)
def test_country_is_that_of_the_address(ip, found, settings, monkeypatch):
    settings.AFFILIATES_GEOIP_FILE = f"countries-of-{ip}.mmdb"
    monkeypatch.setattr(country, "open_file", lambda path: Reader())

    assert country.country_of(ip) == found


def test_visit_does_not_depend_on_the_file(settings):
    settings.AFFILIATES_GEOIP_FILE = "/nowhere/countries.mmdb"
    assert country.country_of("203.0.113.7") == ""

    settings.AFFILIATES_GEOIP_FILE = ""
    assert country.country_of("203.0.113.7") == ""
