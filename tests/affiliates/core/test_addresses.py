"""Internet addresses as they arrive and as they are kept."""

from __future__ import annotations

import pytest

from affiliates.core.addresses import client_address, ip_prefix, is_loopback


@pytest.mark.parametrize(
    ("_case", "forwarded_for", "trusted", "address"),
    [
        ("no proxy: the header is the client's word", "203.0.113.9", 0, "10.0.0.1"),
        ("one proxy", "203.0.113.9", 1, "203.0.113.9"),
        ("one proxy, forged entries before", "1.1.1.1, 203.0.113.9", 1, "203.0.113.9"),
        ("two proxies", "203.0.113.9, 10.0.0.2", 2, "203.0.113.9"),
        ("fewer entries than proxies", "203.0.113.9", 2, "10.0.0.1"),
        ("no header", "", 1, "10.0.0.1"),
        ("empty entries", " , ,", 1, "10.0.0.1"),
    ],
)
def test_client_address(_case, forwarded_for, trusted, address):
    assert (
        client_address(
            peer="10.0.0.1", forwarded_for=forwarded_for, trusted_proxies=trusted
        )
        == address
    )


@pytest.mark.parametrize(
    ("address", "prefix"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
        ("not an address", ""),
        ("", ""),
    ],
)
def test_ip_prefix(address, prefix):
    assert ip_prefix(address) == prefix


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("203.0.113.77", False),
        ("", False),
    ],
)
def test_is_loopback(address, loopback):
    assert is_loopback(address) is loopback
