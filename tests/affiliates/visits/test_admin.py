"""Clicks in Django admin, and the page that tries a URL."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.core.paginator import Paginator
from django.urls import reverse

from affiliates.admin_tools.lists import changelist
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click
from tests.factories.affiliates import AffiliateFactory, ClickFactory
from tests.guard.markers import marker

LIST = "admin:affiliates_click_changelist"
TRY = "admin:affiliates_click_try_url"
SHOP = "https://shop.example.com"


@pytest.fixture
def clicks(affiliate, now) -> list[Click]:
    """A person's click, its repeat, and a robot's, oldest first."""
    return [
        ClickFactory(
            affiliate=affiliate,
            visitor_id=UUID(int=number),
            created_at=now + timedelta(minutes=number),
            **marks,
        )
        for number, marks in enumerate(
            [{}, {"is_repeat": True}, {"bot_signs": "user_agent,prefetch"}]
        )
    ]


def listed(page) -> list[Click]:
    return list(page.context["cl"].result_list)


def test_clicks_are_listed_newest_first_in_few_queries(
    admin_client, clicks, settings, django_assert_max_num_queries
):
    settings.TIME_ZONE = "Europe/Madrid"

    with django_assert_max_num_queries(9):
        page = admin_client.get(reverse(LIST))

    assert listed(page) == clicks[::-1]
    assert "1 Mar 2026, 13:02 CET" in page.content.decode().replace(
        "\N{NO-BREAK SPACE}", " "
    )


@pytest.mark.parametrize(
    ("_case", "query", "found"),
    [
        ("repeats", {"is_repeat__exact": "1"}, [1]),
        ("people", {"bot": "no"}, [1, 0]),
        ("robots", {"bot": "yes"}, [2]),
        ("status", {"affiliate_status__exact": "suspended"}, []),
        ("visitor", {"q": str(UUID(int=1))}, [1]),
        ("code", {"q": " Partner "}, [2, 1, 0]),
        ("part of a code", {"q": "part"}, []),
        ("a quote", {"q": '"'}, []),
        ("NUL is no search", {"q": "\x00"}, [2, 1, 0]),
    ],
)
def test_clicks_are_filtered_and_searched(admin_client, clicks, _case, query, found):
    page = admin_client.get(reverse(LIST), query)

    assert listed(page) == [clicks[number] for number in found]


def test_click_without_a_person_says_so(admin_client, affiliate, now):
    click = ClickFactory(
        affiliate=affiliate, visitor_id=None, created_at=now, consent=Consent.DENIED
    )

    assert "Without a person" in admin_client.get(reverse(LIST)).content.decode()
    url = reverse("admin:affiliates_click_change", args=[click.pk])
    page = admin_client.get(url).content.decode()
    assert "Refused" in page
    assert "Without a person" in page


def test_click_is_found_by_its_id(admin_client, clicks):
    page = admin_client.get(reverse(LIST), {"q": str(clicks[1].pk)})

    assert listed(page) == [clicks[1]]


def test_count_stops_at_its_limit(admin_client, clicks, monkeypatch):
    monkeypatch.setattr(changelist, "MAX_COUNTED_ROWS", 2)

    page = admin_client.get(reverse(LIST))

    paginator = page.context["cl"].paginator
    assert isinstance(paginator, Paginator)
    assert paginator.count == 2


def test_clicks_of_a_brand_are_counted_in_the_order_of_their_time(
    admin_client, clicks, brand, django_assert_max_num_queries
):
    """PostgreSQL else reads the table from its first click to find some days' clicks."""
    with django_assert_max_num_queries(9) as queries:
        admin_client.get(reverse(LIST), {"brand__id__exact": brand.pk})

    asked = [query["sql"] for query in queries if "COUNT(*)" in query["sql"]]
    [count] = [sql for sql in asked if '"affiliates_click"' in sql]
    assert 'ORDER BY "affiliates_click"."created_at" DESC' in count


def test_click_is_shown_with_its_marks_in_words(admin_client, affiliate):
    click = ClickFactory(
        affiliate=affiliate,
        visitor_id=UUID(int=1),
        is_repeat=True,
        bot_signs="prefetch",
        redirect_reason="not_on_brand_domains",
        refused_redirect=f"https://evil.example/<b>{marker('visitor', 'redirect')}",
        ip_prefix="203.0.113.0/24",
    )

    page = admin_client.get(reverse("admin:affiliates_click_change", args=[click.pk]))

    text = page.content.decode()
    assert "A repeat within 30 minutes. Prefetch<" in text
    assert "Refused: the host is no domain of the brand" in text
    assert "https://evil.example/&lt;b&gt;" in text
    assert "203.0.113.0/24" in text


@pytest.mark.parametrize("page", ["add", "change", "delete"])
def test_clicks_are_neither_added_nor_changed_nor_deleted(admin_client, clicks, page):
    arguments = [] if page == "add" else [clicks[0].pk]
    url = reverse(f"admin:affiliates_click_{page}", args=arguments)

    answer = admin_client.post(url, {"post": "yes"})

    assert answer.status_code == 403
    assert Click.objects.count() == 3


def try_url(client, **query):
    return client.get(reverse(TRY), query)


def facts(page) -> str:
    return " ".join(page.content.decode().split())


def test_page_to_try_a_url_begins_with_the_brand_it_was_opened_from(
    admin_client, brand
):
    page = try_url(admin_client, brand=brand.pk)

    assert page.status_code == 200
    assert page.context["preview"] is None
    assert f'<option value="{brand.pk}" selected>' in page.content.decode()


def test_refused_redirect_is_explained(admin_client, link):
    url = f"{SHOP}/aff/{link.hash}?redirect=https://evil.example/"

    page = try_url(admin_client, brand=link.affiliate.brand_id, visit_url=url)

    text = facts(page)
    assert '<code class="affiliates-copy">https://shop.example.com/</code>' in text
    assert "The requested redirect is refused" in text
    assert "<code>https://evil.example/</code>" in text
    assert "Refused: the host is no domain of the brand" in text
    assert link.name in text
    assert "(active), named by the path." in text
    assert "A person's click counts for partner" in text
    assert Click.objects.count() == 0


@pytest.mark.parametrize(
    ("_case", "path", "sentence"),
    [
        ("code", "/?ref=partner", "named by the parameter <code>ref</code>."),
        ("target", "/?ref={hash}", "The target of the link."),
        ("nothing", "/", "None is named."),
        ("nobody", "/?ref=nobody", "No link or affiliate of this brand has it."),
        ("empty", "/?redirect=", "<code>(empty)</code>"),
        ("uncredited", "/", "Nobody: no click is recorded"),
        ("escaped", "/?ref=<script>", "<code>&lt;script&gt;</code>"),
    ],
)
def test_visit_is_explained(admin_client, link, _case, path, sentence):
    page = try_url(
        admin_client,
        brand=link.affiliate.brand_id,
        visit_url=SHOP + path.format(hash=link.hash),
    )

    assert sentence in facts(page)


@pytest.mark.parametrize(
    ("_case", "model", "changes", "sentence"),
    [
        (
            "suspended",
            "affiliate",
            {"status": "suspended"},
            "the click is recorded, but the affiliate is suspended.",
        ),
        (
            "program off",
            "brand",
            {"own_program": False},
            "the click is recorded, but the brand's own affiliate program is off.",
        ),
        ("inactive", "brand", {"is_active": False}, "is inactive"),
    ],
)
def test_what_stands_in_the_way_is_explained(
    admin_client, affiliate, _case, model, changes, sentence
):
    row = affiliate if model == "affiliate" else affiliate.brand
    for name, value in changes.items():
        setattr(row, name, value)
    row.save()

    page = try_url(
        admin_client, brand=affiliate.brand_id, visit_url=f"{SHOP}/?ref=partner"
    )

    assert sentence in facts(page)


def test_foreign_host_is_told_to_be_no_client_area(admin_client, brand):
    page = try_url(admin_client, brand=brand.pk, visit_url="https://elsewhere.example/")

    assert "The visited host is no client area of" in facts(page)


@pytest.mark.parametrize(
    ("_case", "query", "field"),
    [
        ("no URL", {"visit_url": "hello"}, "visit_url"),
        ("empty", {"visit_url": ""}, "visit_url"),
        ("NUL", {"visit_url": f"{SHOP}/\x00"}, "visit_url"),
        ("no brand", {"visit_url": SHOP, "brand": ""}, "brand"),
        ("unknown brand", {"visit_url": SHOP, "brand": "0"}, "brand"),
        ("no number", {"visit_url": SHOP, "brand": "x"}, "brand"),
    ],
)
def test_bad_input_is_told_at_its_field(admin_client, brand, _case, query, field):
    page = try_url(admin_client, **({"brand": brand.pk} | query))

    assert page.status_code == 200
    assert list(page.context["form"].errors) == [field]
    assert page.context["preview"] is None


def test_page_needs_the_permission_to_view_clicks(admin_client, admin_user, brand):
    admin_user.is_superuser = False
    admin_user.save()

    assert try_url(admin_client).status_code == 403
    assert b"Try a URL" not in brand_page(admin_client, admin_user, brand)

    grant(admin_user, "view_click")

    assert try_url(admin_client).status_code == 200
    assert b"Try a URL" in brand_page(admin_client, admin_user, brand)


def brand_page(client, user, brand) -> bytes:
    grant(user, "view_brand")
    page = client.get(reverse("admin:affiliates_brand_change", args=[brand.pk]))
    assert page.status_code == 200
    return page.content


def grant(user, codename: str) -> None:
    user.user_permissions.add(
        Permission.objects.get(codename=codename, content_type__app_label="affiliates")
    )


def test_click_of_another_affiliate_is_not_found_by_this_code(
    admin_client, clicks, host, brand
):
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="o@example.com"), code="other"
    )
    own = ClickFactory(affiliate=other, visitor_id=UUID(int=9))

    assert listed(admin_client.get(reverse(LIST), {"q": "other"})) == [own]


def test_click_of_the_integration_names_its_affiliate(
    admin_client, affiliate, integrate
):
    integration = integrate()
    alone = ClickFactory(
        brand=affiliate.brand,
        integration=integration,
        external_affiliate="one",
        source="integration",
        affiliate_status="",
        visitor_id=UUID(int=1),
    )
    ClickFactory(
        affiliate=affiliate,
        integration=integration,
        external_affiliate="two",
        visitor_id=UUID(int=2),
    )

    page = admin_client.get(reverse(LIST)).content.decode()
    change = admin_client.get(
        reverse("admin:affiliates_click_change", args=[alone.pk])
    ).content.decode()

    assert "one (integration)" in page
    assert "partner, two (integration)" in page
    assert "Tracking integration&#x27;s parameter" in change
    assert str(integration) in change


@pytest.mark.parametrize(
    ("_case", "path", "sentences"),
    [
        (
            "recognised",
            "/?a_aid=one#top",
            [
                "Minting tracker",
                "affiliate <code>one</code>",
                "Made here, accepted by the provider",
                "Sent to https://tracker.example.com",
                ">a_aid=one</code>",
                ">top</code>",
                "counts for the tracking integration",
            ],
        ),
        (
            "both",
            "/?ref=partner&a_aid=one",
            ["affiliate <code>one</code>", "A person's click counts for partner"],
        ),
        (
            "neither",
            "/?a_aid=%00",
            ["not recognised.", "a_aid contains a control character."],
        ),
        ("escaped", "/?a_aid=<script>", ["<code>&lt;script&gt;</code>"]),
    ],
)
def test_integrations_part_in_a_visit_is_explained(
    admin_client, affiliate, integrate, _case, path, sentences
):
    integrate()

    page = try_url(admin_client, brand=affiliate.brand_id, visit_url=SHOP + path)

    text = facts(page)
    assert [sentence for sentence in sentences if sentence not in text] == []
    assert Click.objects.count() == 0


def test_click_told_to_nobody_is_explained(admin_client, brand, integrate):
    integrate("capturing")

    page = try_url(admin_client, brand=brand.pk, visit_url=f"{SHOP}/?a_aid=one")

    assert "Nothing is sent for the click." in facts(page)
    assert "The address carries none" in facts(page)


def test_only_the_integration_is_credited_beside_a_suspended_affiliate(
    admin_client, affiliate, integrate
):
    affiliate.status = "suspended"
    affiliate.save()
    integrate()

    page = try_url(
        admin_client,
        brand=affiliate.brand_id,
        visit_url=f"{SHOP}/?ref=partner&a_aid=one",
    )

    assert (
        "The tracking integration only: the click is recorded, but the affiliate is "
        "suspended." in facts(page)
    )
