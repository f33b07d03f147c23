"""A link's name in its address: chosen once, found like its hash, withdrawn by staff."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from affiliates.errors import InvalidInput, StateConflict
from affiliates.program import slugs
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.services import change_link, create_link
from affiliates.program.slugs import clear_slug
from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, visited
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db
HOME, PLANS = f"{SHOP}/", f"{SHOP}/plans"


@pytest.fixture(autouse=True)
def _known_at_once(settings):
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 0


def name(link: AffiliateLink, slug: str) -> AffiliateLink:
    affiliate_id = link.affiliate_id
    return change_link(
        link_id=link.pk, affiliate_id=affiliate_id, changes={"slug": slug}
    )


@pytest.mark.parametrize(
    ("page", "source"),
    [
        ("/aff/summer-24", "path"),
        ("/aff/Summer-24/", "path"),
        ("/aff/summer-24?ref=x", "path"),
        ("/?ref=summer-24", "parameter"),
        ("/#/plans?ref=SUMMER-24", "parameter"),
    ],
)
def test_a_visit_by_the_name_is_one_by_the_link(api, link, page, source):
    name(link, "summer-24")

    data = visited(api, SHOP + page)

    assert data["redirect_url"] == PLANS
    assert data["referral_cookie"]
    click = Click.objects.get()
    assert (click.affiliate, click.link) == (link.affiliate, link)
    assert click.source == source


def test_a_name_given_after_a_visit_asked_for_it_is_found(api, link):
    before = visited(api, f"{SHOP}/aff/summer")
    name(link, "summer")
    after = visited(api, f"{SHOP}/aff/summer")

    assert (before, after["redirect_url"]) == ({"redirect_url": HOME}, PLANS)


def test_the_hash_goes_on_working_and_the_name_is_shown(api, link):
    link = name(link, "summer")

    assert visited(api, f"{SHOP}/aff/{link.hash}")["redirect_url"] == PLANS
    assert link.urls() == [f"{SHOP}/aff/summer", f"{SHOP}/?ref={link.hash}"]


def test_a_code_is_no_name_in_a_path(api, affiliate):
    with nothing_written():
        assert visited(api, f"{SHOP}/aff/{affiliate.code}") == {"redirect_url": HOME}


def test_a_link_switched_off_is_not_found_by_its_name(api, link):
    change_link(
        link_id=link.pk,
        affiliate_id=link.affiliate_id,
        changes={"slug": "summer", "is_active": False},
    )

    with nothing_written():
        assert visited(api, f"{SHOP}/aff/summer") == {"redirect_url": HOME}


def test_a_name_is_of_one_brand(api, link, host):
    other = BrandFactory(client_area="other.example.com")
    user = host.client(other, email="their@example.com")
    theirs = AffiliateFactory(brand=other, user=user)
    name(AffiliateLinkFactory(affiliate=theirs), "summer")

    with nothing_written():
        assert visited(api, f"{SHOP}/aff/summer") == {"redirect_url": HOME}
    assert name(link, "summer").slug == "summer"


@each(
    "slug",
    [
        "ab",
        "a" * 33,
        "-summer",
        "summer-",
        "som mer",
        "sömmer",
        "summer/24",
        "summer.24",
        "12345",
        "a_b",
    ],
)
def test_a_name_that_is_none_is_refused_beside_its_field(link, slug):
    with nothing_written(), pytest.raises(ValidationError) as refused:
        name(link, slug)

    assert "slug" in refused.value.message_dict


@pytest.mark.parametrize(
    "slug", ["admin", "Login", "support", "rival", "taken", "TAKEN", "old-one", "gone"]
)
def test_a_name_that_is_reserved_or_anothers_is_refused(link, rival, slug):
    create_link(affiliate_id=rival.pk, name="One", slug="taken")
    gone = create_link(affiliate_id=rival.pk, name="Two", slug="gone")
    clear_slug(gone.pk)
    AffiliateLinkFactory(affiliate=rival, old_code="old-one")

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        name(link, slug)

    assert (refused.value.field, refused.value.detail) == (
        "slug",
        "This name is taken: choose another one.",
    )


def test_the_affiliates_own_code_may_be_a_links_name(link):
    Affiliate.objects.update(code="erika")

    assert name(link, "erika").slug_in_use == "erika"


def test_a_name_stays_for_good(link):
    name(link, "summer")

    for slug in ("winter", ""):
        with nothing_written(), pytest.raises(StateConflict) as refused:
            name(link, slug)
        assert refused.value.code == "slug_is_fixed"
    assert name(link, "Summer").slug == "summer"


def test_another_affiliate_cannot_have_a_name_as_its_code(link, brand, rival):
    name(link, "summer")
    rival.code = "summer"

    with pytest.raises(ValidationError) as refused:
        rival.full_clean()

    assert refused.value.message_dict == {
        "code": ["Another affiliate's link has this name."]
    }


def test_names_of_one_affiliate_are_limited(link, monkeypatch):
    monkeypatch.setattr(slugs, "MAX_SLUGS", 1)
    name(link, "summer")

    with nothing_written(), pytest.raises(StateConflict) as refused:
        create_link(affiliate_id=link.affiliate_id, name="Two", slug="winter")

    assert refused.value.code == "too_many_slugs"


@each(
    ("slug", "has_brand"),
    [("summer", True), ("Winter", True), ("winter", False), ("", True)],
)
def test_the_database_holds_one_lower_case_name_for_one_link(
    link, rival, slug, has_brand
):
    name(link, "summer")
    brand = rival.brand if has_brand else None

    with pytest.raises(IntegrityError), transaction.atomic():
        AffiliateLinkFactory(affiliate=rival, slug=slug, slug_brand=brand)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_many_who_choose_a_name_at_once_one_has_it(brand, host):
    users = [host.client(brand, email=f"{n}@example.com") for n in range(6)]
    affiliates = [AffiliateFactory(brand=brand, user=user) for user in users]

    def choose(number: int) -> str:
        try:
            of = affiliates[number].pk
            return create_link(affiliate_id=of, name="Blog", slug="summer").slug
        except InvalidInput as refused:
            return refused.code

    assert sorted(at_once(6, choose)) == ["slug_taken"] * 5 + ["summer"]
    assert AffiliateLink.objects.count() == 1


def test_staff_withdraw_a_name_with_a_reason(api, admin_client, link):
    name(link, "summer")
    assert "referral_cookie" in visited(api, f"{SHOP}/aff/summer")
    page = reverse("admin:affiliates_affiliatelink_clear_slug", args=[link.pk])

    with nothing_written():
        asked = admin_client.post(page, {"confirmed": "yes", "reason": ""})
    admin_client.post(page, {"confirmed": "yes", "reason": "Offends"})

    link.refresh_from_db()
    assert "Withdraw the name summer?" in asked.content.decode()
    assert (link.slug, link.slug_in_use) == ("summer", "")
    assert LogEntry.objects.get().change_message == "Name summer withdrawn. Offends"
    assert visited(api, f"{SHOP}/aff/summer") == {"redirect_url": HOME}
    assert "referral_cookie" not in visited(api, f"{SHOP}/?ref=summer")
    assert visited(api, f"{SHOP}/aff/{link.hash}")["redirect_url"] == PLANS
    assert link.urls()[0] == f"{SHOP}/aff/{link.hash}"


def test_a_link_without_a_name_has_nothing_to_withdraw(admin_client, link):
    page = reverse("admin:affiliates_affiliatelink_change", args=[link.pk])
    action = reverse("admin:affiliates_affiliatelink_clear_slug", args=[link.pk])

    assert action not in admin_client.get(page).content.decode()
    with nothing_written():
        admin_client.post(action, {"confirmed": "yes", "reason": "Offends"})


@pytest.mark.parametrize("sought", ["summer", f"{SHOP}/aff/summer?x=1"])
def test_staff_find_a_link_by_its_name(admin_client, link, sought):
    name(link, "summer")

    page = reverse("admin:affiliates_affiliatelink_changelist")
    found = admin_client.get(page, {"q": sought})

    assert list(found.context["cl"].result_list) == [link]


def test_a_withdrawn_name_is_explained_where_an_address_is_tried(admin_client, link):
    name(link, "summer")
    clear_slug(link.pk)

    page = reverse("admin:affiliates_click_try_url")
    asked = {"brand": link.affiliate.brand_id, "visit_url": f"{SHOP}/aff/summer"}

    said = "Staff have withdrawn this name of a link."
    assert said in admin_client.get(page, asked).content.decode()
