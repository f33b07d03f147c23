"""The settings of a Post Affiliate Pro install, and whom its links are recognised by."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from affiliates.core.urls import parse_http_url
from affiliates.outbox.protocol import ConfigError, Match, ProviderSettings
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.types import Operation
from tests.affiliates.tracking.providers.pap_world import ADAPTER, VISITOR, settings
from tests.cases import each

EMPTY = ProviderSettings(
    address="https://pap.example", parameters=("a_aid", "aid"), values={}
)


def test_registry_knows_the_adapter():
    assert type(ADAPTERS["pap"]) is type(ADAPTER)


def test_settings_that_are_not_given_take_their_defaults():
    assert ADAPTER.clean(EMPTY).values == {
        "account_id": "",
        "forward_affiliate": True,
        "more_parameters": "",
        "sale_status": "",
        "counts_within": "",
        "lead_action": "",
        "send_currency": True,
        "order_prefix": "",
        "send_customer": False,
        "keep_cookie": False,
        "username": "",
        "partial_refunds": False,
    }


@pytest.mark.parametrize(
    ("values", "minutes"),
    [({}, 15), ({"counts_within": "45"}, 45), ({"counts_within": "0"}, 0)],
)
def test_time_in_which_a_sale_is_counted(values, minutes):
    configured = replace(EMPTY, values=values)

    assert ADAPTER.counts_within(configured) == timedelta(minutes=minutes)


def test_cleaning_twice_changes_nothing_and_keeps_the_secrets():
    given = replace(
        EMPTY,
        parameters=("a_aid", "aid", "a_aid"),
        values={"username": " bot ", "unknown": "x", "password": "leaked"},
        secrets={"password": "s3cret"},
    )

    once = ADAPTER.clean(given)

    assert once.parameters == ("a_aid", "aid")
    assert once.values["username"] == "bot"
    assert {"unknown", "password"}.isdisjoint(once.values)
    assert once.secrets == {"password": "s3cret"}
    assert ADAPTER.clean(once) == once


@pytest.mark.parametrize(
    ("given", "address"),
    [
        (" https://pap.example ", "https://pap.example"),
        ("https://PAP.example/", "https://pap.example"),
        ("https://pap.example/scripts/track.php", "https://pap.example"),
        ("https://pap.example/scripts/", "https://pap.example"),
        ("https://shop.example/affiliate/", "https://shop.example/affiliate"),
        (
            "https://shop.example/affiliate/scripts/server.php",
            "https://shop.example/affiliate",
        ),
        ("https://pap.example:8443/scripts/trackjs.js", "https://pap.example:8443"),
        ("https://scripts/", "https://scripts"),
    ],
)
def test_address_is_what_precedes_the_scripts(given, address):
    assert ADAPTER.clean(replace(EMPTY, address=given)).address == address


@each(
    ("name", "changes", "fault"),
    [
        ("address", {"address": ""}, "Enter an address that begins with https://."),
        (
            "address",
            {"address": "pap.example"},
            "Enter an address that begins with https://.",
        ),
        (
            "address",
            {"address": "ftp://pap.example"},
            "Enter an address that begins with https://.",
        ),
        (
            "address",
            {"address": "https://me:pw@pap.example"},
            "Enter the address without user name and password.",
        ),
        (
            "address",
            {"address": "https://pap.example/scripts/track.php?x=1"},
            "Enter the address without what follows ? or #.",
        ),
        (
            "address",
            {"address": "https://pap.example/" + "x" * 250},
            "Enter an address of up to 255 characters.",
        ),
        (
            "parameters",
            {"parameters": ()},
            "Enter at least one parameter, such as a_aid.",
        ),
        (
            "parameters",
            {"parameters": ("a=b",)},
            "Enter names of letters, digits and . _ - with commas between them.",
        ),
        (
            "parameters",
            {"parameters": tuple("abcdefghijk")},
            "Enter no more than 10 names.",
        ),
        (
            "more_parameters",
            {"values": {"more_parameters": "bid, a b"}},
            "Enter names of letters, digits and . _ - with commas between them.",
        ),
        (
            "account_id",
            {"values": {"account_id": "short"}},
            "Enter the eight letters or digits of the account, or nothing.",
        ),
        (
            "sale_status",
            {"values": {"sale_status": "D"}},
            "Choose one of the list.",
        ),
        (
            "counts_within",
            {"values": {"counts_within": "5"}},
            "Choose one of the list.",
        ),
        (
            "lead_action",
            {"values": {"lead_action": "a b"}},
            "Enter up to 20 letters, digits and . _ -, or nothing.",
        ),
        (
            "order_prefix",
            {"values": {"order_prefix": "x" * 21}},
            "Enter up to 20 letters, digits and . _ -, or nothing.",
        ),
        (
            "username",
            {"values": {"username": "x" * 101}},
            "Enter a name of up to 100 characters.",
        ),
        (
            "username",
            {"values": {"partial_refunds": True}},
            "Enter the merchant's login, or switch partial refunds off.",
        ),
    ],
)
def test_fault_names_its_field(name, changes, fault):
    with pytest.raises(ConfigError) as raised:
        ADAPTER.clean(replace(EMPTY, **changes))

    assert raised.value.faults == {name: fault}


def test_lead_needs_an_action_code():
    assert not ADAPTER.supports(Operation.LEAD, settings())
    assert ADAPTER.supports(Operation.LEAD, settings(lead_action="signup"))


@pytest.mark.parametrize(
    "operation", [Operation.CLICK, Operation.SALE, Operation.PROBE]
)
def test_tracking_needs_no_login(operation):
    assert ADAPTER.supports(operation, settings())


def test_every_setting_is_explained_and_only_the_password_is_secret():
    assert all(len(field.help) > 20 and field.label for field in ADAPTER.fields)
    assert [field.name for field in ADAPTER.fields if field.is_secret] == ["password"]


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("https://shop.example/?aid=jo&a_aid=al", Match(affiliate="al")),
        ("https://shop.example/#aid=jo", Match(affiliate="jo")),
        ("https://shop.example/?aid=" + "x" * 5_000, None),
        ("https://shop.example/?aid=a%00b", None),
        ("https://shop.example/?visitorId=" + VISITOR, None),
    ],
)
def test_link_is_recognised_by_the_configured_names(url, match):
    parsed = parse_http_url(url)

    assert parsed is not None
    assert ADAPTER.match(parsed, settings()) == match


@pytest.mark.parametrize(
    ("current", "kept"),
    [
        (VISITOR, VISITOR),
        ("4c5e2151b8856e55dbfeb247c22300Hg", "4c5e2151b8856e55dbfeb247c22300Hg"),
        ("", "minted"),
        (VISITOR[:-1], "minted"),
        (VISITOR + "0", "minted"),
        (VISITOR[:-1] + "'", "minted"),
        (VISITOR + "\n", "minted"),
    ],
)
def test_identifier_is_kept_when_the_install_would_take_it(current, kept):
    url = parse_http_url("https://shop.example/?a_aid=jo&visitorId=" + "f" * 32)

    assert url is not None
    assert (
        ADAPTER.identify(url, settings(), current=current, mint=lambda: "minted")
        == kept
    )
