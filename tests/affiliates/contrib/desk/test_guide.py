"""The page that leads through a brand's first steps."""

from __future__ import annotations

import ast
from dataclasses import fields
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from affiliates import __version__
from affiliates.brands.models.brand import Brand
from affiliates.contracts import PaidInvoice
from affiliates.contrib.desk.guide import integrity
from affiliates.core.ids import new_id
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral
from affiliates.sales.models import InvoicePayment
from affiliates.visits.models import Click
from tests.factories.affiliates import BrandFactory, ClickFactory
from tests.factories.ledger import ClientReferralFactory, InvoicePaymentFactory
from tests.factories.payouts import PayoutTermsFactory

pytestmark = pytest.mark.django_db
GUIDE = "admin:affiliates_brand_guide"
SEEN = ["Visit of your shop", "Registration", "Payment"]
STEPS = [
    "Brand",
    "Domains",
    "Default redirect URL",
    "Plan",
    "Payout terms",
    "First affiliate",
    "Link",
    *SEEN,
]


@pytest.fixture(autouse=True)
def _known_at_once(settings):
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 0


def steps(page) -> dict[str, bool]:
    return {one["step"].title: one["step"].is_fine for one in page.context["steps"]}


def step(page, title: str) -> dict:
    (found,) = [one for one in page.context["steps"] if one["step"].title == title]
    return found


def told(answer) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def test_an_empty_installation_begins_with_a_brand(admin_client):
    page = admin_client.get(reverse(GUIDE))

    assert steps(page) == {"Brand": False}
    add = step(page, "Brand")["form"]
    assert add == f"{reverse('admin:affiliates_brand_add')}?_back={reverse(GUIDE)}"


def test_a_saved_form_leads_back_to_the_guide(admin_client):
    form = {
        "name": "Example",
        "is_active": "on",
        "default_redirect_url": "https://shop.example.com/",
        "landing": "default_url",
        "attribution_policy": "last_click",
        "attribution_window_days": "90",
        "bound_clients": "keep",
        "stand_down_minutes": "30",
        "claim_policy": "latest",
        "cookie_lifetime_days": "90",
        "click_months": "13",
        "other_click_months": "13",
        "flagged_hold_days": "3",
        "consent": "not_needed",
        "old_addresses": "hash",
        "privacy_control": "not_considered",
        "font": "system",
        "own_program": "on",
        "link_parameter": "ref",
        "domains-TOTAL_FORMS": "1",
        "domains-INITIAL_FORMS": "0",
        "domains-0-host": "shop.example.com",
        "domains-0-is_client_area": "on",
        "domains-0-is_redirect_target": "on",
    }
    add = step(admin_client.get(reverse(GUIDE)), "Brand")["form"]

    page = admin_client.post(add, form, follow=True)

    assert page.redirect_chain == [(reverse(GUIDE), 302)]
    assert page.context["brand"] == Brand.objects.get()
    done = [title for title, is_done in steps(page).items() if is_done]
    assert done == STEPS[:3]


@pytest.mark.parametrize(
    "to", ["https://evil.example/", "//evil.example/", "/\\\\evil.example", "evil"]
)
def test_nobody_is_led_to_another_server(to, admin_client, link):
    form = reverse("admin:affiliates_affiliatelink_change", args=[link.pk])

    answer = admin_client.post(
        f"{form}?{urlencode({'_back': to})}", {"name": "Footer", "is_active": "on"}
    )

    assert answer.status_code == 302
    assert answer["Location"] == reverse("admin:affiliates_affiliatelink_changelist")


def test_each_step_says_what_is_missing(admin_client, brand):
    brand.domains.update(is_client_area=False, is_redirect_target=False)
    Brand.objects.update(is_active=False)

    page = admin_client.get(reverse(GUIDE))

    assert steps(page) == dict.fromkeys(STEPS, False)
    assert [one["step"].said for one in page.context["steps"]] == [
        f"{brand} is switched off.",
        "No host is a client area: no page may call the API.",
        f"{brand.default_redirect_url} is on no domain that is a redirect target.",
        "There is no commission plan: nobody earns anything.",
        "There are none: enter how you pay, from which amount on, and who issues the "
        "statements.",
        "There is no active affiliate: choose a client of the brand.",
        "No active link of an active affiliate.",
        "Nobody has opened a link in your shop in the last 24 hours. Put the script on "
        "its pages, then open the link there.",
        "No client who came by a link has registered in the last 24 hours. Send the "
        "cookie's value with the registration and the order, then register a client.",
        "Your shop has reported no payment in the last 24 hours. Call invoice_paid where "
        "it records one, then pay an invoice.",
    ]


def test_a_step_that_is_undone_is_missing_again(admin_client, brand, plan, link):
    before = steps(admin_client.get(reverse(GUIDE)))
    plan.rules.all().delete()
    plan.is_default = False
    plan.save(update_fields=["is_default"])
    Affiliate.objects.update(status="suspended")
    after = steps(admin_client.get(reverse(GUIDE)))

    changed = [title for title in STEPS if before[title] and not after[title]]
    assert changed == ["Plan", "First affiliate", "Link"]


def heard(link, buyer, *, ago: timedelta, **click) -> None:
    """A visit, a registration and a payment of the shop."""
    then = timezone.now() - ago
    affiliate = link.affiliate
    ClickFactory(
        affiliate=affiliate, link=link, visitor_id=new_id(), created_at=then, **click
    )
    ClientReferralFactory(affiliate=affiliate, client=buyer, bound_at=then)
    InvoicePaymentFactory(brand=affiliate.brand, paid_at=then, received_at=then)


def test_the_last_steps_are_done_while_the_shop_was_heard_of(
    admin_client, brand, plan, link, buyer
):
    PayoutTermsFactory(brand=brand)
    heard(link, buyer, ago=timedelta(hours=23))

    page = admin_client.get(reverse(GUIDE))

    assert steps(page) == dict.fromkeys(STEPS, True)
    assert "10 of 10 steps done" in page.content.decode()


def test_what_the_shop_sent_a_day_ago_proves_nothing(admin_client, brand, link, buyer):
    heard(link, buyer, ago=timedelta(hours=25))

    assert not any(steps(admin_client.get(reverse(GUIDE)))[one] for one in SEEN)


def test_robots_and_other_brands_prove_nothing(admin_client, brand, link, host):
    other = BrandFactory(client_area="other.example.com")
    heard(
        link, host.client(other, email="a@example.org"), ago=timedelta(0), bot_signs="x"
    )
    for model in (ClientReferral, InvoicePayment):
        model.objects.update(brand=other)

    page = admin_client.get(reverse(GUIDE), {"brand": brand.pk})

    assert not any(steps(page)[one] for one in SEEN)


def test_a_test_brand_never_ends_its_steps(admin_client, brand, link, buyer):
    Brand.objects.update(is_test=True)
    heard(link, buyer, ago=timedelta(0))

    page = admin_client.get(reverse(GUIDE))

    assert {step(page, one)["step"].said for one in SEEN} == {
        "A test brand does not show that your shop works: choose its own brand."
    }
    assert not any(steps(page)[one] for one in SEEN)


def test_each_step_in_the_shop_shows_what_to_paste(admin_client, brand):
    brand.link_parameter = "via"
    brand.save()

    page = admin_client.get(reverse(GUIDE))

    script, field, call = (step(page, one)["example"] for one in SEEN)
    assert script == (
        f'<script src="/referral-{__version__}.js" integrity="{integrity()}"'
        ' data-api="http://testserver" data-params="via,a_aid,aid" defer></script>'
    )
    assert f"to the shop as /referral-{__version__}.js," in step(page, SEEN[0])["where"]
    assert field == "referral_cookie: window.referral?.cookie()"
    [paid] = [one for one in ast.walk(ast.parse(call)) if named(one) == "PaidInvoice"]
    given = {one.arg for one in paid.keywords}
    optional = {"renewal_number", "position"}
    assert given == {one.name for one in fields(PaidInvoice)} - optional
    assert f"brand_id={brand.pk}," in call


def named(node: ast.AST) -> str:
    return getattr(getattr(node, "func", None), "id", "")


def test_the_try_of_a_link_goes_through_the_endpoints_own_function_and_ends_no_step(
    admin_client, brand, plan, link
):
    page = admin_client.post(reverse(GUIDE), follow=True)

    assert told(page) == [
        f"The visit leads to {brand.default_redirect_url}. Permitted: a domain of the "
        "brand."
    ] or told(page) == [
        f"The visit leads to {brand.default_redirect_url}. Permitted: the visited host "
        "itself."
    ]
    click = Click.objects.get()
    assert (click.link, click.bot_signs) == (link, "user_agent")
    assert not any(steps(page)[one] for one in SEEN)


def test_a_try_that_the_guard_refuses_says_so(admin_client, brand, link):
    Brand.objects.update(
        require_https=True, default_redirect_url="http://x.example.net/"
    )

    page = admin_client.post(reverse(GUIDE), follow=True)

    assert "Refused" in told(page)[0]


def test_a_test_visit_of_a_brand_that_is_switched_off_is_refused(
    admin_client, brand, link
):
    brand.is_active = False
    brand.save()

    page = admin_client.post(reverse(GUIDE), follow=True)

    assert told(page) == [
        "This origin is not a client area of any active brand. Add it to the brand's "
        "domains."
    ]
    assert Click.objects.count() == 0


def test_who_may_only_look_does_nothing(admin_client, admin_user, brand, link):
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])
    admin_user.user_permissions.set(Permission.objects.filter(codename="view_brand"))

    page = admin_client.post(reverse(GUIDE), follow=True)

    assert page.status_code == 200
    assert Click.objects.count() == 0
    assert {one["may"] for one in page.context["steps"] if "form" in one} == {False}
    assert "ask somebody with the right to" in page.content.decode()


def test_an_unknown_brand_is_not_found(admin_client, brand):
    assert admin_client.get(reverse(GUIDE), {"brand": "99999"}).status_code == 404


def test_the_page_asks_little(admin_client, brand, plan, link):
    for number in range(5):
        BrandFactory(client_area=f"s{number}.example.com")
    url = reverse(GUIDE)
    admin_client.get(url, {"brand": brand.pk})

    with CaptureQueriesContext(connection) as asked:
        admin_client.get(url, {"brand": brand.pk})

    assert len(asked) <= 20
