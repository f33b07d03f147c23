"""The affiliate's links: made, tried, changed, and what came by each."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from affiliates.core.ids import new_id
from affiliates.program.models import AffiliateLink
from affiliates.program.rules import AffiliateStatus
from tests.cases import each
from tests.database import nothing_written, queries_of
from tests.factories.affiliates import AffiliateLinkFactory, ClickFactory
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.django_db

LINKS = "/affiliate/links"
NEW = "/affiliate/links/new"
PLANS = "https://shop.example.com/plans"
EVIL = "https://evil.example/"


@pytest.fixture
def page(link) -> str:
    return f"{LINKS}/{link.pk}"


def test_without_links_the_page_says_what_to_do(browser):
    answer = browser.get(LINKS)

    assert "No links yet." in answer.text
    assert ">Your short address" in answer.text
    assert f'href="{NEW}"' in answer.text
    assert 'value="https://shop.example.com/?ref=partner"' in answer.text


def test_a_link_is_listed_with_its_address_and_what_came_by_it(browser, link):
    ClickFactory(
        affiliate=link.affiliate,
        link=link,
        visitor_id=new_id(),
        created_at=timezone.now(),
    )

    answer = browser.get(LINKS)

    [shown] = answer.context["found"]["links"]
    assert shown["figures"]["counts"]["human_clicks"] == 1
    assert f'value="https://shop.example.com/aff/{link.hash}"' in answer.text
    assert f'id="link-{link.pk}"' in answer.text
    assert f'data-copies="link-{link.pk}"' in answer.text
    assert "<script src=" in answer.text


def test_links_are_filtered(browser, link):
    AffiliateLinkFactory(affiliate=link.affiliate, name="Old", is_active=False)

    off = browser.get(LINKS, {"is_active": "false"})
    unknown = browser.get(LINKS, {"ordering": "hash"})

    assert [one["name"] for one in off.context["found"]["links"]] == ["Old"]
    assert unknown.status_code == 400


def test_more_links_take_no_more_queries(browser, link):
    browser.get(LINKS)
    few = queries_of(lambda: browser.get(LINKS))
    for _ in range(5):
        AffiliateLinkFactory(affiliate=link.affiliate)

    assert queries_of(lambda: browser.get(LINKS)) == few


def test_a_link_is_made(browser, affiliate):
    answer = browser.post(NEW, {"name": "Blog", "target_url": PLANS}, follow=True)

    link = AffiliateLink.objects.get()
    assert (link.affiliate, link.name, link.target_url) == (affiliate, "Blog", PLANS)
    assert answer.redirect_chain == [(f"{LINKS}/{link.pk}", 302)]
    assert "The link is made: share its address." in answer.text


def test_a_link_is_tried_before_it_is_made(browser, affiliate):
    with nothing_written():
        answer = browser.post(NEW, {"name": "Blog", "target_url": PLANS, "try": "1"})
        usual = browser.post(NEW, {"name": "Blog", "try": "1"})

    assert answer.context["trial"].redirect.url == PLANS
    assert "The page that you chose." in answer.text
    assert usual.context["trial"].redirect.url == "https://shop.example.com/"
    assert "The usual first page." in usual.text


@each("button", [{}, {"try": "1"}])
@each(
    ("target", "said"),
    [
        (EVIL, "evil.example is no redirect target of"),
        ("plans", "Write the whole address, beginning with https://"),
        ("https://a:b@shop.example.com/", "Leave out the user name and the password."),
        (f"{PLANS}?ref=other", "Leave out the parameter &#x27;ref&#x27;"),
    ],
)
def test_a_page_that_no_visit_may_lead_to_is_refused_beside_its_field(
    browser, target, said, button
):
    with nothing_written():
        answer = browser.post(NEW, {"name": "Blog", "target_url": target, **button})

    assert answer.status_code == 400
    assert said in answer.text
    assert list(answer.context["form"].errors) == ["target_url"]
    # That is for operators.
    assert "add the host" not in answer.text


def test_who_is_suspended_makes_and_changes_no_link(browser, link, page):
    link.affiliate.status = AffiliateStatus.SUSPENDED
    link.affiliate.save()

    with nothing_written():
        made = browser.post(NEW, {"name": "Blog"})
        changed = browser.post(page, {"name": "Blog"})

    assert (made.status_code, changed.status_code) == (400, 400)
    assert "Only an active affiliate can do that." in made.text


def test_a_link_is_changed_and_switched_off(browser, link, page):
    answer = browser.post(page, {"name": "New", "target_url": ""}, follow=True)

    link.refresh_from_db()
    assert (link.name, link.target_url, link.is_active) == ("New", "", False)
    assert "This link is switched off: it credits nobody." in answer.text


def test_a_change_is_tried_first(browser, page):
    changes = {"name": "New", "target_url": "https://shop.example.com/", "try": "1"}

    with nothing_written():
        answer = browser.post(page, changes)

    assert answer.context["trial"].redirect.url == "https://shop.example.com/"
    assert answer.context["landing"].redirect.url == PLANS


def test_a_page_that_is_no_longer_permitted_is_said_so(browser, link, page):
    AffiliateLink.objects.filter(pk=link.pk).update(target_url=EVIL)

    answer = browser.get(page)

    assert "not permitted any more" in answer.text
    assert answer.context["landing"].redirect.url == "https://shop.example.com/"


def test_sub_ids_are_in_the_addresses_and_the_picture(browser, link, page):
    answer = browser.get(page, {"sub": "blog top", "sub2": "banner", "sub3": ""})

    query = "?sub=blog+top&amp;sub2=banner"
    assert f'value="https://shop.example.com/aff/{link.hash}{query}"' in answer.text
    assert f'src="{page}/qr.svg{query}"' in answer.text


def test_a_sub_id_that_no_click_would_keep_is_refused(browser, link, page):
    answer = browser.get(page, {"sub": "x" * 101})

    assert "at most 100 characters" in answer.text
    assert f'value="https://shop.example.com/aff/{link.hash}"' in answer.text


def test_the_address_is_a_qr_code(browser, link, page):
    segno = pytest.importorskip("segno")

    answer = browser.get(f"{page}/qr.svg", {"sub": "print"})

    address = f"https://shop.example.com/aff/{link.hash}?sub=print"
    size = 8 * segno.make(address, micro=False).symbol_size(border=4)[0]
    assert answer["Content-Type"] == "image/svg+xml"
    assert f'viewBox="0 0 {size} {size}"' in answer.text
    assert "style=" not in answer.text


def test_without_the_library_there_is_no_qr_code(browser, page, monkeypatch):
    for module in ("promotion.links", "qr_codes", "dashboard"):
        monkeypatch.setattr(f"affiliates.contrib.area.{module}.HAS_QR_CODES", False)

    assert "qr.svg" not in browser.get(page).text
    assert "qr.svg" not in browser.get("/affiliate/").text
    assert browser.get(f"{page}/qr.svg").status_code == 404


def test_a_link_of_another_affiliate_is_not_there(browser, rival):
    page = f"{LINKS}/{AffiliateLinkFactory(affiliate=rival).pk}"

    with nothing_written():
        assert browser.get(page).status_code == 404
        assert browser.post(page, {"name": "Mine"}).status_code == 404
        assert browser.get(f"{page}/qr.svg").status_code == 404


def test_the_address_to_recruit_by_is_shown_where_the_plan_pays_for_it(
    browser, brand, affiliate, rival
):
    assert "Recruit affiliates" not in browser.get(LINKS).content.decode()
    CommissionPlanFactory(
        brand=brand, is_default=True, recruiter_percent=Decimal("12.5")
    )
    rival.recruiter = affiliate
    rival.save()

    page = browser.get(LINKS).content.decode()

    assert f"http://shop.example.com/affiliate/program?by={affiliate.code}" in page
    assert "you get 12.5 % of what they earn. You have recruited 1 affiliate." in page
    assert rival.code not in page
    german = browser.get(LINKS, headers={"accept-language": "de"}).text
    assert "Sie erhalten 12,5 % von dem" in german


def test_a_page_that_signs_visitors_out_is_refused(browser, affiliate):
    with nothing_written():
        answer = browser.post(NEW, {"name": "Out", "target_url": "/logout"})

    assert answer.status_code == 400
    assert "This page signs visitors out: choose a page that" in answer.text


def test_a_path_is_completed_to_a_page_of_the_brand(browser, brand, affiliate, link):
    brand.default_redirect_url = "https://shop.example.com/start"
    brand.save()

    browser.post(NEW, {"name": "Plans", "target_url": "/plans?x=1"})
    browser.post(f"/affiliate/links/{link.pk}", {"name": "B", "target_url": "/b"})
    with nothing_written():
        other = browser.post(NEW, {"name": "Evil", "target_url": "//evil.example/"})

    made = affiliate.links.get(name="Plans")
    link.refresh_from_db()
    assert made.target_url == "https://shop.example.com/plans?x=1"
    assert link.target_url == "https://shop.example.com/b"
    assert other.status_code == 400


def test_a_link_is_made_with_a_name_in_its_address(browser, affiliate):
    browser.post(NEW, {"name": "Blog", "slug": "Summer"})

    link = AffiliateLink.objects.get()
    page = browser.get(f"{LINKS}/{link.pk}")
    assert 'value="https://shop.example.com/aff/summer"' in page.text
    assert "slug" not in page.context["form"].fields


def test_a_link_without_a_name_is_given_one(browser, link, page):
    form = browser.get(page).context["form"]
    assert "slug" in form.fields

    browser.post(page, {"name": "Blog", "is_active": "on", "slug": "summer"})
    browser.post(page, {"name": "Blog 2", "is_active": "on"})

    link.refresh_from_db()
    assert (link.name, link.slug) == ("Blog 2", "summer")


@each(
    ("slug", "said"),
    [
        ("login", "This name is taken: choose another one."),
        ("a b", "Use 3 to 32 lower-case letters, digits and hyphens"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused_beside_its_field(browser, slug, said):
    with nothing_written():
        answer = browser.post(NEW, {"name": "Blog", "slug": slug})

    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == ["slug"]
    assert said in answer.text
