"""What lets money, persons' data or rights out asks staff who they are, by its class."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.adapter import get_adapter
from affiliates.admin_tools.base import ModelAdmin
from affiliates.admin_tools.leaving import LEAVING
from affiliates.brands.roles import WORK
from affiliates.hooks import own_apps
from tests.database import nothing_written
from tests.factories.payouts import PayoutTermsFactory

pytestmark = pytest.mark.django_db

PROVE = "/prove"
# Permissions of roles that let nothing out. A new one fails until somebody has decided.
STAYS = {
    "decides what is earned, which a payout pays": (
        "affiliates.assign_orderreferral affiliates.decide_fraudreview "
        "affiliates.judge_commission affiliates_claims.decide_missingsaleclaim"
    ),
    "is of the program, and read by everybody who sees it": (
        "affiliates.change_affiliate affiliates.change_affiliategroup "
        "affiliates.change_affiliatelink affiliates.change_brand "
        "affiliates.change_branddomain affiliates.change_commissionplan "
        "affiliates.change_couponcode affiliates.change_creative "
        "affiliates.change_fraudpolicy affiliates.change_planrule "
        "affiliates_announcements.change_announcement "
        "affiliates_announcements.send_announcement "
        "affiliates_offers.change_offer "
        "affiliates_recruitment.change_applicationquestion "
        "affiliates_recruitment.change_recruitmentpolicy "
        "affiliates_recruitment.change_programtermsversion"
    ),
    "is a note, a repetition, an end, or a look of our own": (
        "affiliates.add_affiliatenote affiliates.change_delivery affiliates.change_email "
        "affiliates_area.add_arealook affiliates_area.change_affiliatekey "
        "affiliates_events_api.change_brandkey affiliates_offers.change_offercode "
        "affiliates_recruitment.add_invitation affiliates_recruitment.change_invitation "
        "affiliates_stripe.change_stripeevent"
    ),
}


@pytest.fixture
def asking(monkeypatch):
    def ask(is_asking=True):
        page = PROVE if is_asking else None
        monkeypatch.setattr(
            type(get_adapter()), "identity_page", lambda adapter, request: page
        )

    ask()
    return ask


def test_each_permission_of_a_role_lets_something_out_or_has_a_reason_not_to():
    granted = {
        f"{label}.{name}"
        for label, roles in WORK.items()
        for work in roles.values()
        for name in (*work.does, *(f"change_{model}" for model in work.configures))
    }
    stays = {name for names in STAYS.values() for name in names.split()}

    assert granted - stays - LEAVING.keys() == set()
    assert stays & LEAVING.keys() == set()


def test_every_page_of_ours_asks_by_the_class():
    ours = {model for config in own_apps() for model in config.get_models()}

    pages = [page for model, page in admin.site._registry.items() if model in ours]

    assert [page for page in pages if not isinstance(page, ModelAdmin)] == []


def test_what_lets_something_out_asks_first(asking, admin_client, affiliate, brand):
    terms = PayoutTermsFactory(brand=brand)
    paths = [
        *(
            reverse(f"admin:affiliates_affiliate_{name}", args=[affiliate.pk])
            for name in (
                "export_person",
                "adjust",
                "start_payout",
                "enter_destination",
                "transfer",
            )
        ),
        reverse("admin:affiliates_payoutterms_change", args=[terms.pk]),
        reverse("admin:affiliates_staffbrand_add"),
        reverse("admin:affiliates_webhook_add"),
        reverse("admin:affiliates_affiliate_export", args=["csv"]),
    ]

    for path in paths:
        for send in (admin_client.get, admin_client.post):
            with nothing_written():
                answer = send(path, {"confirmed": "yes"})
            assert (path, answer.status_code, answer.get("Location")) == (
                path,
                302,
                PROVE,
            )

    asking(False)
    assert {admin_client.get(path).status_code for path in paths} == {200}


def test_staff_who_only_look_are_not_asked(asking, client, admin_user, brand):
    terms = PayoutTermsFactory(brand=brand)
    type(admin_user).objects.filter(pk=admin_user.pk).update(is_superuser=False)
    view = Permission.objects.get(codename="view_payoutterms")
    admin_user.user_permissions.add(view)
    client.force_login(admin_user)

    page = client.get(reverse("admin:affiliates_payoutterms_change", args=[terms.pk]))

    assert page.status_code == 200
