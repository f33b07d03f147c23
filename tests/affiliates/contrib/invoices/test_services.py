"""Invoices are sent, replaced and refused; their files are encrypted."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.db import connection, transaction

from affiliates.contrib.invoices.models import InvoiceFile, PayoutInvoice
from affiliates.contrib.invoices.rules import MAX_INVOICES
from affiliates.contrib.invoices.selectors import INVOICES, digest_of, file_of
from affiliates.contrib.invoices.services import refuse_invoice
from affiliates.emails.models import Email
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.program.rules import AffiliateStatus
from affiliates.verification.seals import SEALED, judge_seal
from tests.affiliates.uploads.hostile import FILES
from tests.database import nothing_written
from tests.factories.files import pdf
from tests.factories.invoices import PayoutInvoiceFactory
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db
SCANNER = "tests.affiliates.contrib.invoices.test_services."


def finds_nothing(content):
    return ""


def finds_a_virus(content):
    return f"Eicar in {len(content)} bytes."


def breaks(content):
    raise OSError("no socket")


def says_nothing(content):
    return None


def refused_of(call, kind=InvalidInput):
    with nothing_written(), pytest.raises(kind) as refused:
        call()
    return refused.value.code, refused.value.field


def test_an_invoice_is_stored_encrypted(asked, send, now):
    payout, content = asked(), pdf(b"<< /Title (Ada) >>")

    invoice = send(payout, content=content, net=8_403, tax=1_597)

    stored = PayoutInvoice.objects.get()
    with connection.cursor() as cursor:
        cursor.execute("SELECT content FROM affiliates_invoices_invoicefile")
        [(text,)] = cursor.fetchall()
    assert stored == invoice
    assert (stored.number, stored.issued_on) == ("2026-17", date(2026, 3, 1))
    assert (stored.net, stored.tax, stored.total) == (8_403, 1_597, 10_000)
    assert (stored.size, stored.digest) == (len(content), digest_of(content))
    assert (stored.uploaded_at, stored.state, stored.end) == (now, "waits", "")
    assert "%PDF" not in text
    assert file_of(stored) == content
    assert SEALED[PayoutInvoice] == "payout__brand_id"
    assert list(judge_seal(stored)) == []


def test_the_same_again_changes_nothing(asked, send):
    first = send(asked())

    with nothing_written():
        assert send(first.payout) == first


def test_another_one_replaces_it(asked, send):
    payout = asked()
    first = send(payout)

    second = send(payout, number="2026-17b")

    first.refresh_from_db()
    assert (first.state, second.state) == ("replaced", "waits")
    assert file_of(first) == pdf()


def test_a_file_that_was_changed_is_not_given_out(asked, send):
    invoice = send(asked())
    InvoiceFile.objects.update(content=INVOICES.encrypt(pdf(b"<< >>")))

    with pytest.raises(StateConflict) as changed:
        file_of(invoice)
    InvoiceFile.objects.update(content="unreadable")
    with pytest.raises(StateConflict) as unreadable:
        file_of(invoice)

    assert (changed.value.code, unreadable.value.code) == ("file_changed",) * 2


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_writes_nothing(name, asked, send, settings):
    settings.AFFILIATES_MAX_INVOICE_BYTES = 200_000
    payout = asked()

    assert refused_of(lambda: send(payout, content=FILES[name][0])) == (
        "invalid_file",
        "file",
    )


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"number": " "}, ("required", "number")),
        ({"number": "1" * 41}, ("max_length", "number")),
        ({"number": "2026\u202e17"}, ("invalid", "number")),
        ({"number": "2026\x0017"}, ("invalid", "number")),
        ({"issued_on": date(2026, 3, 2)}, ("invalid", "issued_on")),
        ({"tax": 1}, ("invalid", "total")),
        ({"net": 0, "tax": 10_000}, ("invalid", "total")),
    ],
)
def test_what_an_invoice_cannot_say(facts, expected, asked, send):
    payout = asked()

    assert refused_of(lambda: send(payout, **facts)) == expected


def test_a_number_is_used_for_one_payout(asked, send, staff, now):
    first, second = asked(), asked(currency="USD")
    second.brand.invoice_terms.change(needed_from={"EUR": 0, "USD": 0})
    send(first)

    assert refused_of(lambda: send(second)) == ("number_taken", "number")

    reject_payout(payout_id=first.pk, reason="No.", actor_id=staff.pk, now=now)
    assert send(second).state == "waits"


def test_two_affiliates_may_use_one_number(asked, send, rival):
    send(asked())

    assert send(asked(owner=rival)).number == "2026-17"


def test_nobody_sends_one_for_anothers_payout(asked, send, rival):
    payout = asked()

    assert refused_of(lambda: send(payout, owner_id=rival.pk), NotFound)[0] == (
        "not_found"
    )


def test_a_payout_that_needs_none_takes_none(asked, send, invoice_terms):
    payout = asked()
    invoice_terms.change(needed_from={"EUR": 10_001})

    refused = refused_of(lambda: send(payout), StateConflict)

    assert refused == ("invoice_not_needed", None)


def test_a_decided_payout_takes_no_other(asked, send, staff, now):
    payout = asked()
    send(payout)
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    refused = refused_of(lambda: send(payout, number="2"), StateConflict)

    assert refused == ("payout_decided", None)


def test_a_suspended_affiliate_sends_nothing(asked, send, affiliate):
    payout = asked()
    affiliate.change(status=AffiliateStatus.SUSPENDED)

    refused = refused_of(lambda: send(payout), StateConflict)

    assert refused == ("affiliate_inactive", None)


def test_invoices_of_a_payout_are_limited(asked, send):
    payout = asked()
    for number in range(MAX_INVOICES):
        PayoutInvoiceFactory(payout=payout, number=number, end="refused")

    refused = refused_of(lambda: send(payout), StateConflict)

    assert refused == ("too_many_invoices", None)


@pytest.mark.parametrize(
    ("hook", "kind", "code", "sentence"),
    [
        (
            "finds_a_virus",
            InvalidInput,
            "invalid_file",
            f"Eicar in {len(pdf())} bytes.",
        ),
        ("breaks", StateConflict, "not_scanned", "try again later"),
        ("says_nothing", StateConflict, "not_scanned", "try again later"),
        ("is_not_there", StateConflict, "not_scanned", "try again later"),
    ],
)
def test_the_hosts_hook_refuses(hook, kind, code, sentence, asked, send, settings):
    settings.AFFILIATES_SCAN_UPLOAD = SCANNER + hook
    payout = asked()

    with nothing_written(), pytest.raises(kind, match=sentence) as refused:
        send(payout)

    assert refused.value.code == code


def test_a_file_that_the_hook_lets_through_is_stored(asked, send, settings):
    settings.AFFILIATES_SCAN_UPLOAD = f"{SCANNER}finds_nothing"

    assert send(asked()).state == "waits"


def test_a_refused_one_asks_for_another(asked, send, staff, now):
    payout = asked()
    invoice = send(payout)
    Email.objects.all().delete()

    for _ in range(2):
        refuse_invoice(
            invoice_id=invoice.pk,
            reason="No address.",
            actor_id=staff.pk,
            now=now + timedelta(days=1),
        )

    invoice.refresh_from_db()
    [email] = Email.objects.all()
    assert (invoice.state, invoice.reason) == ("refused", "No address.")
    assert (invoice.refused_by, list(judge_seal(invoice))) == (staff, [])
    assert (email.kind, email.values) == (
        "invoice_needed",
        {
            "payout": payout.pk,
            "amount": {"amount": 10_000, "currency": "EUR"},
            "reason": "No address.",
        },
    )
    assert send(payout).state == "waits"


def test_one_that_does_not_count_is_not_refused(asked, send, staff, now):
    payout = asked()
    first = send(payout)
    second = send(payout, number="2")
    refusal = {"reason": "No.", "actor_id": staff.pk, "now": now}

    replaced = refused_of(
        lambda: refuse_invoice(invoice_id=first.pk, **refusal), StateConflict
    )
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
    accepted = refused_of(
        lambda: refuse_invoice(invoice_id=second.pk, **refusal), StateConflict
    )

    assert (replaced[0], accepted[0]) == ("payout_decided", "payout_decided")


def test_a_transaction_that_fails_leaves_no_file(asked, send):
    payout = asked()

    with nothing_written(), transaction.atomic():
        send(payout)
        transaction.set_rollback(True)

    assert not InvoiceFile.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_counts(asked, send):
    payout = asked()

    sent = at_once(8, lambda number: send(payout, number=str(number)))

    counting = PayoutInvoice.objects.filter(end="")
    assert {invoice.number for invoice in sent} == {str(one) for one in range(8)}
    assert counting.count() == 1
    assert PayoutInvoice.objects.filter(end="replaced").count() == 7
