"""Payouts in Django admin."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.naming import page_name
from affiliates.payouts.models import Payout, PayoutBatch, PayoutTerms
from affiliates.payouts.services.batches import export_batch
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.books import CommissionFactory, PayoutFactory
from tests.factories.payouts import (
    IBAN,
    OWN_ACCOUNT,
    DestinationFactory,
    PayoutTermsFactory,
)

LISTS = ["payoutterms", "payoutdestination", "payout", "payoutbatch"]
PAYOUTS = "admin:affiliates_payout_changelist"
DAYS_PAID = ["2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01", "2026-03-31"]


def page(name: str, *args: object) -> str:
    model, _, page = name.partition("_")
    return reverse(page_name(model, page), args=args)


def act(client, action, *payouts, **fields):
    """Choose payouts and an action in the list; with ``confirmed``, say yes."""
    return client.post(
        reverse(PAYOUTS),
        {
            "action": action,
            "_selected_action": [payout.pk for payout in payouts],
            **fields,
        },
    )


def told(answer) -> list[str]:
    return [str(message) for message in answer.wsgi_request._messages]


@pytest.fixture
def own_account(terms):
    for name, value in OWN_ACCOUNT.items():
        setattr(terms, name, value)
    terms.save()


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_shown_while_empty(admin_client, db, name):
    answer = admin_client.get(page(f"{name}_changelist"))

    assert answer.status_code == 200
    if name != "payoutterms":
        assert "Nothing yet" in answer.content.decode()


def test_empty_list_says_how_the_first_row_comes_about(admin_client, db):
    text = admin_client.get(reverse(PAYOUTS)).content.decode()

    assert (
        "A row appears when an affiliate asks for its payable balance, or staff start a "
        "payout on the affiliate&#x27;s page."
    ) in " ".join(text.split())


@pytest.mark.parametrize("name", LISTS)
def test_lists_show_rows_in_a_fixed_number_of_queries(
    admin_client, approved, staff, now, name, django_assert_max_num_queries
):
    payout = approved()
    export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    with django_assert_max_num_queries(12):
        answer = admin_client.get(page(f"{name}_changelist"))

    assert answer.status_code == 200


def test_a_payouts_page_costs_the_same_however_many_commissions_it_pays(
    admin_client, approved, affiliate, django_assert_num_queries
):
    payout = approved()
    address = page("payout_change", payout.pk)
    admin_client.get(address)
    with CaptureQueriesContext(connection) as with_one:
        admin_client.get(address)
    for number in range(5):
        CommissionFactory(
            sale__invoice_ref=f"more-{number}", affiliate=affiliate, payout=payout
        )

    with django_assert_num_queries(len(with_one)):
        admin_client.get(address)


def test_lists_of_files_do_not_read_the_files(admin_client, approved, staff, now):
    batch = export_batch(payout_ids=[approved().pk], actor_id=staff.pk, now=now)

    with CaptureQueriesContext(connection) as asked:
        admin_client.get(page("payoutbatch_changelist"))
        admin_client.get(page("payoutbatch_change", batch.pk))

    assert not [query for query in asked if '"content"' in query["sql"]]


@pytest.mark.parametrize(
    "query", ["?q=partner", "?q=1", "?q=nobody", "?status__exact=approved"]
)
def test_payouts_are_found(admin_client, approved, query):
    approved()

    assert admin_client.get(reverse(PAYOUTS) + query).status_code == 200


def test_destination_shows_its_hint_only(admin_client, affiliate):
    destination = DestinationFactory(affiliate=affiliate, to="bank")

    text = admin_client.get(
        page("payoutdestination_change", destination.pk)
    ).content.decode()

    assert "DE… 3000" in text
    assert IBAN not in text
    assert destination.details not in text


def test_payout_shows_its_steps_and_commissions(admin_client, approved):
    payout = approved(amount=7_512)

    text = admin_client.get(page("payout_change", payout.pk)).content.decode()

    assert "€75.12" in text
    assert "Requested" in text
    assert "Approved" in text
    assert str(payout.commissions.get().sale) in text


DECISIONS = [
    ("approve", "requested", "paypal"),
    ("export", "approved", "bank"),
    ("confirm", "exported", "paypal"),
    ("reject", "requested", "paypal"),
    ("reject_uncredited", "exported", "wallet"),
    ("came_back", "paid", "paypal"),
]
each_decision = pytest.mark.parametrize(("action", "status", "kind"), DECISIONS)


@pytest.fixture
def payout_of(affiliate, now):
    def payout_of(status: str, kind: str) -> Payout:
        return PayoutFactory(
            affiliate=affiliate,
            destination=DestinationFactory(affiliate=affiliate, to=kind),
            amount=7_512,
            status=status,
            finished_at=now if status in ("paid", "rejected") else None,
        )

    return payout_of


@each_decision
def test_action_asks_first(admin_client, payout_of, action, status, kind):
    payout = payout_of(status, kind)

    with nothing_written():
        of_many = act(admin_client, action, payout)
        of_one = admin_client.get(page(f"payout_{action}_this", payout.pk))

    for answer in (of_many, of_one):
        text = " ".join(answer.content.decode().split())
        assert answer.status_code == 200
        assert f">{payout}</a>" in text
        assert "1 payout, €75.12 in all." in text


@pytest.mark.parametrize(
    ("status", "kind", "offered"),
    [
        ("requested", "bank", {"approve", "reject"}),
        ("approved", "bank", {"export", "confirm", "reject"}),
        ("approved", "wallet", {"confirm", "reject"}),
        ("exported", "paypal", {"confirm", "reject"}),
        ("exported", "wallet", {"confirm", "reject", "reject_uncredited"}),
        ("paid", "offline", {"came_back"}),
        ("paid", "wallet", set()),
        ("rejected", "bank", set()),
    ],
)
def test_page_offers_what_the_status_allows(
    admin_client, payout_of, status, kind, offered
):
    payout = payout_of(status, kind)

    text = admin_client.get(page("payout_change", payout.pk)).content.decode()

    paths = {name: page(f"payout_{name}_this", payout.pk) for name, *_ in DECISIONS}
    assert {name for name, path in paths.items() if f'"{path}"' in text} == offered


@each_decision
def test_decided_meanwhile_nothing_is_done(
    admin_client, admin_user, payout_of, now, action, status, kind
):
    payout = payout_of("rejected", kind)
    payout.events.create(before="requested", after="rejected", actor=admin_user, at=now)
    answered = {"confirmed": "yes", "reason": "Mine", "reference": "B-1"}

    with nothing_written():
        of_one = admin_client.post(page(f"payout_{action}_this", payout.pk), answered)
        of_many = act(admin_client, action, payout, **answered, is_uncredited="on")

    said = f"{payout}: Rejected already by {admin_user}."
    assert of_one["Location"] == page("payout_change", payout.pk)
    assert told(of_one) == [said]
    assert told(of_many)[-1] == said


def test_account_credit_is_added_on_the_payouts_page(
    admin_client, approved, affiliate, monkeypatch
):
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    payout = approved("wallet")

    answer = admin_client.post(page("payout_confirm_this", payout.pk))

    assert told(answer) == ["1 payout confirmed as paid."]
    assert standing(affiliate) == (0, 0, 10_000)


def test_of_several_those_decided_meanwhile_are_told(
    admin_client, admin_user, affiliate, brand, host, now
):
    user = host.client(brand, email="o@example.com")
    other = AffiliateFactory(brand=brand, user=user, code="other")
    open_one = PayoutFactory(affiliate=affiliate, status="requested")
    decided = PayoutFactory(affiliate=other, status="approved")
    decided.events.create(
        before="requested", after="approved", actor=admin_user, at=now
    )

    answer = act(admin_client, "approve", open_one, decided, confirmed="yes")

    assert told(answer) == [
        "1 payout approved.",
        f"{decided}: Approved already by {admin_user}.",
    ]
    assert set(Payout.objects.values_list("status", flat=True)) == {"approved"}


def test_approved_by_two_staff_the_second_is_told(admin_client, requested):
    payout = requested()

    first = act(admin_client, "approve", payout, confirmed="yes")
    second = act(admin_client, "approve", payout, confirmed="yes")

    payout.refresh_from_db()
    assert payout.status == "approved"
    assert told(first) == ["1 payout approved."]
    assert told(second)[-1].startswith(f"Payout {payout.pk}: Approved already by ")


def test_exported_file_is_downloaded(admin_client, approved, own_account):
    payout = approved("bank")

    answer = act(admin_client, "export", payout, confirmed="yes")

    batch = PayoutBatch.objects.get()
    assert answer["Location"] == page("payoutbatch_changelist")
    assert told(answer) == [
        f"Batch {batch.pk}: 1 payout being paid. Download it below."
    ]
    file = admin_client.get(page("payoutbatch_download", batch.pk))
    again = admin_client.get(page("payoutbatch_download", batch.pk))
    assert file["Content-Disposition"] == (
        f'attachment; filename="payouts-{batch.pk}-bank-EUR.xml"'
    )
    assert "no-store" in file["Cache-Control"]
    assert IBAN in file.content.decode()
    assert file.content == again.content


def test_export_says_what_is_left_and_what_is_missing(
    admin_client, approved, requested
):
    payout = approved("bank")
    waiting = requested(currency="USD")

    answer = act(admin_client, "export", payout, waiting, confirmed="yes")

    assert PayoutBatch.objects.count() == 0
    assert told(answer) == [
        f"Fill in the account that {payout.brand} pays from, in its payout terms.",
        f"{waiting}: Requested, and not approved yet.",
    ]


def test_file_that_cannot_be_read_is_said(admin_client, approved, staff, now, settings):
    batch = export_batch(payout_ids=[approved().pk], actor_id=staff.pk, now=now)
    settings.AFFILIATES_SECRET_KEYS = "7:" + "B" * 43 + "="

    answer = admin_client.get(page("payoutbatch_download", batch.pk))

    assert answer["Location"] == page("payoutbatch_change", batch.pk)
    assert told(answer)[0].startswith("What is stored cannot be read")


def test_confirmed_with_a_reference(admin_client, approved, affiliate):
    payout = approved()

    answer = act(admin_client, "confirm", payout, confirmed="yes", reference="PP-1")

    payout.refresh_from_db()
    assert (payout.status, payout.remote_ref) == ("paid", "PP-1")
    assert told(answer) == ["1 payout confirmed as paid."]
    assert standing(affiliate) == (0, 0, 10_000)


@pytest.mark.parametrize("action", ["confirm", "reject"])
def test_empty_answer_is_asked_again(admin_client, approved, action):
    payout = approved()

    with nothing_written():
        answer = act(admin_client, action, payout, confirmed="yes")

    assert "This field is required." in answer.content.decode()


def test_account_credit_needs_no_reference(admin_client, approved, affiliate):
    payout = approved("wallet")

    answer = act(admin_client, "confirm", payout, confirmed="yes")

    assert told(answer) == ["1 payout confirmed as paid."]
    assert standing(affiliate) == (0, 0, 10_000)


def test_account_credit_is_added_where_requests_are_transactions(
    admin_client, approved, monkeypatch
):
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    payout = approved("wallet")

    answer = act(admin_client, "confirm", payout, confirmed="yes")

    assert told(answer) == ["1 payout confirmed as paid."]


def test_agreement_is_shown_to_whoever_pays(admin_client, admin_user, approved):
    payout = approved("offline")
    path = page("payout_change", payout.pk)

    shown = admin_client.get(path).content.decode()
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(Permission.objects.filter(codename="view_payout"))
    hidden = admin_client.get(path).content.decode()

    assert "A cheque each quarter" in shown
    assert "A cheque each quarter" not in hidden
    assert str(payout) in hidden


def test_rejected_with_a_reason(admin_client, approved, affiliate):
    payout = approved()

    act(admin_client, "reject", payout, confirmed="yes", reason="Unknown account")

    payout.refresh_from_db()
    assert (payout.status, payout.reason) == ("rejected", "Unknown account")
    assert standing(affiliate) == (10_000, 0, 0)


def test_rejected_as_not_credited_by_whoever_says_so(
    admin_client, admin_user, affiliate
):
    payout = PayoutFactory(
        affiliate=affiliate,
        destination=DestinationFactory(affiliate=affiliate, to="wallet"),
        status="exported",
    )
    answered = {"confirmed": "yes", "reason": "Looked"}

    with nothing_written():
        unsaid = act(admin_client, "reject_uncredited", payout, **answered)
    answer = act(
        admin_client, "reject_uncredited", payout, **answered, is_uncredited="on"
    )

    text = unsaid.content.decode()
    assert "I have looked: the account was not credited." in text
    assert "This field is required." in text
    assert told(answer) == ["1 payout rejected; the money is payable again."]
    last = payout.events.get()
    assert (last.after, last.reason, last.actor) == ("rejected", "Looked", admin_user)


def test_whole_batch_is_confirmed(admin_client, approved, staff, now):
    payout = approved()
    batch = export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
    path = page("payoutbatch_confirm_all", batch.pk)

    asked = admin_client.get(path)
    first = admin_client.post(path, {"reference": "B-1"})
    second = admin_client.post(path, {"reference": "B-1"})

    assert asked.status_code == 200
    assert Payout.objects.get().status == "paid"
    assert told(first) == ["1 payout confirmed as paid."]
    assert told(second)[-1] == "Nothing of it is waiting for a confirmation."


def test_whoever_may_only_look_is_offered_no_action(
    admin_client, admin_user, approved, staff, now
):
    batch = export_batch(payout_ids=[approved().pk], actor_id=staff.pk, now=now)
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(
        Permission.objects.filter(codename__in=["view_payout", "view_payoutbatch"])
    )

    text = admin_client.get(reverse(PAYOUTS)).content.decode()
    download = admin_client.get(page("payoutbatch_download", batch.pk))

    assert str(Payout.objects.get()) in text
    assert "Approve…" not in text
    assert download.status_code == 403


def test_nobody_adds_or_deletes_payouts(admin_client, affiliate):
    payout = PayoutFactory(affiliate=affiliate)

    assert admin_client.get(page("payout_add")).status_code == 403
    assert admin_client.post(page("payout_delete", payout.pk)).status_code == 403


TERMS = {
    "numbering": "brand",
    "kinds": ["paypal"],
    "cool_off_days": "3",
    "minimums": "EUR 25\n5000 jpy\nKWD 1.5\n\n",
    "debtor_name": "Demo Hosting GmbH",
    "debtor_iban": "DE02 1203 0000 0000 2020 51",
    "debtor_bic": "byladem1001",
}


def test_the_form_of_new_terms_begins_with_the_only_brand(admin_client, brand):
    chosen = f'<option value="{brand.pk}" selected>'

    shown = admin_client.get(page("payoutterms_add")).content.decode()
    second = BrandFactory(client_area="second.example.com")
    among_two = admin_client.get(page("payoutterms_add")).content.decode()
    named = admin_client.get(f"{page('payoutterms_add')}?brand={second.pk}")

    assert (chosen in shown, chosen in among_two) == (True, False)
    assert f'<option value="{second.pk}" selected>' in named.content.decode()


def test_terms_are_kept_in_minor_units(admin_client, brand):
    answer = admin_client.post(page("payoutterms_add"), {"brand": brand.pk, **TERMS})

    assert answer.status_code == 302
    terms = PayoutTerms.objects.get()
    assert terms.minimums == {"EUR": 2_500, "JPY": 5_000, "KWD": 1_500}
    assert (terms.debtor_iban, terms.debtor_bic) == (
        "DE02120300000000202051",
        "BYLADEM1001",
    )
    assert terms.to_terms().kinds == {"paypal"}
    shown = admin_client.get(page("payoutterms_change", terms.pk)).content.decode()
    assert "EUR 25.00\nJPY 5000\nKWD 1.500" in shown


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("minimums", "EUR", "Write &#x27;EUR&#x27; as a currency and an amount"),
        ("minimums", "QQQ 50", "QQQ is no currency."),
        ("minimums", "EUR -5", "as a currency and an amount"),
        ("minimums", "JPY 0.5", "0.5: JPY has no decimals."),
        ("minimums", "EUR 5\nEUR 6", "EUR is here twice."),
        ("cool_off_days", "91", "less than or equal to 90"),
        ("debtor_iban", "DE03120300000000202051", "This is no valid IBAN."),
        ("debtor_bic", "BYL", "A BIC has 8 or 11 letters and digits."),
    ],
)
def test_terms_that_cannot_be_used_are_refused(
    admin_client, brand, field, value, fault
):
    fields = {"brand": brand.pk, **TERMS, field: value}

    with nothing_written():
        answer = admin_client.post(page("payoutterms_add"), fields)

    assert fault in answer.content.decode()


def test_brand_of_terms_stays(admin_client, brand):
    terms = PayoutTermsFactory(brand=brand)

    admin_client.post(page("payoutterms_change", terms.pk), {"brand": 0, **TERMS})

    terms.refresh_from_db()
    assert (terms.brand, terms.cool_off_days) == (brand, 3)


def test_all_that_are_found_are_those_that_were_shown(
    admin_client, brand, host, requested
):
    shown = requested()
    chosen = {"select_across": "1"}
    question = act(admin_client, "approve", shown, **chosen)
    user = host.client(brand, email="other@example.com")
    unseen = requested(owner=AffiliateFactory(brand=brand, user=user))

    fields = question.context
    answer = {name: fields[name] for name in ("action", "select_across")}
    admin_client.post(
        reverse(PAYOUTS),
        {**answer, "_selected_action": fields["selected"], "confirmed": "yes"},
    )

    assert [shown.pk] == fields["selected"]
    shown.refresh_from_db()
    unseen.refresh_from_db()
    assert (shown.status, unseen.status) == ("approved", "requested")


def test_each_rejected_payout_may_have_a_reason_of_its_own(
    admin_client, affiliate, brand, host
):
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="o@example.com"), code="other"
    )
    first, second = (
        PayoutFactory(affiliate=one, status="requested") for one in (affiliate, other)
    )
    answer = {"reason": "Wrong account", f"reason-of-{second.pk}": "Asked to"}

    act(admin_client, "reject", first, second, confirmed="yes", **answer)

    assert dict(Payout.objects.values_list("pk", "reason")) == {
        first.pk: "Wrong account",
        second.pk: "Asked to",
    }


@pytest.mark.parametrize(
    ("paid", "days"),
    [
        ("month", ["2026-03-01", "2026-03-31"]),
        ("last-month", ["2026-02-01", "2026-02-28"]),
        ("before-last", ["2026-01-31"]),
        ("moon", DAYS_PAID),
    ],
)
def test_payouts_by_the_month_of_payment_with_reference_and_file(
    affiliate, admin_client, monkeypatch, paid, days
):
    monkeypatch.setattr(timezone, "localdate", lambda: date(2026, 3, 31))
    destination = DestinationFactory(affiliate=affiliate)

    def add(day, status, reference):
        PayoutFactory(
            affiliate=affiliate,
            destination=destination,
            status=status,
            remote_ref=reference,
            finished_at=datetime.fromisoformat(f"{day}T12:00:00+00:00"),
        )

    for day in DAYS_PAID:
        add(day, "paid", f"bank {day}")
    add("2026-02-10", "rejected", "")

    answer = admin_client.get(reverse(PAYOUTS), {"paid": paid})

    found = answer.context["cl"].queryset.exclude(status="rejected")
    assert sorted(one.remote_ref for one in found) == [f"bank {day}" for day in days]
    text = answer.content.decode()
    assert all(f"bank {day}" in text for day in days)
    if paid != "moon":
        assert answer.context["cl"].result_count == len(days)
