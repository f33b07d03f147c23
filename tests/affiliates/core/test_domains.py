from __future__ import annotations

import re

import pytest

from affiliates.core.domains import (
    DomainEntry,
    Origin,
    canonical_domains,
    canonical_host,
    client_area_url,
    domain_above,
    entry_allows_origin,
    entry_allows_redirect,
    international_name,
    is_public_suffix,
    parse_origin,
    split_host,
)
from tests.affiliates.core.entries import entry
from tests.cases import each


@each(
    ("_case", "typed", "stored"),
    [
        ("plain", "shop.example.com", "shop.example.com"),
        ("upper case", "Shop.Example.COM", "shop.example.com"),
        ("spaces around", "  shop.example.com\n", "shop.example.com"),
        ("idn", "münchen.de", "xn--mnchen-3ya.de"),
        ("idn, upper case", "MÜNCHEN.de", "xn--mnchen-3ya.de"),
        ("idn, sharp s", "straße.de", "xn--strae-oqa.de"),
        ("idn, decomposed", "mu\u0308nchen.de", "xn--mnchen-3ya.de"),
        ("punycode", "xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("idn top-level domain", "例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("fullwidth dot", "shop。example.com", "shop.example.com"),
        ("single label", "localhost", "localhost"),
        ("port", "localhost:8000", "localhost:8000"),
        ("subdomain of localhost", "shop.localhost:8000", "shop.localhost:8000"),
        ("http's port", "shop.example.com:80", "shop.example.com"),
        ("https' port", "shop.example.com:443", "shop.example.com"),
        ("port with a zero", "localhost:08000", "localhost:8000"),
        ("highest port", "localhost:65535", "localhost:65535"),
        ("loopback", "127.0.0.1", "127.0.0.1"),
        ("loopback with a port", "127.0.0.1:8000", "127.0.0.1:8000"),
        ("loopback 6", "[::1]", "[::1]"),
        ("loopback 6 with a port", "[::1]:8000", "[::1]:8000"),
        ("address with a port", "192.168.1.20:8000", "192.168.1.20:8000"),
        ("digits first", "1shop.example.com", "1shop.example.com"),
        ("two hyphens", "my--shop.example.com", "my--shop.example.com"),
        ("longest label", "a" * 63 + ".com", "a" * 63 + ".com"),
    ],
)
def test_a_typed_host_is_stored_in_one_spelling(typed, stored):
    assert canonical_host(typed) == stored
    assert canonical_host(stored) == stored


@each(
    ("_case", "host", "name"),
    [
        ("none", "shop.example.com", ""),
        ("umlaut", "xn--mnchen-3ya.de", "münchen.de"),
        ("sharp s", "xn--strae-oqa.de", "straße.de"),
        ("with a port", "xn--mnchen-3ya.localhost:8000", "münchen.localhost"),
        ("invalid punycode", "xn--a.example.com", ""),
        ("address", "[::1]:8000", ""),
    ],
)
def test_international_name_of_a_host(host, name):
    assert international_name(host) == name


@each(
    ("typed", "advice"),
    [
        ("", "Enter a host"),
        ("   ", "Enter a host"),
        ("https://shop.example.com", "Leave out the scheme"),
        ("HTTP://shop.example.com/", "Leave out the scheme"),
        ("//shop.example.com", "Leave out the path"),
        ("shop.example.com/", "Leave out the path"),
        ("shop.example.com/store", "Leave out the path"),
        ("shop.example.com?x=1", "Leave out the path"),
        ("shop.example.com#top", "Leave out the path"),
        ("shop.example.com\\store", "Leave out the path"),
        ("user@shop.example.com", "Leave out the user name"),
        ("user:password@shop.example.com:8000", "Leave out the user name"),
        ("*.example.com", "tick 'include subdomains'"),
        ("shop.*.com", "tick 'include subdomains'"),
        ("shop example.com", "Leave out spaces"),
        ("shop.example.com\nevil.com", "Leave out spaces"),
        ("shop.example.com.", "Leave out the dot at the end"),
        ("shop.example.com.:8000", "Leave out the dot at the end"),
        (".", "Leave out the dot at the end"),
        (".example.com", "nothing between two dots"),
        ("shop..example.com", "nothing between two dots"),
        ("my_shop.example.com", "underscore"),
        ("-shop.example.com", "inner hyphens"),
        ("shop-.example.com", "inner hyphens"),
        ("a" * 64 + ".com", "1 to 63"),
        (".".join(["a" * 49] * 6), "253 characters"),
        ("shop%2eexample.com", "letters, digits, hyphens and dots"),
        ("shop,example.com", "letters, digits, hyphens and dots"),
        ("shop!.example.com", "letters, digits, hyphens and dots"),
        (":8000", "letters, digits, hyphens and dots"),
        ("shop.example.com:", "port must be a number"),
        ("shop.example.com:http", "port must be a number"),
        ("shop.example.com:0", "port must be a number"),
        ("shop.example.com:65536", "port must be a number"),
        ("shop.example.com:000080123", "port must be a number"),
        ("shop.example.com:-1", "port must be a number"),
        ("shop.example.com:٨٠", "port must be a number"),
        ("::1", "in brackets"),
        ("a:b:c", "in brackets"),
        ("[::1", "in brackets"),
        ("[::g]:8000", "in brackets"),
        ("[::1:::]:8000", "not a host name"),
        ("shop.example.123", "not a host name"),
        ("sh\ud800op.example.com", "not a host name"),
        ("93.184.216.34", "needs its port"),
        ("93.184.216.34:443", "needs its port"),
        ("[2001:db8::1]", "needs its port"),
        ("0x7f.1:8000", "Write this IP address as 127.0.0.1"),
        ("2130706433:8000", "Write this IP address as 127.0.0.1"),
        ("127.1:8000", "Write this IP address as 127.0.0.1"),
        ("[0:0:0:0:0:0:0:1]:8000", r"Write this IP address as \[::1\]"),
    ],
)
def test_a_mistyped_host_is_refused_with_advice(typed, advice):
    with pytest.raises(ValueError, match=advice):
        canonical_host(typed)


@pytest.mark.parametrize(
    ("stored", "parts"),
    [
        ("shop.example.com", ("shop.example.com", None)),
        ("localhost:8000", ("localhost", 8000)),
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("[::1]", ("[::1]", None)),
        ("[::1]:8000", ("[::1]", 8000)),
    ],
)
def test_a_stored_host_splits_into_host_and_port(stored, parts):
    assert split_host(stored) == parts


@each(
    ("host", "expected"),
    [
        ("com", True),
        ("co.uk", True),
        ("github.io", True),
        ("kobe.jp", True),
        ("xn--55qx5d.cn", True),
        ("unheardof", True),
        ("example.com", False),
        ("example.co.uk", False),
        ("someone.github.io", False),
        ("city.kobe.jp", False),
        ("localhost", False),
        ("localhost:8000", False),
        ("shop.localhost:8000", False),
    ],
)
def test_a_public_suffix_is_where_strangers_register(host, expected):
    assert is_public_suffix(host) is expected


@pytest.mark.parametrize(
    ("header", "origin"),
    [
        (
            "https://shop.example.com",
            Origin(scheme="https", host="shop.example.com", port=None),
        ),
        (
            "http://shop.example.com",
            Origin(scheme="http", host="shop.example.com", port=None),
        ),
        (
            "https://shop.example.com:8443",
            Origin(scheme="https", host="shop.example.com", port=8443),
        ),
        (
            "http://shop.localhost:8000",
            Origin(scheme="http", host="shop.localhost", port=8000),
        ),
        ("http://[::1]:8000", Origin(scheme="http", host="[::1]", port=8000)),
        (
            "https://xn--mnchen-3ya.de",
            Origin(scheme="https", host="xn--mnchen-3ya.de", port=None),
        ),
    ],
)
def test_an_origin_is_read_as_browsers_write_it(header, origin):
    assert parse_origin(header) == origin


@each(
    ("_case", "host", "origin", "expected"),
    [
        ("https", "shop.example.com", "https://shop.example.com", True),
        ("http", "shop.example.com", "http://shop.example.com", True),
        ("any port", "shop.example.com", "https://shop.example.com:8443", True),
        ("other's default", "shop.example.com", "http://shop.example.com:443", True),
        ("subdomain", "example.com", "https://shop.example.com", False),
        ("parent", "shop.example.com", "https://example.com", False),
        ("port", "shop.localhost:8000", "http://shop.localhost:8000", True),
        ("port missing", "shop.localhost:8000", "http://shop.localhost", False),
        ("idn", "münchen.de", "https://xn--mnchen-3ya.de", True),
    ],
)
def test_an_origin_matches_its_host_and_port_exactly(host, origin, expected):
    parsed = parse_origin(origin)

    assert parsed is not None
    assert entry_allows_origin(entry(host, subdomains=True), parsed) is expected


def test_a_host_that_is_no_client_area_allows_no_origin():
    origin = Origin(scheme="https", host="shop.example.com", port=None)

    allowed = entry_allows_origin(entry("shop.example.com", client_area=False), origin)

    assert allowed is False


@each(
    ("_case", "host", "subdomains", "target", "expected"),
    [
        ("exact", "example.com", False, ("example.com", None), True),
        (
            "subdomain not included",
            "example.com",
            False,
            ("a.example.com", None),
            False,
        ),
        ("subdomain", "example.com", True, ("a.example.com", None), True),
        ("deep subdomain", "example.com", True, ("b.a.example.com", None), True),
        ("itself too", "example.com", True, ("example.com", None), True),
        ("suffix only", "example.com", True, ("notexample.com", None), False),
        ("parent", "a.example.com", True, ("example.com", None), False),
        ("prefix", "example.com", True, ("example.com.evil.com", None), False),
        ("another port", "example.com", True, ("example.com", 8443), False),
        ("port", "localhost:8000", False, ("localhost", 8000), True),
        ("port missing", "localhost:8000", False, ("localhost", None), False),
        ("subdomain, port", "localhost:8000", True, ("a.localhost", 8000), True),
    ],
)
def test_a_redirect_matches_host_and_port(host, subdomains, target, expected):
    allowed = entry_allows_redirect(entry(host, subdomains=subdomains), *target)

    assert allowed is expected


def test_a_host_that_is_no_redirect_target_allows_no_redirect():
    api = entry("example.com", redirect_target=False, subdomains=True)

    assert entry_allows_redirect(api, "example.com", None) is False
    assert entry_allows_redirect(api, "a.example.com", None) is False


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("", ""),
        (" \n", ""),
        ("b.example.com\na.example.com", "a.example.com\nb.example.com"),
        ("A.Example.com, a.example.com;b.example.com", "a.example.com\nb.example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("example.com:443", "example.com"),
    ],
)
def test_a_list_of_domains_is_stored_sorted_one_a_line(typed, stored):
    assert canonical_domains(typed) == stored


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        (
            "a.example.com https://b.example.com",
            "https://b.example.com: Leave out the scheme: shop.example.com, without "
            "https://.",
        ),
        ("a.example.com:8000", "a.example.com:8000: leave out the port."),
        ("co.uk", "co.uk: anyone can register names below it."),
        ("com", "com: anyone can register names below it."),
    ],
)
def test_a_list_with_a_mistyped_domain_is_refused(typed, advice):
    with pytest.raises(ValueError, match=re.escape(advice)):
        canonical_domains(typed)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("a.example", "a.example"),
        ("c.b.a.example", "b.a.example"),
        ("c.a.example", "a.example"),
        ("ba.example", None),
        ("example", None),
        ("", None),
    ],
)
def test_a_domain_stands_for_all_hosts_below_it(host, found):
    assert domain_above(host, {"a.example", "b.a.example"}) == found


@pytest.mark.parametrize(
    ("origin", "require_https", "address"),
    [
        ("", False, "https://a.example.com"),
        ("http://a.example.com", False, "https://a.example.com"),
        ("http://b.example.com", True, "https://b.example.com"),
        ("https://localhost:8000", False, "http://localhost:8000"),
        ("http://localhost:8000", True, "https://localhost:8000"),
        ("https://elsewhere.example.com", False, "https://a.example.com"),
        ("https://a.example.com@evil.example", False, "https://a.example.com"),
    ],
)
def test_the_scheme_of_a_client_area_is_the_brands(origin, require_https, address):
    areas = [
        DomainEntry(host=host, port=port, is_client_area=True)
        for host, port in (
            ("a.example.com", None),
            ("b.example.com", None),
            ("localhost", 8000),
        )
    ]
    elsewhere = DomainEntry(host="elsewhere.example.com", port=None)

    url = client_area_url(
        [elsewhere, *areas], require_https=require_https, origin=origin
    )

    assert url == address
    assert client_area_url([elsewhere], require_https=False, origin=origin) is None
