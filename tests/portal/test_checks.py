from __future__ import annotations

import pytest

from portal.checks import check_demo_gateway, check_hosts_and_contacts


@pytest.mark.parametrize(("is_on", "found"), [(True, ["portal.E001"]), (False, [])])
def test_demo_gateway_must_not_go_live(is_on, found, settings):
    settings.DEMO_GATEWAY = is_on

    assert [message.id for message in check_demo_gateway(None)] == found


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("desk.example.com", []),
        (".example.com", []),
        ("desk.example.net", ["portal.E002"]),
    ],
)
def test_hosts_of_the_admin_must_be_allowed(host, found, settings):
    settings.ALLOWED_HOSTS = [".example.com"]
    settings.ADMIN_HOSTS = [host]

    assert [message.id for message in check_hosts_and_contacts(None)] == found


@pytest.mark.parametrize(
    ("contact", "found"),
    [
        ("mailto:security@example.com", []),
        ("https://example.com/security", []),
        ("tel:+49-30-123456", []),
        ("security@example.com", ["portal.E003"]),
        ("http://example.com/security", ["portal.E003"]),
    ],
)
def test_security_contacts_must_be_addresses(contact, found, settings):
    settings.SECURITY_CONTACT = [contact]

    assert [message.id for message in check_hosts_and_contacts(None)] == found
