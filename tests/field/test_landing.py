"""Addresses as people paste them: whom they credit, and that redirects stay literal."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path
from urllib.parse import quote

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import Landing
from affiliates.core.urls import parse_http_url
from affiliates.program.models import AffiliateLink
from affiliates.program.slug_models import retire_names
from affiliates.visits.decision import choose_redirect
from affiliates.visits.models import MAX_STORED_URL, Click
from affiliates.visits.selectors import find_named_link
from tests.affiliates.api.calls import visited
from tests.affiliates.core.hostile import known_redirects, made_up_redirects
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.lengths import times

FIELD = Path(__file__).resolve().parents[2] / "../shared/field/landing.json"
HASH = "d3300d3300d3300d3300d3300d3300d3300d3300"
AREA = "shop.example"
SHOP = f"https://{AREA}"
BOTH = ("demo", "link")

# What each names: the code "demo", the link of the hash with the name "summer", an old
# code that ends in a full stop, or nobody.
PASTED = {
    "demo": """
        /?ref=demo
        /?ref=demo?fbclid=IwAR0x
        /?utm_source=x?ref=demo
        /??ref=demo
        /?ref=demo?ref=other
        /?utm_source=x&amp;ref=demo
        /?utm_source=x&amp;amp;ref=demo
        /?utm_source=x&AMP;ref=demo
        /?utm_source=x&amp%3Bref=demo
        /?utm_source=x&#038;ref=demo
        /?utm_source=x&#38;ref=demo&amp;x=1
        /?utm_source=x;ref=demo
        /?ref=demo;utm_source=x
        /?ref=demo;jsessionid=A1
        /?REF=demo
        /?Ref=DEMO
        /?%E2%80%8Bref=demo
        /?ref=&ref=demo
        /?ref=nobody&ref=demo
        /?ref=null&ref=demo
        /?ref&ref=demo
        /?ref=demo&ref=rival
        /?ref=demo.&ref=rival
        /?ref=demo/
        /?ref=demo%2F
        /?ref=demo.
        /?ref=demo...
        /?ref=demo,
        /?ref=demo)
        /?ref=demo).
        /?ref=demo]
        /?ref=demo>
        /?ref=demo!
        /?ref=demo:
        /?ref=demo*
        /?ref=demo_
        /?ref=demo-
        /?ref=demo%22
        /?ref=demo'
        /?ref=demo%E2%80%9D
        /?ref=demo%C2%BB
        /?ref=demo%E2%80%8B
        /?ref=demo%E2%80%8D%EF%BB%BF
        /?ref=%EF%BB%BFdemo
        /?ref=%E2%80%8Edemo
        /?ref=%C2%A0demo%C2%A0
        /?ref=%22demo%22
        /?ref=+demo+
        /?ref=demo%0A
        /?ref=demo%20Look+at+this
        /?ref=demo%E3%80%82%E8%A6%8B%E3%81%A6
        /?ref=demo%3Ffbclid%3Dx
        /?ref=demo%26utm_source%3Dx
        /?ref=demo|x
        /de/plans?ref=demo.
        /#ref=demo.
        /#/plans?ref=demo,
        /#/plans?utm_source=x&amp;ref=demo
        /?redirect=/plans&ref=demo.
        /?ref=demo.&redirect=/plans
        /?next=/plans&ref=demo/
        /aff/nobody-at-all?ref=demo
    """,
    "link": f"""
        /aff/{HASH}
        /aff/{HASH}/
        /aff/{HASH}.
        /aff/{HASH},
        /aff/{HASH})
        /aff/{HASH}]
        /aff/{HASH}%22
        /aff/{HASH}%E2%80%8B
        /aff/%E2%80%8B{HASH}
        /aff/%EF%BB%BF{HASH}
        /aff/{HASH}&utm_source=x
        /aff/{HASH};jsessionid=A1B2
        /aff/{HASH}/index.html
        /aff/{HASH}%20Look
        /aff/{HASH}%0D%0A
        /aff/{HASH}%3Futm_source=x
        //aff/{HASH}
        ///aff///{HASH}
        /aff//{HASH}
        /aff/'{HASH}'
        /aff/%22{HASH}%22
        /AFF/{HASH.upper()}
        /Aff/{HASH}
        /de/aff/{HASH}
        /portal/aff/{HASH}
        /portal/de/aff/{HASH}.
        /aff/{HASH}?ref=rival
        /aff/{HASH}.?ref=rival
        /#/aff/{HASH}
        /#!/aff/{HASH}
        /#aff/{HASH}
        /#/de/aff/{HASH}/
        /app/#/aff/{HASH}.
        /#/aff/{HASH}?utm_source=x
        /#/aff/{HASH}&utm_source=x
        /aff/summer
        /aff/SUMMER.
        /aff/summer)
        /aff/summer-
        //de//aff//summer/
        /#/aff/summer
        /?ref={HASH}.
        /?ref={HASH.upper()}%E2%80%8B
        /?ref=summer.
        /?amp;ref=summer
    """,
    "old": """
        /?ref=smith.
        /?ref=SMITH.&utm_source=x
        /?ref=smith.?fbclid=x
        /?ref=smith.)
    """,
    None: f"""
        /
        /?ref=
        /?ref
        /?ref=null
        /?ref=undefined
        /?ref=nobody
        /?ref=demo2
        /?ref=demonstration.
        /?ref=de
        /?ref=d.e.m.o
        /?ref=x,demo
        /?ref=nobody?demo
        /?ref=nobody&utm=demo
        /?preref=demo
        /?href=demo
        /?ref2=demo
        /?ref_=demo
        /?xref=demo&amp;preref=demo
        /?q=ref%3Ddemo
        /?q=x%26ref%3Ddemo
        /?q=x%3Bref%3Ddemo
        /?q%3Bref=demo
        /?q=%3Fref=demo
        /?redirect=/plans?ref=demo
        /?redirect=/plans;ref=demo
        /?redirect=plans?ref=demo
        /?redirect=%2Fplans%3Fref%3Ddemo
        /?next=/plans?ref=demo
        /?next=https://shop.example/?ref=demo
        /?next=https%3A%2F%2Fshop.example/?ref=demo
        /?ref=off.
        /?ref=gone.
        /?ref=%C3%A9demo
        /ref=demo
        /demo
        /aff
        /aff/
        /aff/de
        /aff/demo
        /aff/{HASH}0
        /aff/0{HASH}
        /aff/x-{HASH}
        /aff/{HASH[:39]}
        /aff%2F{HASH}
        /staff/{HASH}
        /xaff/summer
        /aff-{HASH}
        /aff/x/{HASH}
        /summer
        /?aff=summer
        /?q=/aff/summer
        /#q=/aff/summer
        /#/plans?q=/aff/summer
        /#/staff/summer
    """,
}


@pytest.fixture
def shop(db, host) -> Brand:
    """With the code demo, a link named summer, and names that credit nobody any more."""
    brand = BrandFactory(client_area=AREA)
    demo, rival, smith = (
        AffiliateFactory(
            brand=brand, user=host.client(brand, email=f"{code}@example.com"), code=code
        )
        for code in ("demo", "rival", "smith")
    )
    AffiliateLinkFactory(
        affiliate=demo,
        hash=HASH,
        slug="summer",
        slug_brand=brand,
        target_url=f"{SHOP}/plans",
    )
    AffiliateLinkFactory(affiliate=rival, old_code="smith.")
    AffiliateLinkFactory(affiliate=rival, old_code="off.", is_active=False)
    for code in ("off", "gone"):
        user = host.client(brand, email=f"{code}@example.com")
        AffiliateFactory(brand=brand, user=user, code=code)
    retire_names(["gone."], brand_id=brand.pk)
    return brand


def whom(brand: Brand, address: str) -> str | None:
    named, _ = find_named_link(parse_http_url(address), brand.to_config())
    if named is None:
        return None
    if named.link.link_id is None:
        return "demo" if named.link.affiliate_id == _id(brand, "demo") else "another"
    old_code = AffiliateLink.objects.get(pk=named.link.link_id).old_code
    return {"": "link", "smith.": "old"}.get(old_code, "another")


def _id(brand: Brand, code: str) -> int:
    return int(brand.affiliates.get(code=code).pk)


def pasted() -> list[tuple[str, str | None]]:
    return [
        (address, name)
        for name, addresses in PASTED.items()
        for address in addresses.split()
    ]


def test_pasted_link_credits_whom_it_was_made_for(shop):
    read = [(address, whom(shop, SHOP + address)) for address, _ in pasted()]

    assert read == pasted()


@pytest.mark.skipif(not FIELD.exists(), reason="the field's inputs are not beside us")
def test_every_address_from_the_field_is_read_as_it_should_be(shop):
    rows = json.loads(FIELD.read_text(encoding="utf-8"))

    credited = [(row["url"], whom(shop, row["url"]) in BOTH) for row in rows]

    assert credited == [(row["url"], row["credit"]) for row in rows]


# How each changes an address whose parameter is {redirect}.
UNDAMAGED = "/?ref=demo&redirect={redirect}"
DAMAGED = (
    "/?ref=demo.&redirect={redirect}",
    "/?ref=demo%E2%80%8B&redirect={redirect}",
    "/?ref=demo?fbclid=x&redirect={redirect}",
    "/?utm_source=x?ref=demo&redirect={redirect}",
    "/?utm_source=x;ref=demo&redirect={redirect}",
    "/?utm_source=x&amp;ref=demo&redirect={redirect}",
    "/?REF=demo/&redirect={redirect}",
    "/?ref=&ref=nobody&ref=demo&redirect={redirect}",
    "/?redirect={redirect}&amp;ref=demo",
    "/?redirect={redirect}&REF=demo)",
    "/?redirect={redirect}&redirect=https://evil.example/?ref=x&ref=demo",
)


def test_damaged_link_changes_no_redirect(brand):
    """A damaged link leads where the undamaged one does, beside any redirect value."""
    config = brand.to_config()
    values = [*known_redirects(), *made_up_redirects(times(1_200, long=12_000))]

    def answer(address: str, value: str) -> object:
        redirect = quote(value, safe="", errors="surrogatepass")
        url = parse_http_url(
            "https://shop.example.com" + address.format(redirect=redirect)
        )
        assert url is not None
        return choose_redirect(
            url,
            brand=config,
            is_named=True,
            is_link=True,
            link_target="https://shop.example.com/plans",
            integration_parameters=("aid",),
        )

    different = [
        (address, value)
        for value, address in zip(values, cycle(DAMAGED))
        if answer(address, value) != answer(UNDAMAGED, value)
    ]

    assert different == []


def test_damaged_visit_is_answered_and_kept_as_the_undamaged_one(api, affiliate):
    pages = [
        "/?ref=partner&redirect=%2Fstore",
        "/?ref=partner.&redirect=%2Fstore",
        "/?utm_source=x;REF=partner/&redirect=%2Fstore",
    ]

    answers = [visited(api, f"https://shop.example.com{page}") for page in pages]

    assert [answer["redirect_url"] for answer in answers] == [
        "https://shop.example.com/store"
    ] * 3
    assert list(Click.objects.values_list("affiliate_id", "source")) == [
        (affiliate.pk, "code")
    ] * len(pages)


def test_endless_address_is_answered_and_kept_shortened(api, affiliate):
    page = f"https://shop.example.com/?ref=partner&x={'x' * 20_000}"

    assert visited(api, page)["referral_cookie"]
    assert Click.objects.get().visit_url == page[:MAX_STORED_URL]
    assert visited(api, page.replace("ref", "q"))["redirect_url"] == (
        page.replace("ref", "q") + "#"
    )


@pytest.mark.parametrize(
    ("_case", "page", "target", "landing"),
    [
        ("nothing to bring", "/aff/x", "/plans", "/plans"),
        ("one", "/aff/x?utm_source=yt", "/plans", "/plans?utm_source=yt"),
        ("beside its own", "/aff/x?u=1&w=2", "/plans?v=3", "/plans?v=3&u=1&w=2"),
        ("its own stay", "/aff/x?u=1&w=2", "/plans?u=3", "/plans?u=3&w=2"),
        ("twice the same", "/aff/x?u=1&u=2", "/plans", "/plans?u=1&u=2"),
        ("before its fragment", "/aff/x?u=1", "/plans#a?b=c", "/plans?u=1#a?b=c"),
        ("names nobody", "/aff/x?u=1&ref=y;w=2&aid=3", "/plans", "/plans?u=1&w=2"),
        ("damaged names", "/?u=1&amp;REF=x.", "/plans", "/plans?u=1"),
        ("a route's", "/#/aff/x?u=1", "/plans", "/plans?u=1"),
        ("an anchor's", "/aff/x?u=1#v=2", "/plans", "/plans?u=1"),
        ("escaped", "/aff/x?u=%26ref%3Dy", "/plans", "/plans?u=%26ref%3Dy"),
        ("too long", f"/aff/x?u={'x' * 2_048}&w=1", "/plans", "/plans?w=1"),
    ],
)
def test_link_brings_the_parameters_that_its_target_lacks(
    brand, _case, page, target, landing
):
    site = "https://shop.example.com"
    for link_target, default in ((site + target, "/"), ("", target)):
        brand.default_redirect_url = site + default
        config = brand.to_config()

        redirect = choose_redirect(
            parse_http_url(site + page),
            brand=config,
            is_named=True,
            is_link=True,
            link_target=link_target,
            integration_parameters=("aid",),
        )

        assert redirect.url == site + landing


def test_code_on_the_page_that_it_stays_on_leaves_no_part_of_itself(brand):
    brand.landing = Landing.STAY
    config = brand.to_config()
    pages = {
        "/plans?ref=demo&u=1": "/plans?u=1",
        "/plans?u=1&amp;ref=demo": "/plans?u=1",
        "/plans?u=1&#038;ref=demo": "/plans?u=1&",
        "/plans?u=1;ref=demo": "/plans?u=1",
        "/plans?ref=demo?fbclid=x": "/plans?fbclid=x",
        "/plans?u=1;v=2&REF=demo.": "/plans?u=1;v=2",
        "/plans?ref=nobody&ref=demo": "/plans",
        "/#/plans?u=1&amp;ref=demo": "/#/plans?u=1",
    }

    urls = {
        page: choose_redirect(
            parse_http_url(f"https://shop.example.com{page}"),
            brand=config,
            is_named=True,
            is_link=True,
            link_target="",
            integration_parameters=(),
        ).url.removeprefix("https://shop.example.com")
        for page in pages
    }

    assert urls == pages
