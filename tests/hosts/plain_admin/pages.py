"""Every admin page of ours, drawn by Django's own admin. Run by tests/hosts/test_pages.py."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse

from affiliates.admin_tools.naming import page_name
from affiliates.admin_tools.theme import HAS_UNFOLD
from affiliates.brands.models.staff import StaffBrand
from affiliates.contracts import RefundKind
from affiliates.hooks import own_apps
from affiliates.payouts.models import Payout
from affiliates.payouts.services.requests import request_payout
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoiceRefund, Sale
from tests.factories.affiliates import CreativeFactory
from tests.factories.announcements import AnnouncementFactory
from tests.factories.area import AffiliateKeyFactory
from tests.factories.books import AdjustmentFactory, DecisionOverrideFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.emails import EmailFactory
from tests.factories.events_api import BrandKeyFactory
from tests.factories.fraud import FraudReviewFactory
from tests.factories.imports import ImportedRowFactory, ImportFaultFactory
from tests.factories.integrations import TrackingIntegrationFactory, WebhookFactory
from tests.factories.payout_runs import (
    AnswerLineFactory,
    RunLineFactory,
    StatementFactory,
)
from tests.factories.payouts import (
    DestinationFactory,
    PayoutAccountFactory,
    PayoutTermsFactory,
    earn,
)
from tests.factories.plans import (
    AffiliateGroupFactory,
    CommissionPlanFactory,
    CouponCodeFactory,
)
from tests.factories.recruitment import InvitationFactory
from tests.factories.world import World


@pytest.fixture
def world(affiliate, link, host):
    brand = affiliate.brand
    CommissionPlanFactory(brand=brand)
    AffiliateGroupFactory(brand=brand)
    TrackingIntegrationFactory(brand=brand)
    WebhookFactory(brand=brand)
    MissingSaleClaimFactory(affiliate=affiliate)
    world = World(host=host, brand=brand, affiliates=[affiliate])
    visitor = world.arrive()
    world.visit(visitor, affiliate)
    world.register(visitor)
    order = world.convert(
        visitor, currency="EUR", lines=[("hosting", "annually", 10_000)]
    )
    world.pay(order.invoices[0])
    world.refund(order.invoices[0], 100, kind=RefundKind.REFUND)
    world.cancel_refund(InvoiceRefund.objects.get().refund_ref, None, ref="won")
    FraudReviewFactory(sale=Sale.objects.get())
    PayoutTermsFactory(brand=brand)
    PayoutAccountFactory(brand=brand)
    DestinationFactory(affiliate=affiliate, usable_from=world.now)
    earn(affiliate)
    AdjustmentFactory(affiliate=affiliate)
    CouponCodeFactory(affiliate=affiliate)
    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=world.now)
    AnnouncementFactory(brand=brand, to=[affiliate])
    EmailFactory(brand=brand)
    AffiliateKeyFactory(affiliate=affiliate)
    BrandKeyFactory(brand=brand)
    CreativeFactory(brand=brand)
    InvitationFactory(brand=brand)
    RunLineFactory(affiliate=affiliate)
    AnswerLineFactory(answer__brand=brand)
    ImportedRowFactory(affiliate=affiliate)
    ImportFaultFactory(file__brand=brand)
    StatementFactory(payout=Payout.objects.get())
    referral = OrderReferral.objects.earliest("pk")
    DecisionOverrideFactory(
        referral=referral, replaced=referral.decision, actor=affiliate.user
    )
    StaffBrand.objects.create(person=affiliate.user, brand=brand)
    return world


def pages_of_ours():
    ours = own_apps()
    return [
        page for page in admin.site._registry.values() if page.opts.app_config in ours
    ]


def test_every_page_is_answered(world, admin_client, rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    asked, empty = [], []
    for page in pages_of_ours():
        name = f"admin:{page.opts.app_label}_{page.opts.model_name}"
        asked.append(reverse(f"{name}_changelist"))
        if page.has_add_permission(request):
            asked.append(reverse(f"{name}_add"))
        row = page.get_queryset(request).first()
        if row is None:
            empty.append(page.opts.model_name)
            continue
        asked.append(reverse(f"{name}_change", args=[row.pk]))
        asked += [path for _, path in page._links(page.get_actions_list(request))]
        buttons = page.get_actions_detail(request, str(row.pk))
        asked += [path for _, path in page._links(buttons, str(row.pk))]

    answers = {path: admin_client.get(path).status_code for path in asked}

    assert not HAS_UNFOLD
    assert len(asked) > 60
    assert len(empty) < 7, empty
    # A button may lead on to another page.
    assert {
        path: code for path, code in answers.items() if code not in {200, 302}
    } == {}
    assert {path for path in asked[:2] if answers[path] != 200} == set()


def test_every_action_of_a_list_is_answered(world, admin_client, rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    asked = {}
    for page in pages_of_ours():
        row = page.get_queryset(request).first()
        path = reverse(page_name(page.opts.model_name, "changelist"))
        for name in page.get_actions(request) if row else ():
            chosen = {"action": name, ACTION_CHECKBOX_NAME: str(row.pk)}
            asked[path, name] = admin_client.post(path, chosen).status_code

    assert len(asked) > 10
    assert {one: code for one, code in asked.items() if code not in {200, 302}} == {}


def test_a_button_and_its_card_are_drawn(world, admin_client):
    order = reverse("admin:affiliates_orderreferral_changelist")
    pk = OrderReferral.objects.earliest("pk").pk
    story = reverse("admin:affiliates_orderreferral_change", args=[pk])

    listed = admin_client.get(order).content.decode()
    told = admin_client.get(story).content.decode()

    assert f'<a href="{order}what-if/">What if…</a>' in listed
    assert f'href="{order}{pk}/assign/">' in told
    assert "<h2>Timeline</h2>" in told
    assert 'href="/static/affiliates/plain.css"' in told


def test_a_form_has_the_button_to_what_it_would_change(world, admin_client):
    plan = reverse("admin:affiliates_commissionplan_change", args=[1])

    form = admin_client.get(plan).content.decode()

    assert (
        '<input type="submit" name="_what_if" value="What would this change?" '
        f'formaction="{plan.removesuffix("change/")}what-if/#result" '
        'formtarget="_blank"'
    ) in form
    assert form.index('name="_save"') < form.index('name="_what_if"')
