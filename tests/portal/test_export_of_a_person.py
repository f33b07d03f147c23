"""An export has everything that is stored of a person, and nothing of anybody else."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils.html import escape

from affiliates.privacy.registry import declared
from affiliates.privacy.selectors import rows_of, subject_of
from affiliates.privacy.types import Person
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.books import DecisionOverrideFactory
from tests.factories.ledger import InvoicePaymentFactory, OrderReferralFactory
from tests.factories.portal import ClientFactory, GuestFactory, StaffFactory
from tests.portal.personal_data import (
    Canaries,
    columns_of,
    make_affiliate,
    make_client,
)

ADA, BOB = "ada@example.com", "bob@example.com"


def _export(folder, email, *options):
    said = StringIO()
    call_command(
        "affiliates_export_person",
        f"--email={email}",
        f"--output={folder}",
        *options,
        stdout=said,
    )
    assert said.getvalue().splitlines() == [
        str(folder / "person.json"),
        str(folder / "person.html"),
    ]
    return [
        (folder / name).read_text("utf-8") for name in ("person.json", "person.html")
    ]


def _judge(folder, person, written):
    mine, others = written[ADA], written[BOB]
    expected = {
        f"{one.name}.{name}" for one in declared() for name in columns_of(one, person)
    }
    texts = _export(folder, ADA)

    assert {name for name, found in mine.items() if found} == expected
    for text in texts:
        missing = {
            name: [one for one in found if one not in text and escape(one) not in text]
            for name, found in mine.items()
        }
        assert {name: found for name, found in missing.items() if found} == {}
        leaked = {
            name: [one for one in found if one in text and len(one) > 3]
            for name, found in others.items()
        }
        assert {name: found for name, found in leaked.items() if found} == {}


def test_a_client(brand, affiliate, tmp_path):
    StaffFactory()
    canaries = Canaries()
    written = {
        email: canaries.write(Person.CLIENT, lambda: make_client(affiliate, email))  # noqa: B023 - called at once
        for email in (ADA, BOB)
    }

    _judge(tmp_path, Person.CLIENT, written)


def test_an_affiliate(brand, affiliate, tmp_path):
    canaries = Canaries()
    written = {
        email: canaries.write(
            Person.AFFILIATE,
            lambda: make_affiliate(brand, email, affiliate),  # noqa: B023 - called at once
        )
        for email in (ADA, BOB)
    }

    _judge(tmp_path, Person.AFFILIATE, written)


def test_only_the_named_brand(brand, affiliate, tmp_path):
    other = BrandFactory(client_area="other.example.com")
    ClientFactory(brand=brand, email=ADA, firstname="Here")
    ClientFactory(brand=other, email=ADA.upper(), firstname="There")

    one, _ = _export(tmp_path, ADA, f"--brand={other.name}")
    both, _ = _export(tmp_path, ADA)

    assert ["Here" in one, "There" in one] == [False, True]
    assert ["Here" in both, "There" in both] == [True, True]
    assert {part["brand"] for part in json.loads(both)["parts"]} == {
        brand.name,
        other.name,
    }


def test_the_order_of_another_brand_with_the_same_reference_is_left_out(
    brand, affiliate, tmp_path
):
    other = BrandFactory(client_area="other.example.com")
    client = ClientFactory(brand=brand, email=ADA)
    OrderReferralFactory(brand=brand, client=client, order_ref="17")
    InvoicePaymentFactory(brand=brand, order_ref="17", payment_ref="mine")
    InvoicePaymentFactory(brand=other, order_ref="17", payment_ref="not-mine")

    text, _ = _export(tmp_path, ADA)

    assert '"mine"' in text
    assert "not-mine" not in text


def test_a_member_of_staff(brand, affiliate, tmp_path):
    staff = StaffFactory(email=ADA)
    client = ClientFactory(brand=brand, email=BOB)
    order = OrderReferralFactory(brand=brand, client=client)
    DecisionOverrideFactory(referral=order, actor=staff, reason="As agreed")

    text, _ = _export(tmp_path, ADA)

    [part] = json.loads(text)["parts"]
    tables = {one["table"]: one["rows"] for one in part["tables"]}
    assert part["brand"] == "Staff"
    assert tables["portal.User"][0]["email"] == ADA
    [override] = tables["affiliates.DecisionOverride"]
    assert override["reason"] == "As agreed"
    assert "replaced" not in override
    assert str(client.pk) not in text


def test_no_secret_is_handed_out(brand, affiliate, tmp_path):
    user = ClientFactory(brand=brand, email=ADA)

    text, page = _export(tmp_path, ADA)

    for secret in (user.password, "password", "digest", "seal"):
        assert secret not in text
        assert secret not in page


def test_the_page_is_written_in_german(brand, tmp_path):
    ClientFactory(brand=brand, email=ADA)

    _, page = _export(tmp_path, ADA, "--language=de")

    assert '<html lang="de">' in page
    assert "Was über Sie gespeichert ist" in page


def test_files_are_for_their_owner_alone(brand, tmp_path):
    ClientFactory(brand=brand, email=ADA)

    _export(tmp_path, ADA)

    assert (tmp_path / "person.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--email=nobody@example.com"], "Nothing is stored of nobody@example.com."),
        (["--email=nobody"], "nobody is no e-mail address."),
        (["--email=a@b.example", "--brand=none"], "no brand with the name or id none"),
        (["--email=a@b.example", "--output=/nowhere"], "There is no folder /nowhere."),
    ],
)
def test_refusals(options, fault, brand, tmp_path):
    with pytest.raises(CommandError, match=fault):
        call_command("affiliates_export_person", f"--output={tmp_path}", *options)

    assert list(tmp_path.iterdir()) == []


def test_a_guest_without_an_address_leads_to_no_other_guest(brand, tmp_path):
    """Theirs is empty as well."""
    guest, other = (
        GuestFactory(brand=brand, email=""),
        GuestFactory(brand=brand, email=""),
    )

    found = list(rows_of(subject_of([guest], brand=brand, email="")))

    assert str(other.pk) not in str(found)
    assert str(guest.pk) in str(found)


def test_an_affiliate_of_another_brand_is_not_found(brand, affiliate, tmp_path):
    other = BrandFactory(client_area="other.example.com")
    user = ClientFactory(brand=other, email=ADA)
    AffiliateFactory(brand=other, user=user, code="elsewhere")
    ClientFactory(brand=brand, email=ADA)

    text, _ = _export(tmp_path, ADA, f"--brand={brand.name}")

    assert "elsewhere" not in text
