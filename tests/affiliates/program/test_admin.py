"""Affiliates and links in Django admin."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.urls import reverse

from affiliates.brands.models.change import ConfigChange
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import find_link
from affiliates.program.services import change_status
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory
from tests.factories.area import AffiliateKeyFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory

# What the browser sends of the rows that are shown only.
NO_ROWS = {
    f"{name}-{count}_FORMS": "0"
    for name in ("balances", "application", "accepted_terms", "notes")
    for count in ("TOTAL", "INITIAL")
}
AFFILIATES = "admin:affiliates_affiliate_changelist"
LINKS = "admin:affiliates_affiliatelink_changelist"


@pytest.fixture
def others(brand, host) -> list[Affiliate]:
    """One affiliate of each status."""
    return [
        AffiliateFactory(
            brand=brand,
            user=host.client(brand, email=f"{status}@example.com"),
            code=f"is-{status}",
            status=status,
        )
        for status in AffiliateStatus
    ]


def statuses() -> dict[str, str]:
    return dict(Affiliate.objects.values_list("code", "status"))


def run(client, action: str, rows: list[Affiliate], **answer: str):
    form = {"action": action, "_selected_action": [row.pk for row in rows], **answer}
    return client.post(reverse(AFFILIATES), form)


@each(
    ("title", "name"),
    [
        ("Links", "show_links"),
        ("Add a link", "add_link"),
        ("E-mails", "show_emails"),
        ("Add a note…", "note"),
        ("Enter a destination…", "enter_destination"),
        ("Transfer or merge…", "transfer"),
    ],
)
def test_what_is_done_rarely_is_in_one_menu(admin_client, affiliate, title, name):
    page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])

    text = " ".join(admin_client.get(page).content.decode().split())

    address = reverse(f"admin:affiliates_affiliate_{name}", args=[affiliate.pk])
    menu = text.partition('<details class="affiliates-menu')[2].partition("</details>")[
        0
    ]
    assert f'<a class="text-link" href="{address}">{title}</a>' in menu
    assert text.count(f'"{address}"') == 1


@each(
    ("status", "names"),
    [
        ("pending", ["approve_this", "decline_this"]),
        ("active", ["suspend_this", "adjust", "start_payout"]),
        ("suspended", ["activate_this", "adjust", "start_payout"]),
    ],
)
def test_what_the_status_calls_for_is_beside_the_name(
    admin_client, others, status, names
):
    row = Affiliate.objects.get(status=status)
    page = reverse("admin:affiliates_affiliate_change", args=[row.pk])

    answer = admin_client.get(page)

    text, head = answer.content.decode(), answer.context["head"]
    menu = text.partition('<details class="affiliates-menu')[2].partition("</details>")[
        0
    ]
    for name in names:
        address = reverse(f"admin:affiliates_affiliate_{name}", args=[row.pk])
        assert text.count(f'"{address}"') == 1
        assert f'"{address}"' not in menu
    assert (head.status, [path for _, path in head.buttons][: len(names)]) == (
        AffiliateStatus(status).label,
        [
            reverse(f"admin:affiliates_affiliate_{name}", args=[row.pk])
            for name in names
        ],
    )


def test_changed_status_counts_those_that_had_another_and_is_seen_by_visits(others):
    brand_id = others[0].brand_id
    known = [find_link(brand_id=brand_id, token=one.code) for one in others]

    changed = change_status(Affiliate.objects.all(), status=AffiliateStatus.ACTIVE)

    assert len(changed) == 3
    assert set(statuses().values()) == {"active"}
    assert {one.status for one in known if one is not None} == set(AffiliateStatus)
    for one in others:
        facts = find_link(brand_id=brand_id, token=one.code)
        assert facts is not None
        assert facts.status is AffiliateStatus.ACTIVE


def test_unchanged_status_leaves_the_configuration_as_it_is(affiliate):
    before = ConfigChange.objects.count()

    changed = change_status(Affiliate.objects.all(), status=AffiliateStatus.ACTIVE)

    assert changed == []
    assert ConfigChange.objects.count() == before


@pytest.mark.parametrize(
    ("action", "answer", "status", "message"),
    [
        (
            "suspend",
            {"confirmed": "yes", "reason": "Spam"},
            "suspended",
            "3 changed to suspended. 1 unchanged.",
        ),
    ],
)
def test_action_changes_the_chosen_and_reports_and_logs(
    admin_client, others, affiliate, action, answer, status, message
):
    answer = run(admin_client, action, others, **answer)

    assert answer.status_code == 302
    assert statuses() == {row.code: status for row in others} | {"partner": "active"}
    assert [str(one) for one in get_messages(answer.wsgi_request)] == [message]
    assert LogEntry.objects.count() == 3


def test_approving_asks_first_and_leaves_the_suspended(admin_client, others):
    before = statuses()

    asked = run(admin_client, "approve", others).content.decode()
    unchanged = statuses()
    answer = run(admin_client, "approve", others, confirmed="yes")

    pending = [code for code, status in before.items() if status == "pending"]
    assert "Approve 1 affiliate?" in asked
    assert unchanged == before
    assert answer.status_code == 302
    assert statuses() == before | dict.fromkeys(pending, "active")
    assert LogEntry.objects.count() == len(pending) == 1


@pytest.mark.parametrize("answer", [{}, {"confirmed": "yes", "reason": ""}])
def test_suspending_asks_for_a_reason(admin_client, others, answer):
    before = statuses()

    page = run(admin_client, "suspend", others, **answer).content.decode()

    assert "4 affiliates." in page
    assert "This field is required." in page or not answer
    assert statuses() == before
    assert LogEntry.objects.count() == 0


def test_reason_of_a_suspension_is_kept(admin_client, affiliate):
    run(admin_client, "suspend", [affiliate], confirmed="yes", reason="Spam")

    assert LogEntry.objects.get().change_message == "Status: Suspended. Spam"


def test_action_needs_the_permission_to_change(admin_client, admin_user, others):
    admin_user.is_superuser = False
    admin_user.save()
    before = statuses()

    answer = run(admin_client, "approve", others)

    assert answer.status_code == 403
    assert statuses() == before


@pytest.mark.parametrize("query", ["is-pending", "pending@example.com"])
def test_affiliate_is_found_by_code_and_by_email(admin_client, others, query):
    page = admin_client.get(reverse(AFFILIATES), {"q": query})

    assert [row.code for row in page.context["cl"].result_list] == ["is-pending"]


def test_affiliates_are_listed_in_few_queries(
    admin_client, others, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        admin_client.get(reverse(AFFILIATES), {"status__exact": "active"})


def test_client_and_brand_are_chosen_by_searching(admin_client, brand, affiliate):
    assert offered(admin_client, "user", term="affiliate@") == [str(affiliate.user_id)]


def offered(client, field: str, **asked: object) -> list[str]:
    asked |= {"app_label": "affiliates", "model_name": "affiliate", "field_name": field}
    found = client.get(reverse("admin:autocomplete"), asked)
    return [row["id"] for row in found.json()["results"]]


def test_affiliate_that_takes_over_is_an_active_one_of_the_brand(
    admin_client, brand, others, host
):
    second = BrandFactory(client_area="other.example.com")
    AffiliateFactory(brand=second, user=host.client(second, email="second@example.com"))
    active = [str(row.pk) for row in others if row.status == AffiliateStatus.ACTIVE]

    assert offered(admin_client, "merged_into", brand=brand.pk) == active != []


def test_groups_and_plans_of_the_brand_are_offered(admin_client, brand):
    second = BrandFactory(client_area="other.example.com")
    group, plan = AffiliateGroupFactory(brand=brand), CommissionPlanFactory(brand=brand)
    AffiliateGroupFactory(brand=second)
    CommissionPlanFactory(brand=second)

    assert offered(admin_client, "group", brand=brand.pk) == [str(group.pk)]
    assert offered(admin_client, "plan", brand=brand.pk) == [str(plan.pk)]


def test_client_of_another_brand_is_refused_in_the_form(admin_client, brand, host):
    other = BrandFactory(client_area="other.example.com")
    client = host.client(other, email="client@example.com")
    form = {"brand": brand.pk, "user": client.pk, "code": "new", "status": "active"}

    answer = admin_client.post(reverse("admin:affiliates_affiliate_add"), form)

    assert answer.context["adminform"].form.errors == {
        "user": ["This client belongs to another brand: choose one of this brand."]
    }
    assert Affiliate.objects.count() == 0


def test_change_page_shows_the_address_to_copy_and_keeps_brand_and_client(
    admin_client, affiliate
):
    url = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    AffiliateKeyFactory(affiliate=affiliate)

    page = admin_client.get(url)
    admin_client.post(
        url,
        NO_ROWS | {"brand": "", "user": "", "code": "renamed", "status": "suspended"},
    )

    assert "https://shop.example.com/?ref=partner" in page.content.decode()
    was = affiliate.user_id
    affiliate.refresh_from_db()
    assert (affiliate.code, affiliate.status, affiliate.user_id) == (
        "renamed",
        "active",
        was,
    )
    assert AffiliateKey.objects.get().end == ""


def test_affiliate_with_clicks_is_not_deleted_and_says_why(admin_client, affiliate):
    ClickFactory(affiliate=affiliate, visitor_id=UUID(int=7))

    answer = admin_client.post(
        reverse("admin:affiliates_affiliate_delete", args=[affiliate.pk]),
        {"post": "yes"},
    )

    assert [str(one) for one in get_messages(answer.wsgi_request)] == [
        "partner cannot be deleted, because clicks name it. Suspend it instead: its "
        "clicks and orders earn nothing from then on."
    ]
    assert Affiliate.objects.filter(pk=affiliate.pk).exists()


def test_affiliate_that_nothing_names_is_deleted(admin_client, affiliate):
    admin_client.post(
        reverse("admin:affiliates_affiliate_delete", args=[affiliate.pk]),
        {"post": "yes"},
    )

    assert Affiliate.objects.count() == 0


@pytest.mark.parametrize(
    ("action", "page", "query"),
    [
        ("show_links", "changelist", "affiliate__id__exact"),
        ("add_link", "add", "affiliate"),
    ],
)
def test_change_page_leads_to_the_affiliates_links(
    admin_client, affiliate, action, page, query
):
    answer = admin_client.get(
        reverse(f"admin:affiliates_affiliate_{action}", args=[affiliate.pk])
    )

    assert answer.headers["Location"] == (
        f"{reverse(f'admin:affiliates_affiliatelink_{page}')}?{query}={affiliate.pk}"
    )
    assert admin_client.get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize("object_id", ["zzz", UUID(int=7), 999_999])
@pytest.mark.parametrize("action", ["show_links", "add_link"])
def test_links_of_an_affiliate_that_is_not_are_not_found(
    action, object_id, admin_client
):
    answer = admin_client.get(
        reverse(f"admin:affiliates_affiliate_{action}", args=[object_id])
    )

    assert answer.status_code == 404


@each("value", ["zzz", UUID(int=7), 999_999, 10**30, ""])
@each(
    ("model", "field"),
    [
        ("affiliatelink", "affiliate"),
        ("affiliate", "brand"),
        ("affiliate", "user"),
        ("affiliate", "group"),
        ("affiliate", "plan"),
        ("affiliategroup", "plan"),
        ("couponcode", "affiliate"),
        ("payoutterms", "brand"),
    ],
)
def test_form_is_empty_where_the_address_names_no_row(
    model, field, value, admin_client, undrawn
):
    page = admin_client.get(
        reverse(f"admin:affiliates_{model}_add"), {field: value, "name": "Blog"}
    )

    assert page.status_code == 200
    initial = page.context["adminform"].form.initial
    assert (initial.get("name"), initial.get(field)) == ("Blog", None)


def test_form_has_the_affiliate_whom_the_address_names(admin_client, affiliate):
    page = admin_client.get(
        reverse("admin:affiliates_affiliatelink_add"), {"affiliate": affiliate.pk}
    )

    assert f'<option value="{affiliate.pk}" selected>partner</option>' in (
        page.content.decode()
    )


def test_link_is_made_with_a_hash_and_shows_its_addresses(admin_client, affiliate):
    form = {
        "affiliate": affiliate.pk,
        "name": "Newsletter",
        "target_url": "https://SHOP.example.com/plans",
        "is_active": "on",
        "hash": "f" * 40,
    }

    admin_client.post(reverse("admin:affiliates_affiliatelink_add"), form)

    link = AffiliateLink.objects.get()
    assert link.target_url == "https://shop.example.com/plans"
    assert link.hash != "f" * 40
    page = admin_client.get(
        reverse("admin:affiliates_affiliatelink_change", args=[link.pk])
    ).content.decode()
    assert f"https://shop.example.com/aff/{link.hash}" in page
    assert f"https://shop.example.com/?ref={link.hash}" in page


def test_unfit_target_is_refused_in_the_form(admin_client, link):
    url = reverse("admin:affiliates_affiliatelink_change", args=[link.pk])

    answer = admin_client.post(
        url, {"name": "Blog", "target_url": "https://evil.example/", "is_active": "on"}
    )

    assert list(answer.context["adminform"].form.errors) == ["target_url"]
    assert "Another host is added to the brand's domains first." in answer.text
    link.refresh_from_db()
    assert link.target_url == "https://shop.example.com/plans"


def test_link_is_found_by_hash_and_never_deleted(admin_client, link):
    page = admin_client.get(reverse(LINKS), {"q": link.hash})
    refusal = admin_client.post(
        reverse("admin:affiliates_affiliatelink_delete", args=[link.pk]),
        {"post": "yes"},
    )

    assert list(page.context["cl"].result_list) == [link]
    assert refusal.status_code == 403
    assert AffiliateLink.objects.filter(pk=link.pk).exists()


def on_page(client, action, affiliate, **answer):
    path = reverse(f"admin:affiliates_affiliate_{action}_this", args=[affiliate.pk])
    return client.post(path, answer, follow=True) if answer else client.get(path)


def test_suspending_on_its_page_asks_for_the_reason_too(admin_client, affiliate):
    AffiliateKeyFactory(affiliate=affiliate)
    asked = on_page(admin_client, "suspend", affiliate).text
    with nothing_written():
        silent = on_page(admin_client, "suspend", affiliate, reason=" ").text

    answer = on_page(admin_client, "suspend", affiliate, reason="Spam").text

    assert "Kept in the history of each affiliate." in asked
    assert "This field is required." in silent
    assert "1 changed to suspended." in answer
    assert statuses() == {"partner": "suspended"}
    assert LogEntry.objects.get().change_message == "Status: Suspended. Spam"
    assert AffiliateKey.objects.get().end == "suspended"


def test_who_is_suspended_is_made_active_on_its_page(admin_client, affiliate):
    change_status(Affiliate.objects.all(), status=AffiliateStatus.SUSPENDED)

    on_page(admin_client, "activate", affiliate, confirmed="yes")
    with nothing_written():
        again = on_page(admin_client, "activate", affiliate).text

    assert statuses() == {"partner": "active"}
    assert LogEntry.objects.get().change_message == "Status: Active."
    assert "It is not suspended, or it was merged into another." in again


def test_who_has_left_is_taken_back_on_its_page(admin_client, affiliate):
    change_status(Affiliate.objects.all(), status=AffiliateStatus.LEFT)

    asked = on_page(admin_client, "activate", affiliate).text
    on_page(admin_client, "activate", affiliate, confirmed="yes")

    assert "What an affiliate gave up or forfeited by leaving stays deducted." in asked
    assert statuses() == {"partner": "active"}


def test_who_was_merged_is_not_made_active_by_the_way(admin_client, affiliate, rival):
    Affiliate.objects.filter(pk=affiliate.pk).update(
        status="suspended", merged_into=rival
    )
    url = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])

    assert "/activate" not in admin_client.get(url).text
    with nothing_written():
        on_page(admin_client, "activate", affiliate, confirmed="yes")
        asked = on_page(admin_client, "activate", affiliate).text

    assert "It is not suspended, or it was merged into another." in asked


@pytest.mark.parametrize(
    ("status", "buttons"),
    [
        ("pending", set()),
        ("active", {"suspend"}),
        ("suspended", {"activate"}),
        ("left", {"suspend", "activate"}),
    ],
)
def test_its_page_offers_the_change_that_is_possible(
    admin_client, affiliate, status, buttons
):
    Affiliate.objects.update(status=status)
    url = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])

    page = admin_client.get(url).text

    assert {one for one in ("suspend", "activate") if f"/{one}" in page} == buttons
    assert 'name="status"' not in page


def test_application_that_was_approved_meanwhile_is_not_declined(
    affiliate, rf, admin_user
):
    """It would be suspended without an e-mail."""
    Affiliate.objects.update(status="pending")
    shown = Affiliate.objects.all()
    assert [one.status for one in shown] == ["pending"]
    Affiliate.objects.update(status="active")
    request = rf.post("/")
    request.user = admin_user
    request._messages = CookieStorage(request)
    page = site.get_model_admin(Affiliate)

    with nothing_written():
        page.change_status_of(request, shown, AffiliateStatus.SUSPENDED, reason="No")

    assert statuses() == {affiliate.code: "active"}
    assert [str(one) for one in get_messages(request)] == [
        "0 changed to suspended. 1 unchanged."
    ]


@pytest.mark.parametrize(
    ("status", "buttons"),
    [("pending", {"approve", "decline"}), ("active", set()), ("suspended", set())],
)
def test_only_an_applicant_is_approved_or_declined(
    admin_client, affiliate, status, buttons
):
    Affiliate.objects.update(status=status)
    url = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])

    page = admin_client.get(url).text

    assert {one for one in ("approve", "decline") if f"/{one}/" in page} == buttons
