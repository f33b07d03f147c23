"""Brands in Django admin: a brand and its domains are saved together or not at all."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from affiliates.brands.admin import SECOND_BRAND
from affiliates.brands.forms import HOST_TWICE
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.operations.health.program import first_steps
from tests.affiliates.api.calls import visited
from tests.database import nothing_written
from tests.factories.affiliates import (
    AffiliateFactory,
    BrandDomainFactory,
    BrandFactory,
    RefusedOriginFactory,
)

pytestmark = pytest.mark.django_db

ADD = "admin:affiliates_brand_add"
CHANGE = "admin:affiliates_brand_change"
# What the page of a saved brand has beside its domains, none of it edited here.
SHOWN_ONLY = (
    "integrations",
    "integrations-2",
    "policy_versions",
    "affiliates",
    "fraud_policies",
    "recruitment_policy",
    "application_questions",
    "program_terms",
)


def posted(*domains: dict[str, str], initial: int = 0, **fields: str) -> dict[str, str]:
    """What the browser sends: the brand's fields and a row for each domain."""
    form = {
        "name": "Contoso",
        "is_active": "on",
        "default_redirect_url": "https://contoso.example/",
        "landing": "default_url",
        "link_parameter": "ref",
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
        "domains-TOTAL_FORMS": str(len(domains)),
        "domains-INITIAL_FORMS": str(initial),
        **fields,
    }
    for name in SHOWN_ONLY:
        form |= {f"{name}-TOTAL_FORMS": "0", f"{name}-INITIAL_FORMS": "0"}
    for number, domain in enumerate(domains):
        form |= {f"domains-{number}-{name}": value for name, value in domain.items()}
    return form


def row(host: str, **changes: str) -> dict[str, str]:
    return {"host": host, "is_client_area": "on", "is_redirect_target": "on", **changes}


def formset_errors(answer) -> list[str]:
    return answer.context["inline_admin_formsets"][0].formset.non_form_errors()


def test_brand_is_saved_with_its_domains_in_canonical_form(admin_client):
    form = posted(row("Contoso.EXAMPLE"), row("bücher.example", is_client_area=""))

    answer = admin_client.post(reverse(ADD), form)

    assert answer.status_code == 302
    brand = Brand.objects.get()
    assert brand.name == "Contoso"
    assert list(brand.domains.values_list("host", "is_client_area")) == [
        ("contoso.example", True),
        ("xn--bcher-kva.example", False),
    ]


def as_opened(page) -> dict[str, object]:
    """What a browser sends of a form that nobody has filled in."""
    sets = [one.formset for one in page.context["inline_admin_formsets"]]
    forms = [page.context["adminform"].form]
    forms += [one for each in sets for one in (each.management_form, *each.forms)]
    values = {
        form.add_prefix(name): form[name].value()
        for form in forms
        for name in form.fields
    }
    return {
        name: one
        for name, one in values.items()
        if one is not None and one is not False
    }


def test_three_facts_make_a_brand_that_answers_visits(admin_client, api, settings):
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 0
    facts = {
        "name": "Contoso",
        "default_redirect_url": "https://contoso.example/",
        "domains-0-host": "contoso.example",
    }

    answer = admin_client.post(
        reverse(ADD), as_opened(admin_client.get(reverse(ADD))) | facts
    )

    assert answer.status_code == 302
    data = visited(
        api,
        "https://contoso.example/plans",
        headers={"origin": "https://contoso.example"},
    )
    assert data == {"redirect_url": "https://contoso.example/plans#"}
    missing = [one.title for one in first_steps(Brand.objects.get()) if not one.is_fine]
    assert "Brand" not in missing
    assert missing[:2] == ["Plan", "Payout terms"]


def test_a_refused_host_is_offered_and_added_as_a_client_area(admin_client, brand):
    RefusedOriginFactory(host="www.shop.example.com", seen_at=timezone.now())
    guide = admin_client.get(reverse("admin:affiliates_brand_guide"))
    (form,) = (
        step["form"]
        for step in guide.context["steps"]
        if step["step"].title == "Add www.shop.example.com"
    )

    with nothing_written():
        page = admin_client.get(form)
    answer = admin_client.post(form, as_opened(page))

    assert answer.status_code == 302
    added = brand.domains.get(host="www.shop.example.com")
    assert (added.is_client_area, added.is_redirect_target) == (True, False)
    missing = [step.title for step in first_steps(brand)]
    assert "Add www.shop.example.com" not in missing


def test_an_offered_host_is_checked_and_escaped(admin_client, brand):
    form = f"{reverse(CHANGE, args=[brand.pk])}?add_host=%22%3E%3Cscript%3E"

    with nothing_written():
        page = admin_client.get(form)
        answer = admin_client.post(form, as_opened(page))

    assert "&quot;&gt;&lt;script&gt;" in page.text
    assert '"><script>' not in page.text
    assert answer.status_code == 200


def test_all_but_the_facts_is_folded_with_what_it_is_set_to(admin_client, brand):
    brand.is_test = brand.require_https = True
    brand.colour, brand.font, brand.landing = "#2457c5", "serif", "stay"
    brand.time_zone = "Europe/Berlin"
    brand.save()
    page = reverse(CHANGE, args=[brand.pk])

    first, *topics = admin_client.get(page).context["adminform"]

    assert list(first.fields) == ["name", "default_redirect_url"]
    assert {one.classes for one in topics} == {"collapse"}
    assert [one.name for one in topics] == [
        "State: active, a test brand, Europe/Berlin",
        "Landing: the opened page, https only",
        "Attribution: last click wins, within 90 days",
        "Cookie: 90 days, consent not needed, privacy signal not considered",
        "Clicks kept: 13 months, of robots 13 months",
        "Program: on, clients masked, flagged sales wait 0 days",
        "Contact: no support contact, no legal line",
        "Look: #2457c5, no logo, with serifs",
    ]


@pytest.mark.parametrize(
    ("_case", "domains"),
    [
        ("no domain", []),
        ("another host", [row("other.example")]),
        ("no redirect target", [row("contoso.example", is_redirect_target="")]),
        ("below, but not allowed", [row("example")]),
        ("another port", [row("contoso.example:8443")]),
    ],
)
def test_default_redirect_url_must_be_on_a_submitted_domain(
    admin_client, _case, domains, undrawn
):
    answer = admin_client.post(reverse(ADD), posted(*domains))

    assert answer.status_code == 200
    assert formset_errors(answer) == [
        "The default redirect URL leads to contoso.example, which is no redirect "
        "target of this brand. Add this host here and tick 'redirect target', or "
        "change the default redirect URL."
    ]
    assert Brand.objects.count() == 0
    assert BrandDomain.objects.count() == 0


def test_default_redirect_url_may_be_below_a_domain_with_subdomains(admin_client):
    form = posted(
        row("contoso.example", include_subdomains="on"),
        default_redirect_url="https://shop.contoso.example/",
    )

    assert admin_client.post(reverse(ADD), form).status_code == 302


def test_unfit_default_redirect_url_is_named_at_its_field_only(admin_client):
    form = posted(row("contoso.example"), default_redirect_url="contoso.example")

    answer = admin_client.post(reverse(ADD), form)

    assert answer.status_code == 200
    assert list(answer.context["adminform"].form.errors) == ["default_redirect_url"]
    assert formset_errors(answer) == []
    assert Brand.objects.count() == 0


def test_international_host_is_shown_with_its_name(admin_client, brand):
    brand.domains.create(host="shop.xn--mller-kva.example")

    listed = admin_client.get(reverse("admin:affiliates_brand_changelist"))
    form = admin_client.get(reverse(CHANGE, args=[brand.pk])).content.decode()

    name = "shop.xn--mller-kva.example (shop.müller.example)"
    assert name in listed.content.decode()
    assert "shop.müller.example" in form


def test_rows_that_are_only_read_have_no_heading_without_rows(admin_client, brand):
    form = admin_client.get(reverse(CHANGE, args=[brand.pk]))

    page = form.content.decode()
    empty = [
        inline.formset.prefix
        for inline in form.context["inline_admin_formsets"]
        if not (inline.has_add_permission or inline.formset.initial_forms)
    ]
    assert "integrations" in empty
    assert [prefix for prefix in empty if f'"{prefix}-heading"' in page] == []
    assert [prefix for prefix in empty if f"{prefix}-TOTAL_FORMS" not in page] == []


def test_two_spellings_of_one_host_are_refused(admin_client):
    form = posted(row("contoso.example"), row("Contoso.example:443"))

    answer = admin_client.post(reverse(ADD), form)

    assert answer.status_code == 200
    assert formset_errors(answer) == [HOST_TWICE]
    assert Brand.objects.count() == 0


def test_host_of_another_brand_is_refused_at_its_row(admin_client, brand):
    form = posted(row("contoso.example"), row("shop.example.com"))

    answer = admin_client.post(reverse(ADD), form)

    formset = answer.context["inline_admin_formsets"][0].formset
    assert formset.errors[1] == {
        "host": [
            f"shop.example.com belongs to the brand {brand}: remove it there first."
        ]
    }
    assert Brand.objects.count() == 1


def test_domain_of_the_default_redirect_url_cannot_be_removed(admin_client, brand):
    domain = brand.domains.get()
    form = posted(
        row(domain.host, id=str(domain.pk), brand=str(brand.pk), DELETE="on"),
        initial=1,
        default_redirect_url=brand.default_redirect_url,
    )

    answer = admin_client.post(reverse(CHANGE, args=[brand.pk]), form)

    assert answer.status_code == 200
    assert len(formset_errors(answer)) == 1
    assert brand.domains.count() == 1


def test_domain_and_default_redirect_url_can_change_together(admin_client, brand):
    domain = brand.domains.get()
    form = posted(
        row("new.example", id=str(domain.pk), brand=str(brand.pk)),
        initial=1,
        default_redirect_url="https://new.example/",
    )

    answer = admin_client.post(reverse(CHANGE, args=[brand.pk]), form)

    assert answer.status_code == 302
    brand.refresh_from_db()
    assert brand.default_redirect_url == "https://new.example/"
    assert brand.domains.get().host == "new.example"


def test_brand_is_not_offered_to_be_deleted_while_it_is_used(admin_client, brand, host):
    button = reverse("admin:affiliates_brand_delete", args=[brand.pk])
    unused = admin_client.get(reverse(CHANGE, args=[brand.pk])).content.decode()

    AffiliateFactory(brand=brand, user=host.client(brand, email="a@example.com"))
    used = admin_client.get(reverse(CHANGE, args=[brand.pk])).content.decode()

    assert button in unused
    assert button not in used


def test_brand_with_affiliates_is_not_deleted_and_says_why(admin_client, affiliate):
    brand = affiliate.brand

    answer = admin_client.post(
        reverse("admin:affiliates_brand_delete", args=[brand.pk]), {"post": "yes"}
    )

    assert answer.headers["Location"] == reverse(CHANGE, args=[brand.pk])
    (message,) = get_messages(answer.wsgi_request)
    assert str(message).startswith(f"{brand} cannot be deleted, because ")
    assert str(message).endswith(
        "name it. Switch it off instead: an inactive brand answers no API call."
    )
    assert Brand.objects.filter(pk=brand.pk).exists()


def test_brand_that_nothing_names_is_deleted_with_its_domains(admin_client, brand):
    answer = admin_client.post(
        reverse("admin:affiliates_brand_delete", args=[brand.pk]), {"post": "yes"}
    )

    assert answer.status_code == 302
    assert Brand.objects.count() == 0
    assert BrandDomain.objects.count() == 0


def test_brands_are_found_by_host_and_listed_in_few_queries(
    admin_client, django_assert_max_num_queries
):
    for number in range(5):
        brand = BrandFactory(client_area=f"shop{number}.example")
        BrandDomainFactory.create_batch(5, brand=brand)

    with django_assert_max_num_queries(8):
        page = admin_client.get(reverse("admin:affiliates_brand_changelist"))
    found = admin_client.get(
        reverse("admin:affiliates_brand_changelist"), {"q": "shop3.example"}
    )

    assert " and 3 more" in page.content.decode()
    assert [row.name for row in found.context["cl"].result_list] == [
        Brand.objects.get(domains__host="shop3.example").name
    ]


def test_change_page_leads_to_trying_a_url_of_this_brand(admin_client, brand):
    page = admin_client.get(reverse(CHANGE, args=[brand.pk]))
    action = reverse("admin:affiliates_brand_try_url", args=[brand.pk])

    answer = admin_client.get(action)

    assert action in page.content.decode()
    assert answer.headers["Location"] == (
        f"{reverse('admin:affiliates_click_try_url')}?brand={brand.pk}"
    )


@pytest.mark.usefixtures("area")
def test_a_logo_is_drawn_anew_shown_replaced_and_removed(admin_client, brand, settings):
    image = pytest.importorskip("PIL.Image")
    settings.ALLOWED_HOSTS = ["*"]
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    }
    host = brand.domains.get().host
    visitor = Client(headers={"host": host})

    def save(content: bytes = b"", **fields: str) -> str:
        domain = row(host, id=str(brand.domains.get().pk), brand=str(brand.pk))
        form = posted(domain, initial=1, default_redirect_url=f"https://{host}/")
        upload = {"upload": SimpleUploadedFile("logo.png", content)} if content else {}
        admin_client.post(
            reverse(CHANGE, args=[brand.pk]), {**form, **fields, **upload}
        )
        brand.refresh_from_db()
        return brand.logo

    def drawn(colour: str) -> bytes:
        file = BytesIO()
        image.new("RGB", (3, 2), colour).save(file, "PNG", comment="secret")
        return file.getvalue()

    first = save(drawn("red"))
    kept = save()
    refused = save(b"<svg/>")
    page = visitor.get("/affiliate/program")
    second = save(drawn("blue"))
    gone = save(has_no_logo="on")

    assert first == kept == refused
    assert re.fullmatch(r"affiliates/images/[0-9a-f]{32}\.png", first)
    url = f"/affiliate/images/{first.rpartition('/')[2]}"
    assert f'<img class="logo" src="{url}" alt="{brand.name}">' in page.text
    assert second not in ("", first)
    assert gone == ""
    assert 'class="logo"' not in visitor.get("/affiliate/program").text


def test_what_a_second_brand_breaks_is_said_before_it_is_saved(admin_client, brand):
    test = BrandFactory(client_area="test.example.com", is_test=True)
    old = BrandFactory(client_area="old.example.com", is_active=False)

    def says(page: str, *args: int) -> bool:
        return SECOND_BRAND in unescape(admin_client.get(reverse(page, args=args)).text)

    assert says(ADD)
    assert says(CHANGE, test.pk)
    assert says(CHANGE, old.pk)
    assert not says(CHANGE, brand.pk)
    BrandFactory(client_area="other.example.com")
    assert not says(ADD)


def test_of_the_first_brand_nothing_is_said(admin_client, db):
    assert SECOND_BRAND not in unescape(admin_client.get(reverse(ADD)).text)
