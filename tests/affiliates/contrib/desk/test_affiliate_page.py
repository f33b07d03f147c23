"""The page that tells all of an affiliate, its notes, and what suspending means."""

from __future__ import annotations

import re

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.adapter import get_adapter
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.desk.affiliate.page import SECTIONS, STATISTICS
from affiliates.membership.suspension_admin import what_suspending_means
from affiliates.membership.suspensions import WhatIsPending
from affiliates.program.history_models import AffiliateNote
from affiliates.program.models import Affiliate
from affiliates.program.services import add_note
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateLinkFactory
from tests.factories.books import PayoutFactory
from tests.factories.emails import EmailFactory
from tests.factories.payouts import DestinationFactory
from tests.guard.markers import marker

MAX_QUERIES = 25


def page(affiliate: Affiliate, section: str = "") -> str:
    path = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    return f"{path}?section={section}" if section else path


def text_of(answer) -> str:
    return answer.content.decode()


def test_first_section_sums_up_what_is_owed(admin_client, commission, affiliate):
    text = text_of(admin_client.get(page(affiliate)))

    assert "€10.00" in text
    assert "Commissions by state" in text
    assert "Pending" in text


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_shown_while_empty(admin_client, affiliate, section):
    answer = admin_client.get(page(affiliate, section))

    assert answer.status_code == 200
    assert f'href="?section={section}" aria-current="page"' in text_of(answer)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("links", "A link"),
        ("orders", "order-1"),
        ("commissions", "€10.00"),
        ("payouts", "€50.00"),
        ("emails", "A subject"),
        ("notes", marker("staff", "note")),
        ("timeline", marker("staff", "note")),
    ],
)
def test_section_shows_its_rows(
    admin_client, admin_user, commission, affiliate, now, section, said
):
    AffiliateLinkFactory(affiliate=affiliate, name="A link")
    EmailFactory(brand=affiliate.brand, affiliate=affiliate)
    destination = DestinationFactory(affiliate=affiliate)
    PayoutFactory(affiliate=affiliate, destination=destination, amount=50_00)
    add_note(
        affiliate_id=affiliate.pk,
        text=marker("staff", "note"),
        author_id=admin_user.pk,
        now=now,
    )

    assert said in text_of(admin_client.get(page(affiliate, section)))


@pytest.mark.parametrize("section", sorted(set(SECTIONS) - {STATISTICS}))
def test_section_asks_little_however_many_rows(
    admin_client, admin_user, commission, affiliate, now, section
):
    counts = []
    for _ in range(2):
        for number in range(5):
            AffiliateLinkFactory(affiliate=affiliate, name=f"Link {number}")
            add_note(
                affiliate_id=affiliate.pk, text="!", author_id=admin_user.pk, now=now
            )
        with CaptureQueriesContext(connection) as queries:
            admin_client.get(page(affiliate, section))
        counts.append(len(queries))

    assert counts[0] >= counts[1]
    assert counts[1] <= MAX_QUERIES


def test_note_is_kept_with_who_and_when(admin_client, admin_user, affiliate):
    path = reverse("admin:affiliates_affiliate_note", args=[affiliate.pk])

    asked = admin_client.get(path)
    answer = admin_client.post(path, {"text": marker("staff", "note")})

    note = AffiliateNote.objects.get()
    assert "the affiliate never sees it" in text_of(asked)
    assert (note.text, note.author) == (marker("staff", "note"), admin_user)
    assert answer["Location"] == page(affiliate, "notes")


def test_empty_note_is_not_kept(admin_client, affiliate):
    path = reverse("admin:affiliates_affiliate_note", args=[affiliate.pk])

    with nothing_written():
        answer = admin_client.post(path, {"text": ""})

    assert "This field is required." in text_of(answer)


def test_sections_are_of_those_who_may_see_such_rows(
    admin_client, admin_user, affiliate
):
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_affiliate", "view_orderreferral"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))

    shown = admin_client.get(page(affiliate))
    refused = admin_client.get(page(affiliate, "payouts"))

    assert "?section=orders" in text_of(shown)
    assert "?section=payouts" not in text_of(shown)
    assert refused.status_code == 403


def look(client, affiliate, **answers):
    path = reverse("admin:affiliates_affiliate_look", args=[affiliate.pk])
    return client.post(path, answers)


def test_a_look_is_asked_for_with_a_reason(admin_client, admin_user, affiliate, now):
    affiliate.brand.domains.update(is_client_area=True)
    path = reverse("admin:affiliates_affiliate_look", args=[affiliate.pk])
    asked = admin_client.get(path)
    with nothing_written():
        silent = look(admin_client, affiliate, reason=" ")
    with time_machine.travel(now, tick=False):
        answer = look(admin_client, affiliate, reason=marker("staff", "look"))

    made = AreaLook.objects.get()
    assert "Nothing can be changed" in text_of(asked)
    assert "This field is required." in text_of(silent)
    assert (made.actor, made.reason, made.asked_at) == (
        *(admin_user, marker("staff", "look")),
        now,
    )
    assert "/affiliate/look/" in answer["Location"]
    assert "A look was asked for" in text_of(
        admin_client.get(page(affiliate, "timeline"))
    )
    AreaLook.objects.update(started_at=now, ends_at=now, pages=["/affiliate/orders"])
    shown = text_of(admin_client.get(page(affiliate, "timeline")))
    assert "Its area was looked at" in shown
    assert f"{admin_user}: {marker('staff', 'look')}. Until " in shown
    assert "/affiliate/orders" in shown


def test_without_a_client_area_there_is_no_look(admin_client, affiliate):
    affiliate.brand.domains.update(is_client_area=False)

    with nothing_written():
        answer = look(admin_client, affiliate, reason="Asked")

    assert "No client area of this brand" in text_of(answer)


def suspend(client, affiliate, **answers):
    return client.post(
        reverse("admin:affiliates_affiliate_changelist"),
        {"action": "suspend", "_selected_action": [affiliate.pk], **answers},
        follow=True,
    )


def test_suspending_says_what_becomes_of_the_money(admin_client, commission, affiliate):
    text = text_of(suspend(admin_client, affiliate))

    assert "Pending: €10.00. Choose below what becomes of it." in text
    for choice in WhatIsPending:
        assert choice.label in text
    assert what_suspending_means([affiliate.pk]) == [
        "Pending: €10.00. It matures as if nothing had happened."
    ]


@pytest.mark.parametrize(
    ("pending", "status"),
    [("", "pending"), ("stays", "pending"), ("held", "held"), ("rejected", "rejected")],
)
def test_what_is_pending_becomes_what_is_chosen(
    admin_client, admin_user, commission, affiliate, pending, status
):
    answers = {"confirmed": "yes", "reason": "Spam", "pending": pending}

    text = text_of(suspend(admin_client, affiliate, **answers))

    affiliate.refresh_from_db()
    commission.refresh_from_db()
    assert (affiliate.status, commission.status) == ("suspended", status)
    event = commission.events.last()
    is_staff = (event.actor, event.reason_details) == (admin_user, {"note": "Spam"})
    assert is_staff is (status != "pending")
    assert (f"1 commissions are {status}." in text) is (status != "pending")
    call_command("verify_ledger", "--deep", verbosity=0)


def test_without_a_reason_nothing_is_rejected(admin_client, commission, affiliate):
    with nothing_written():
        suspend(admin_client, affiliate, confirmed="yes", reason="", pending="rejected")

    affiliate.refresh_from_db()
    assert affiliate.status == "active"


def test_choosing_needs_the_permission_to_judge(
    admin_client, admin_user, commission, affiliate
):
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_affiliate", "change_affiliate"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))
    answers = {"confirmed": "yes", "reason": "Spam", "pending": "rejected"}

    asked = text_of(suspend(admin_client, affiliate))
    suspend(admin_client, affiliate, **answers)

    affiliate.refresh_from_db()
    commission.refresh_from_db()
    assert "It matures as if nothing had happened." in asked
    assert (affiliate.status, commission.status) == ("suspended", "pending")


def test_nothing_is_said_of_no_money(affiliate):
    assert what_suspending_means([affiliate.pk]) == []


def test_commissions_name_the_invoice_by_its_number(
    admin_client, commission, affiliate, monkeypatch
):
    known = {commission.sale.invoice_ref: "INV-7"}
    monkeypatch.setattr(type(get_adapter()), "invoice_numbers", lambda *_, **__: known)

    text = text_of(admin_client.get(page(affiliate, "commissions")))

    path = reverse("admin:affiliates_sale_change", args=[commission.sale_id])
    assert re.search(rf'<a [^>]*href="{path}"[^>]*>INV-7</a>', text)
