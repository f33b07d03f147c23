"""``affiliates_enrol`` makes a client an affiliate."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written


def enrol(client_id: object, code: str) -> str:
    out = StringIO()
    call_command("affiliates_enrol", str(client_id), "--code", code, stdout=out)
    return out.getvalue()


def test_client_becomes_an_active_affiliate(brand, host):
    client = host.client(brand, email="ada@example.com")

    said = enrol(client.pk, "ada")

    affiliate = Affiliate.objects.get()
    assert (affiliate.brand, affiliate.user) == (brand, client)
    assert (affiliate.code, affiliate.status) == ("ada", AffiliateStatus.ACTIVE)
    assert said == "ada is an affiliate: https://shop.example.com/?ref=ada\n"


def test_a_code_that_is_taken_is_refused(brand, host, affiliate):
    client = host.client(brand, email="ada@example.com")

    with nothing_written(), pytest.raises(CommandError, match="has this code"):
        enrol(client.pk, affiliate.code)


def test_a_guest_is_refused(brand, host):
    guest = host.guest(brand)

    with nothing_written(), pytest.raises(CommandError, match="is a guest"):
        enrol(guest.pk, "ada")


def test_nobody_is_refused(db):
    with nothing_written(), pytest.raises(CommandError, match="knows no client 999999"):
        enrol(999999, "ada")
