"""What is recorded of a change of the configuration, where auditlog is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.http import HttpResponse
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.brands.models.brand import Brand
from affiliates.db.audit import recording
from affiliates.db.audit.middleware import AuditMiddleware
from affiliates.db.audit.selectors import changes_of
from affiliates.db.records import RecordQuerySet
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.sending.health import switch_off
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.services.destinations import change_destination
from affiliates.plans.models.group import AffiliateGroup
from affiliates.program.models import Affiliate, AffiliateLink
from tests.factories.integrations import TrackingIntegrationFactory, WebhookFactory
from tests.factories.payouts import IBAN
from tests.factories.plans import CommissionPlanFactory

needs_auditlog = pytest.mark.skipif(
    not recording.is_available(), reason="the host has not installed auditlog"
)


def entries() -> Any:
    from auditlog import get_logentry_model

    return get_logentry_model().objects.order_by("pk")


def last() -> tuple[str, dict[str, list[str]]]:
    entry = entries().last()
    return entry.object_repr, entry.changes


@needs_auditlog
def test_every_model_of_the_configuration_is_watched():
    from auditlog.registry import auditlog

    models = [apps.get_model(name) for name in recording.RECORDED_MODELS]

    assert {one for one in models if not auditlog.contains(one)} == set()
    for model in models:
        assert isinstance(model._default_manager.all(), RecordQuerySet), model
        assert isinstance(model._base_manager.all(), RecordQuerySet), model


def test_every_column_that_nobody_may_edit_is_left_out_or_masked():
    hidden = {
        field.name
        for name in recording.RECORDED_MODELS
        for field in apps.get_model(name)._meta.concrete_fields
        if not field.editable and not field.primary_key
    }

    # None of these is a secret: a link's hash, name and old code stand in its address, an image
    # or a file is shown to affiliates.
    assert hidden - {*recording.LEFT_OUT, *recording.SECRET} == {
        "affiliate",
        "audience",
        "cap_currency",
        "config",
        "cools_off_until",
        "daily_cap",
        "declined_at",
        "end",
        "erased_at",
        "file",
        "file_name",
        "file_size",
        "hash",
        "height",
        "held_since",
        "image",
        "kind",
        "links",
        "logo",
        "made_by",
        "old_code",
        "merged_into",
        "provider",
        "query",
        "restored_at",
        "sent_at",
        "sent_by",
        "single_person_asked_by",
        "slug",
        "slug_brand",
        "slug_is_cleared",
        "state",
        "width",
    }


@needs_auditlog
def test_saved_row_is_recorded_from_what_to_what(brand):
    before = brand.name
    brand.name = "Another name"
    brand.save()

    assert last() == ("Another name", {"name": [before, "Another name"]})


@needs_auditlog
def test_update_of_many_rows_is_recorded_for_each(affiliate, rival):
    before = entries().count()

    changed = Affiliate.objects.filter(status="active").update(status="suspended")

    assert changed == 2
    assert [(entry.object_repr, entry.changes) for entry in entries()[before:]] == [
        ("partner", {"status": ["active", "suspended"]}),
        ("rival", {"status": ["active", "suspended"]}),
    ]


@needs_auditlog
def test_update_that_changes_nothing_is_not_recorded(affiliate):
    before = entries().count()

    assert Affiliate.objects.filter(pk=affiliate.pk).update(status="active") == 1

    assert entries().count() == before


@needs_auditlog
def test_rows_added_at_once_are_recorded(affiliate):
    AffiliateLink.objects.bulk_create(
        [AffiliateLink(affiliate=affiliate, name=name) for name in ("One", "Two")]
    )

    names = [entry.changes["name"] for entry in entries().reverse()[:2]]
    assert names == [["None", "Two"], ["None", "One"]]


@needs_auditlog
@pytest.mark.parametrize("make", [TrackingIntegrationFactory, WebhookFactory])
def test_secrets_are_recorded_as_changed_and_not_read(brand, make):
    row = make(brand=brand)
    row.secrets = CREDENTIALS.seal({"password": "hunter2"})
    row.save()

    assert last()[1] == {"secrets": ["•••" if make is WebhookFactory else "", "•••"]}
    assert all(row.secrets not in str(entry.changes) for entry in entries())


@needs_auditlog
def test_destination_is_recorded_by_its_hint(affiliate, terms, now):
    change_destination(
        affiliate_id=affiliate.pk,
        kind="bank",
        values={"account_holder": "Ada Lovelace", "iban": IBAN},
        now=now,
    )

    hint = PayoutDestination.objects.get().hint
    _, changes = last()
    assert changes["hint"] == ["None", hint]
    assert changes["details"] == ["None", "•••"]
    columns = {"affiliate", "details", "entered_by", "hint", "kind", "usable_from"}
    assert set(changes) == columns
    assert IBAN not in str(changes)
    assert "Lovelace" not in str(changes)


@needs_auditlog
def test_what_the_worker_switches_off_is_recorded_of_nobody(brand, now):
    webhook = WebhookFactory(brand=brand)

    switch_off(webhook.pk, detail="410 Gone", now=now)

    [change, *_] = changes_of(type(webhook), webhook.pk)
    assert (change.who, sorted(one.field for one in change.fields)) == (
        "",
        ["active", "why it is off"],
    )
    assert {(one.before, one.after) for one in change.fields} == {
        ("yes", "no"),
        ("", "The receiver answered 410 Gone"),
    }


@needs_auditlog
def test_whoever_is_logged_in_is_named(admin_client, admin_user, affiliate):
    admin_client.post(
        reverse("admin:affiliates_affiliate_changelist"),
        {
            "action": "suspend",
            "_selected_action": [affiliate.pk],
            "confirmed": "yes",
            "reason": "Bought its own name",
        },
    )

    assert last() == ("partner", {"status": ["active", "suspended"]})
    assert entries().last().actor == admin_user


@needs_auditlog
def test_history_shows_names_instead_of_numbers(admin_client, affiliate, brand):
    group = AffiliateGroup.objects.create(brand=brand, name="Bloggers")
    affiliate.group = group
    affiliate.save()

    path = reverse("admin:affiliates_affiliate_history", args=[affiliate.pk])
    text = admin_client.get(path).content.decode()

    assert "From what to what" in text
    assert "group: Bloggers" in text
    assert text.count("<table") == 1
    assert "have a change history" not in text


@needs_auditlog
def test_history_of_a_brand_tells_of_its_domains_and_terms(brand, terms):
    domain = brand.domains.first()
    domain.delete()
    terms.cool_off_days = 9
    terms.save()

    found = [(one.what, one.action) for one in changes_of(Brand, brand.pk)[:2]]
    assert found == [
        (f"payout terms {terms}", "changed"),
        (f"domain {domain}", "deleted"),
    ]


@needs_auditlog
def test_history_asks_no_more_with_more_changes(brand, affiliate):
    plans = [CommissionPlanFactory(brand=brand, name=f"Plan {n}") for n in range(4)]
    counts = []
    for plan in plans:
        affiliate.plan = plan
        affiliate.save()
        with CaptureQueriesContext(connection) as queries:
            changes_of(Affiliate, affiliate.pk)
        counts.append(len(queries))

    assert len(set(counts[1:])) == 1
    assert counts[-1] <= 6


@needs_auditlog
def test_list_of_all_changes(admin_client, brand):
    before = brand.name
    brand.name = "Another name"
    brand.save()
    entry = entries().last()

    listed = admin_client.get(reverse("admin:auditlog_logentry_changelist"))
    shown = admin_client.get(
        reverse("admin:auditlog_logentry_change", args=[entry.pk])
    ).content.decode()

    assert "Another name" in listed.content.decode()
    assert f"<del>{before}</del> → Another name" in shown
    assert (
        admin_client.post(
            reverse("admin:auditlog_logentry_delete", args=[entry.pk])
        ).status_code
        == 403
    )


@pytest.mark.skipif(recording.is_available(), reason="the host has auditlog")
def test_without_auditlog_nothing_is_recorded_and_nothing_missed(
    admin_client, affiliate, brand, terms
):
    Affiliate.objects.filter(pk=affiliate.pk).update(status="suspended")
    path = reverse("admin:affiliates_affiliate_history", args=[affiliate.pk])

    assert changes_of(Affiliate, affiliate.pk) == []
    assert admin_client.get(path).status_code == 200


def test_request_is_remembered_while_it_is_answered():
    request = RequestFactory().get("/")
    seen, answered = [], HttpResponse()

    def answer(request: Any) -> HttpResponse:
        seen.append(recording.request_of_now.get())
        return answered

    async def answer_later(request: Any) -> HttpResponse:
        return answer(request)

    assert AuditMiddleware(answer)(request) is answered
    assert asyncio.run(AuditMiddleware(answer_later)(request)) is answered
    assert seen == [request, request]
    assert recording.request_of_now.get() is None
