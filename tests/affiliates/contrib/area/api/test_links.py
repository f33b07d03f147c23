"""An affiliate's links: listed with what came by them, made, changed, switched off."""

from __future__ import annotations

import csv
from datetime import timedelta
from io import StringIO

import pytest

from affiliates.core.ids import new_id
from affiliates.program import services
from affiliates.program.models import AffiliateLink
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.api.calls import refusal
from tests.cases import each
from tests.database import nothing_written, queries_of
from tests.factories.affiliates import AffiliateLinkFactory, ClickFactory

LINKS = "/api/affiliate/links"
PLANS = "https://shop.example.com/plans"


@pytest.fixture(autouse=True)
def _clock(clock):
    """The service's clock stands still."""


def click(link, at, **fields):
    return ClickFactory(
        affiliate=link.affiliate,
        link=link,
        visitor_id=new_id(),
        created_at=at,
        **fields,
    )


def post(caller, **fields):
    return caller.post(LINKS, fields, format="json")


def patch(caller, link, **fields):
    return caller.patch(f"{LINKS}/{link.pk}", fields, format="json")


def names(answer):
    return [one["name"] for one in answer.json()["data"]["links"]]


def test_link_with_what_came_by_it(partner, link, now):
    for number in range(3):
        click(link, now, bot_signs="prefetch" if number == 0 else "")

    data = partner.get(LINKS).json()["data"]

    [found] = data["links"]
    counts = found.pop("figures")["counts"]
    assert (data["page"], data["pages"]) == (1, 1)
    assert found == {
        "id": link.pk,
        "name": link.name,
        "target_url": PLANS,
        "is_active": True,
        "slug": "",
        "addresses": [
            f"https://shop.example.com/aff/{link.hash}",
            f"https://shop.example.com/?ref={link.hash}",
        ],
        "created_at": now.isoformat(),
    }
    assert counts == {
        "clicks": 3,
        "human_clicks": 2,
        "unique_clicks": 2,
        "signups": 0,
        "orders": 0,
        "sales": 0,
        "reversals": 0,
        "conversion_rate": "0.0",
    }


def test_addresses_carry_a_sub_id(partner, link):
    data = partner.get(f"{LINKS}/{link.pk}?sub=blog%20top").json()["data"]

    assert data["addresses"] == [
        f"https://shop.example.com/aff/{link.hash}?sub=blog+top",
        f"https://shop.example.com/?ref={link.hash}&sub=blog+top",
    ]


def test_link_is_made(partner, affiliate):
    answer = post(partner, name="Blog", target_url=PLANS)

    link = AffiliateLink.objects.get()
    assert (link.affiliate, link.name, link.target_url) == (affiliate, "Blog", PLANS)
    assert answer.status_code == 201
    assert answer.json()["data"]["id"] == link.pk
    assert answer.json() == partner.get(f"{LINKS}/{link.pk}").json()


def test_link_is_changed_and_switched_off(partner, link):
    answer = patch(partner, link, name="New", is_active=False)

    link.refresh_from_db()
    assert (link.name, link.target_url, link.is_active) == ("New", PLANS, False)
    assert answer.json()["data"]["is_active"] is False


@each(
    "target",
    [
        "https://evil.example/",
        "https://shop.example.com@evil.example/",
        "//evil.example",
        "javascript:alert(1)",
        "https://shop.example.com\\.evil.example/",
        "https://shop.example.com/?redirect=https://evil.example/",
        "https://shop.example.com/aff/" + "0" * 40,
    ],
)
def test_target_that_no_visit_may_be_sent_to_is_refused(partner, link, target):
    with nothing_written():
        made = post(partner, name="Blog", target_url=target)
        changed = patch(partner, link, target_url=target)

    assert refusal(made)[::2] == refusal(changed)[::2] == (400, "target_url")


@each("name", ["", " ", "a" * 101, None, 7])
def test_name_that_is_none_is_refused(partner, link, name):
    with nothing_written():
        made = post(partner, name=name)
        changed = patch(partner, link, name=name)

    assert refusal(made)[::2] == refusal(changed)[::2] == (400, "name")


@pytest.mark.parametrize("status", ["pending", "suspended"])
def test_only_an_active_affiliate_writes_links(partner, affiliate, link, status):
    affiliate.status = AffiliateStatus(status)
    affiliate.save()

    with nothing_written():
        made = post(partner, name="Blog")
        changed = patch(partner, link, is_active=False)

    inactive = (409, "affiliate_inactive", None)
    assert refusal(made) == refusal(changed) == inactive


def test_links_are_not_without_number(partner, link, monkeypatch):
    monkeypatch.setattr(services, "MAX_LINKS", 1)

    with nothing_written():
        assert refusal(post(partner, name="Two")) == (409, "too_many_links", None)


def test_links_of_others_are_not_found(partner, rival_link):
    with nothing_written():
        read = partner.get(f"{LINKS}/{rival_link.pk}")
        changed = patch(partner, rival_link, is_active=False)

    assert refusal(read) == refusal(changed) == (404, "not_found", None)
    assert names(partner.get(LINKS)) == []


def test_links_by_what_is_asked(partner, affiliate, now, clock):
    for days, name in ((2, "b"), (1, "c"), (0, "a")):
        clock.move_to(now - timedelta(days=days))
        AffiliateLinkFactory(affiliate=affiliate, name=name, is_active=name != "b")

    def asked(query):
        return names(partner.get(f"{LINKS}?{query}"))

    assert asked("") == ["a", "c", "b"]
    assert asked("ordering=name") == ["a", "b", "c"]
    assert asked("ordering=-name") == ["c", "b", "a"]
    assert asked("is_active=false") == ["b"]
    assert asked("first=2026-02-28") == ["a", "c"]
    assert asked("last=2026-02-28") == ["c", "b"]
    assert asked("first=2026-02-28&last=2026-02-28") == ["c"]


@each(
    ("query", "field"),
    [
        ("ordering=hash", "ordering"),
        ("ordering=-affiliate", "ordering"),
        ("first=nonsense", "first"),
        ("first=0001-01-01", "first"),
        ("last=9999-12-31", "last"),
        ("is_active=perhaps", "is_active"),
        ("page=0", "page"),
        ("page=-1", "page"),
    ],
)
def test_query_that_cannot_be_read_is_refused(partner, query, field):
    assert refusal(partner.get(f"{LINKS}?{query}"))[::2] == (400, field)


def test_csv_has_all_rows_and_no_formulas(partner, affiliate, link):
    AffiliateLinkFactory(affiliate=affiliate, name="=1+1")

    answer = partner.get(LINKS, headers={"accept": "text/csv"})

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="links.csv"'
    rows = list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["name"] for row in rows] == ["'=1+1", link.name]
    assert rows[1]["target_url"] == PLANS
    assert rows[1]["figures.counts.clicks"] == "0"
    assert rows[1]["is_active"] == "true"


def test_answer_that_is_known_already_is_not_sent_again(partner, link):
    first = partner.get(LINKS)

    again = partner.get(LINKS, headers={"if-none-match": first["ETag"]})
    patch(partner, link, name="New")
    changed = partner.get(LINKS, headers={"if-none-match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert changed.status_code == 200


@pytest.mark.parametrize("named", ["W/{}", '"other", {}', '"other",W/{}', "*"])
def test_answer_is_known_by_a_weak_tag_and_by_one_of_several(partner, link, named):
    tag = partner.get(LINKS)["ETag"]

    again = partner.get(LINKS, headers={"if-none-match": named.format(tag)})

    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == tag


@pytest.mark.parametrize("named", ["", "other", '"other"', 'W/"other", "another"'])
def test_answer_that_is_not_known_is_sent(partner, link, named):
    answer = partner.get(LINKS, headers={"if-none-match": named})

    assert answer.status_code == 200
    assert answer.json()["data"]["links"][0]["id"] == link.pk


def test_a_page_of_links_costs_the_same_however_many_they_are(
    partner, affiliate, link, now
):
    partner.get(LINKS)
    before = queries_of(lambda: partner.get(LINKS))
    for one in AffiliateLinkFactory.create_batch(10, affiliate=affiliate):
        click(one, now)

    # Seven days are open while the worker has counted none.
    assert queries_of(lambda: partner.get(LINKS)) == before < 65


def test_link_has_a_name_in_its_address(partner, affiliate):
    made = post(partner, name="Blog", slug="summer").json()["data"]

    assert made["slug"] == "summer"
    assert made["addresses"][0] == "https://shop.example.com/aff/summer"


def test_link_is_named_once(partner, link):
    named = patch(partner, link, slug="summer")
    with nothing_written():
        again = patch(partner, link, slug="winter")

    assert named.json()["data"]["slug"] == "summer"
    assert again.status_code == 409


@each("slug", ["login", "a b", "12345", "a" * 33, "ab", None, 7])
def test_name_in_the_address_that_cannot_be_had_is_refused(partner, link, slug):
    with nothing_written():
        made = post(partner, name="Blog", slug=slug)
        changed = patch(partner, link, slug=slug)

    assert refusal(made)[::2] == refusal(changed)[::2] == (400, "slug")
