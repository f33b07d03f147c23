"""What makes a visit an affiliate's, and what is kept of it."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from affiliates.conf import conf
from affiliates.visits.cookie import read_cookie
from affiliates.visits.models import Click
from affiliates.visits.unstored.counts import unstored
from tests.affiliates.api.calls import BROWSER, REFERRER, SHOP, visit, visited
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateLinkFactory

UNKNOWN_HASH = "0123456789abcdef0123456789abcdef01234567"
HOME = f"{SHOP}/"
PLANS = f"{SHOP}/plans"


def test_link_path_gives_cookie_target_and_one_click(api, link, clock):
    answer = visit(api, f"{SHOP}/aff/{link.hash}")

    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert set(answer.json()) == {"data"}
    data = answer.json()["data"]
    assert set(data) == {"redirect_url", "referral_cookie", "referral_cookie_max_age"}
    assert data["redirect_url"] == PLANS
    assert data["referral_cookie_max_age"] == 90 * 86_400
    click = Click.objects.get()
    assert click.created_at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert click.brand_id == link.affiliate.brand_id
    assert click.affiliate_id == link.affiliate_id
    assert click.link_id == link.pk
    assert click.visit_url == f"{SHOP}/aff/{link.hash}"
    assert click.referrer_url == REFERRER
    assert click.user_agent == BROWSER
    assert click.ip_prefix == "127.0.0.0/24"
    assert click.source == "path"
    assert click.affiliate_status == "active"
    assert click.own_program
    assert not click.is_repeat
    assert click.bot_signs == ""
    assert click.redirect_reason == "no_redirect"
    assert click.refused_redirect == ""


def test_visit_that_a_proxy_sends_to_a_second_process_is_one_click(
    api, link, clock, now
):
    sent = {"X-Request-ID": f"{now.timestamp():.3f}-{'0123456789abcdef' * 2}"}
    first = visit(api, f"{SHOP}/aff/{link.hash}", headers=sent).json()["data"]
    clock.shift(5)

    second = visit(api, f"{SHOP}/aff/{link.hash}", headers=sent).json()["data"]

    click = Click.objects.get()
    assert click.created_at == now
    for answer in (first, second):
        held = read_cookie(
            answer["referral_cookie"],
            brand_id=click.brand_id,
            ring=conf.cookie_keys,
            now=now,
        )
        assert (held.click_id, held.visitor_id) == (click.pk, click.visitor_id)
        assert held.issued_at == now


@pytest.mark.parametrize(
    ("_case", "page", "source", "redirect_url"),
    [
        ("path", "/aff/{hash}", "path", PLANS),
        ("path with a slash", "/aff/{hash}/", "path", PLANS),
        ("path and a query", "/aff/{hash}?u=1", "path", f"{PLANS}?u=1"),
        ("hash in the query", "/?ref={hash}", "parameter", PLANS),
        ("hash in capitals", "/?ref={HASH}", "parameter", PLANS),
        ("among others", "/s?a=1&ref={hash}&b=2", "parameter", f"{PLANS}?a=1&b=2"),
        ("code in the query", "/?ref=partner", "code", HOME),
        ("code in capitals", "/?ref=PARTNER", "code", HOME),
        ("code with spaces", "/?ref=%20partner+", "code", HOME),
        ("hash in the fragment", "/#ref={hash}", "parameter", PLANS),
        ("code in the fragment", "/#ref=partner", "code", HOME),
        ("in the fragment's query", "/#/plans?ref={hash}", "parameter", PLANS),
        ("code in the fragment's query", "/#/plans?a=b&ref=partner", "code", HOME),
        ("query beats fragment", "/?ref={hash}#ref=rival", "parameter", PLANS),
        ("path beats query", "/aff/{hash}?ref=rival", "path", PLANS),
        ("unknown path, known query", "/aff/{unknown}?ref=partner", "code", HOME),
        ("first of several values", "/?ref=partner&ref=rival", "code", HOME),
        ("first that names one", "/?ref=nobody&ref=partner", "code", HOME),
        ("fragment after another", "/?ref=nobody#ref=partner", "code", HOME),
        ("below the link", "/aff/{hash}/more", "path", PLANS),
        ("link below something", "/shop/aff/{hash}", "path", PLANS),
        ("parameter in capitals", "/?REF=partner", "code", HOME),
        ("NUL", "/?ref=partner%00", "code", HOME),
    ],
)
def test_named_affiliate_is_found(
    api, link, rival_link, _case, page, source, redirect_url
):
    page = page.format(hash=link.hash, HASH=link.hash.upper(), unknown=UNKNOWN_HASH)

    data = visited(api, SHOP + page)

    assert data["redirect_url"] == redirect_url
    assert data["referral_cookie"]
    click = Click.objects.get()
    assert click.affiliate_id == link.affiliate_id
    assert click.source == source
    assert click.link_id == (None if source == "code" else link.pk)


@pytest.mark.parametrize(
    ("_case", "page"),
    [
        ("nothing", "/store"),
        ("unknown hash in the path", f"/aff/{UNKNOWN_HASH}"),
        ("unknown hash in the query", f"/?ref={UNKNOWN_HASH}"),
        ("unknown code", "/?ref=nobody"),
        ("empty value", "/?ref="),
        ("unknown name", "/aff/abc"),
        ("neither a name nor a hash", "/aff/a.b"),
        ("other parameter", "/?code=partner"),
        ("invalid escape", "/?ref=%ff%fe"),
        ("an anchor", "/#ref"),
        ("very long value", "/?ref=" + "a" * 5000),
    ],
)
def test_visit_without_a_known_affiliate_writes_nothing(api, link, _case, page):
    with nothing_written():
        data = visited(api, SHOP + page.format(hash=link.hash))

    assert set(data) == {"redirect_url"}


def test_brand_chooses_its_link_parameter(api, brand, affiliate):
    brand.link_parameter = "via"
    brand.save()

    assert "referral_cookie" in visited(api, f"{SHOP}/?via=partner")
    assert "referral_cookie" not in visited(api, f"{SHOP}/?ref=partner")
    assert Click.objects.count() == 1


def test_inactive_link_credits_nobody_and_leads_home(api, link):
    link.is_active = False
    link.save()

    with nothing_written():
        data = visited(api, f"{SHOP}/aff/{link.hash}")

    assert data == {"redirect_url": HOME}


@pytest.mark.parametrize("token", ["hash", "code"])
def test_link_of_another_brand_is_unknown_here(api, link, other_brand, token):
    value = link.hash if token == "hash" else link.affiliate.code

    with nothing_written():
        data = visited(
            api,
            f"https://other.example.net/?ref={value}",
            headers={"origin": "https://other.example.net"},
        )

    assert data == {"redirect_url": f"https://other.example.net/?ref={value}#"}


@pytest.mark.parametrize("status", ["suspended", "pending"])
def test_click_of_an_affiliate_who_is_not_active_is_kept_without_cookie(
    api, link, status
):
    link.affiliate.status = status
    link.affiliate.save()

    data = visited(api, f"{SHOP}/aff/{link.hash}")

    assert data == {"redirect_url": PLANS}
    assert Click.objects.get().affiliate_status == status


def test_click_while_the_own_program_is_off_is_kept_without_cookie(api, brand, link):
    brand.own_program = False
    brand.save()

    data = visited(api, f"{SHOP}/aff/{link.hash}")

    assert data == {"redirect_url": PLANS}
    assert not Click.objects.get().own_program


def test_link_without_target_leads_to_the_default_url(api, affiliate):
    link = AffiliateLinkFactory(affiliate=affiliate)

    assert visited(api, f"{SHOP}/aff/{link.hash}")["redirect_url"] == HOME


def test_texts_are_kept_as_far_as_they_fit(api, link):
    visited(
        api,
        f"{SHOP}/aff/{link.hash}?q={'x' * 5000}",
        referrer_url="https://blog.example.org/" + "y" * 5000,
        user_agent="z" * 5000,
    )

    click = Click.objects.get()
    assert click.visit_url == f"{SHOP}/aff/{link.hash}?q=".ljust(2048, "x")
    assert click.referrer_url == "https://blog.example.org/".ljust(2048, "y")
    assert click.user_agent == "z" * 512


@pytest.mark.parametrize(
    ("_case", "text", "kept"),
    [
        ("nothing", "", ""),
        ("no URL at all", "not a url", "not a url"),
        ("NUL", "a\x00b", "ab"),
        ("another alphabet", "ブラウザ", "ブラウザ"),
        ("markup", "<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_referrer_and_user_agent_are_kept_as_sent(api, link, _case, text, kept):
    visited(api, f"{SHOP}/aff/{link.hash}", referrer_url=text, user_agent=text)

    click = Click.objects.get()
    assert (click.referrer_url, click.user_agent) == (kept, kept)


def test_unknown_fields_and_query_parameters_are_ignored(api, link):
    body = {
        "visit_url": f"{SHOP}/aff/{link.hash}",
        "referrer_url": "",
        "user_agent": "",
        "affiliate_id": 7,
        "brand": {"id": 3},
    }

    answer = api.post("/api/affiliate_link/visit?format=xml&x=1", body, format="json")

    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert Click.objects.get().affiliate_id == link.affiliate_id


def test_visit_url_is_kept_as_a_browser_writes_it(api, link):
    visited(api, f"HTTPS://SHOP.example.com:443/aff/{link.hash}?q={quote('ü')}&r=ü")

    stored = Click.objects.get().visit_url
    assert stored == f"{SHOP}/aff/{link.hash}?q=%C3%BC&r=%C3%BC"


def test_answered_visits_of_the_process_are_counted(api, brand):
    before = unstored().visits

    visited(api, HOME)
    visit(api, headers={"origin": "https://evil.example"})

    assert unstored().visits == before + 1
