"""Which addresses a call of ours may reach."""

from __future__ import annotations

import pytest

from affiliates.core.network import check_address, is_host_port, is_public, parse_target
from tests.cases import each

NOT_PUBLIC = [
    # this host, private networks, link-local
    "0.0.0.0",  # noqa: S104 - refused, not bound
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    # metadata and machinery of clouds under addresses that look public
    "168.63.129.16",
    "192.0.0.192",
    # protocol assignments, documentation, benchmarks, relays
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    # multicast, reserved, broadcast
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    # IPv6's own
    "::",
    "::1",
    "100::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2606:2800:220:1::1%eth0",
    # IPv4 inside IPv6: mapped, compatible, 6to4, NAT64, Teredo
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:168.63.129.16",
    "::127.0.0.1",
    "::169.254.169.254",
    "::93.184.216.34",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2002:a9fe:a9fe::",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1::5db8:d822",
    "2001:0:5db8:d822::80ff:fffe",
    "2001:0:7f00:1::1",
]

PUBLIC = [
    "1.1.1.1",
    "9.255.255.255",
    "93.184.216.34",
    "100.63.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001::1",
    "::ffff:93.184.216.34",
    # how a machine with IPv6 only reaches 93.184.216.34
    "64:ff9b::5db8:d822",
]


@each("address", NOT_PUBLIC)
def test_special_address_is_not_public(address):
    assert is_public(address) is False


@each("address", PUBLIC)
def test_address_of_the_internet_is_public(address):
    assert is_public(address) is True


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f.1", "2130706433", "127.0.0.1 ", "1.1.1.01"]
)
def test_what_is_no_address_is_not_public(text):
    assert is_public(text) is False


@pytest.mark.parametrize(
    "address",
    [
        "https://tracking.example.com",
        "https://tracking.example.com/affiliate",
        "https://TRACKING.example.com:443/affiliate/",
        "https://tracking.example.com:8443",
        "https://bücher.example.com",
        "https://my_brand.go2cloud.org",
        "https://localhost.example.com",
    ],
)
def test_public_name_over_https_may_be_stored(address):
    assert check_address(address, allowed_hosts=()) is None


@each(
    ("address", "reason"),
    [
        ("", "Enter the full address, beginning with https://."),
        ("tracking.example.com", "Enter the full address, beginning with https://."),
        (
            "ftp://tracking.example.com",
            "Enter the full address, beginning with https://.",
        ),
        ("file:///etc/passwd", "Enter the full address, beginning with https://."),
        ("https://", "Enter the full address, beginning with https://."),
        ("https://a..b:99999", "Enter the full address, beginning with https://."),
        ("https://" + "a" * 8185, "The address is longer than 8192 characters."),
        ("http://tracking.example.com", "The address must begin with https://."),
        (
            "https://ann:pass@tracking.example.com",
            "The address must not hold a user name or a password.",
        ),
        (
            "https://tracking.example.com@evil.example.com",
            "The address must not hold a user name or a password.",
        ),
        (
            "https://tracking.example.com:8080",
            "The address must use the port 443 or 8443; leave the port out for 443.",
        ),
        (
            "https://tracking.example.com/?a=1",
            "The address must end before any ? or #.",
        ),
        ("https://tracking.example.com/?", "The address must end before any ? or #."),
        ("https://tracking.example.com/#a", "The address must end before any ? or #."),
        ("https://tracking.example.com ", "The address must not hold blanks."),
        ("https://tracking.exa\nmple.com", "The address must not hold blanks."),
        (
            "https://localhost",
            "The address names a host inside one network only. "
            "Enter a public one, such as hooks.example.com.",
        ),
        (
            "https://app.localhost",
            "The address names a host inside one network only. "
            "Enter a public one, such as hooks.example.com.",
        ),
        (
            "https://metadata.google.internal",
            "The address names a host inside one network only. "
            "Enter a public one, such as hooks.example.com.",
        ),
        (
            "https://tracking",
            "The address names no public host. Enter one such as hooks.example.com.",
        ),
        (
            "https://tracking.example.com.",
            "The address names no public host. Enter one such as hooks.example.com.",
        ),
    ],
)
def test_other_address_is_refused_with_its_reason(address, reason):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - compared whole below
        check_address(address, allowed_hosts=())

    assert str(refusal.value) == reason


@each(
    "host",
    [
        "127.0.0.1",
        "93.184.216.34",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "①②⑦.0.0.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[2606:2800:220:1::1]",
    ],
)
def test_ip_address_however_spelled_is_refused(host):
    with pytest.raises(ValueError, match="must name its host, not give an IP address"):
        parse_target(f"https://{host}/track", allowed_hosts=())


@pytest.mark.parametrize(
    ("address", "entry"),
    [
        ("http://127.0.0.1:8090/pap", "127.0.0.1:8090"),
        ("http://127.1:8090/pap", "127.0.0.1:8090"),
        ("http://[::1]:8090", "[::1]:8090"),
        ("http://localhost", "localhost:80"),
        ("https://localhost", "localhost:443"),
        ("http://simulator.localhost:8090", "simulator.localhost:8090"),
    ],
)
def test_allowed_host_may_be_stored_as_it_is(address, entry):
    assert check_address(address, allowed_hosts={entry}) is None


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8091",
        "http://127.0.0.2:8090",
        "http://ann:pass@127.0.0.1:8090",
        "http://127.0.0.1:8090/?a=1",
        "ftp://127.0.0.1:8090",
    ],
)
def test_allowed_host_allows_nothing_beside_it(address):
    with pytest.raises(ValueError, match=r"^(The address must|Enter the full address)"):
        check_address(address, allowed_hosts={"127.0.0.1:8090"})


def test_refused_address_keeps_its_secrets_to_itself():
    with pytest.raises(ValueError, match="user name") as refusal:
        parse_target("https://ann:hunter2@a.example/?token=s3cret", allowed_hosts=())

    assert "hunter2" not in str(refusal.value)
    assert "s3cret" not in str(refusal.value)


@each(
    ("entry", "expected"),
    [
        ("127.0.0.1:8090", True),
        ("[::1]:1", True),
        ("simulator.localhost:65535", True),
        ("127.0.0.1", False),
        ("127.0.0.1:", False),
        ("127.0.0.1:0", False),
        ("127.0.0.1:65536", False),
        ("http://127.0.0.1:8090", False),
        ("ann@127.0.0.1:8090", False),
        ("::1:8090", False),
        (":8090", False),
        ("*:8090", False),
    ],
)
def test_entry_of_the_allowed_hosts_is_host_and_port(entry, expected):
    assert is_host_port(entry) is expected
