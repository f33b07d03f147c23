"""The page that leads through a brand's first steps."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.brands.models.brand import Brand
from affiliates.program.models import Affiliate
from affiliates.visits.models import Click
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db
GUIDE = "admin:affiliates_brand_guide"
STEPS = [
    "Brand",
    "Domains",
    "Default redirect URL",
    "Plan",
    "First affiliate",
    "Link",
    "Test visit",
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
        "privacy_control": "not_considered",
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
        "There is no active affiliate: choose a client of the brand.",
        "No active link of an active affiliate.",
        "It needs a link.",
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


def test_the_test_visit_goes_through_the_endpoints_own_function_and_is_the_last_step(
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
    assert steps(page) == dict.fromkeys(STEPS, True)


def test_a_test_visit_that_the_guard_refuses_is_no_step_done(admin_client, brand, link):
    Brand.objects.update(
        require_https=True, default_redirect_url="http://x.example.net/"
    )

    page = admin_client.post(reverse(GUIDE), follow=True)

    assert "Refused" in told(page)[0]
    assert not steps(page)["Test visit"]


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
    assert {one["may"] for one in page.context["steps"]} == {False}
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
