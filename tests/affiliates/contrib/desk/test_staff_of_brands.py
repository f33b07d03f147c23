"""Staff of single brands see and do nothing of the others."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db.models import ProtectedError
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from affiliates.admin_tools.visible import brands_of, path_to_brand, visible_to
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.staff import StaffBrand
from affiliates.contrib.desk.exports.models import SavedList
from affiliates.contrib.desk.exports.services import ask_for_list, make_lists
from affiliates.contrib.desk.navigation import PAGES
from affiliates.contrib.desk.search.finding import find
from affiliates.hooks import own_apps
from affiliates.program.models import Affiliate
from affiliates.worker.running import run_job
from tests.affiliates.verification.program import make_program
from tests.database import nothing_written
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.factories.area import AffiliateKeyFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.imports import ImportFaultFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.recruitment import InvitationFactory

pytestmark = pytest.mark.django_db

OUR_MODELS = {model for config in own_apps() for model in config.get_models()}
OUR_PAGES = {
    model: page for model, page in admin.site._registry.items() if model in OUR_MODELS
}
# Each model of ours that has a page but no way to a brand, and what a limited person
# sees of it. A new one fails here until somebody has decided.
WITHOUT_A_BRAND = {
    "affiliates_desk.SavedList": "their own",
}


@pytest.fixture(scope="module")
def made_program(keep_rows):
    return keep_rows(make_hidden_program)


@pytest.fixture(autouse=True)
def program(db, made_program):
    """Everything that can happen, in a brand that is not the person's."""
    return deepcopy(made_program)


def make_hidden_program():
    world = make_program().world
    Brand.objects.filter(pk=world.brand.pk).update(name="Hidden Brand")
    affiliate = world.affiliates[0]
    Affiliate.objects.filter(pk=affiliate.pk).update(code="hiddenpartner")
    AffiliateKeyFactory(affiliate=affiliate)
    MissingSaleClaimFactory(affiliate=affiliate)
    ImportFaultFactory(file__brand=world.brand)
    InvitationFactory(brand=world.brand)
    TrackingIntegrationFactory(brand=world.brand)
    run_job("statistics", now=world.now + timedelta(days=2))
    return world


@pytest.fixture
def own_brand(program):
    return BrandFactory(name="Own Brand", client_area="own.example.com")


@pytest.fixture
def person(admin_user):
    """A member of staff with every permission."""
    type(admin_user).objects.filter(pk=admin_user.pk).update(is_superuser=False)
    admin_user.user_permissions.set(Permission.objects.all())
    return type(admin_user).objects.get(pk=admin_user.pk)


@pytest.fixture
def limited(person, own_brand):
    StaffBrand.objects.create(person=person, brand=own_brand)
    return person


@pytest.fixture
def hidden_words(program):
    codes = Affiliate.objects.filter(brand=program.brand).values_list("code", flat=True)
    words = {*codes, *(order.ref for order in program.orders)}
    # A short number is on any page.
    return {"Hidden Brand", *(one for one in words if len(one) > 8)}


def rows_of(model, brand):
    path = path_to_brand(model)
    return (
        model._base_manager.filter(**{path: brand.pk}) if path else model.objects.none()
    )


def pages_of(model, row):
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    return [
        reverse(f"{name}_{page}", args=[row.pk])
        for page in ("change", "history", "delete")
    ]


def buttons_of(page, row):
    """The addresses of everything that can be done with a row on its page."""
    for name in page.actions_detail:
        path = getattr(getattr(page, name), "url_path", name)
        try:
            yield reverse(
                f"admin:{page.opts.app_label}_{page.opts.model_name}_{path}",
                args=[row.pk],
            )
        except NoReverseMatch:
            continue


def everything_stored():
    """But for what pages remember of the person who looks at them."""
    own = {"affiliates_desk.LastBrand"}
    return {
        model._meta.label: sorted(map(repr, model._base_manager.values_list()))
        for model in OUR_MODELS
        if model._meta.label not in own and model._meta.managed
    }


def test_each_model_with_a_page_has_a_way_to_its_brand():
    ways = {model._meta.label: path_to_brand(model) for model in OUR_PAGES}

    assert {name for name, way in ways.items() if way is None} == set(WITHOUT_A_BRAND)


def test_the_rows_of_each_brand_add_up_to_all_rows(program, person, own_brand, host):
    """Nothing leaks if they do not, but a person sees, counts and stops too little."""
    owner = host.client(own_brand, email="owner@example.com")
    AffiliateLinkFactory(affiliate=AffiliateFactory(brand=own_brand, user=owner))
    missing, tried = {}, 0

    for model in OUR_MODELS:
        path = path_to_brand(model)
        if path is None or not model._meta.managed:
            continue
        tried += 1
        rows = Counter(model._base_manager.order_by().values_list("pk", flat=True))
        for brand in Brand.objects.all():
            person.affiliates_brands = frozenset({brand.pk})
            visible = visible_to(person, model._base_manager.order_by())
            rows.subtract(visible.values_list("pk", flat=True))
        missing[model._meta.label] = sum(map(abs, rows.values()))

    assert {label: rows for label, rows in missing.items() if rows} == {}
    assert tried > 50


def test_a_person_without_a_row_works_for_all_brands(
    person, program, own_brand, hidden_words, client
):
    client.force_login(person)

    text = client.get(reverse("admin:affiliates_affiliate_changelist")).content.decode()

    assert brands_of(person) is None
    assert "hiddenpartner" in text


def test_a_superuser_is_never_limited(admin_user, own_brand):
    StaffBrand.objects.create(person=admin_user, brand=own_brand)

    assert brands_of(admin_user) is None


def test_lists_show_no_row_of_another_brand(limited, client, program, hidden_words):
    client.force_login(limited)
    shown = []

    for model in OUR_PAGES:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        answer = client.get(reverse(f"admin:{name}_changelist"))
        assert answer.status_code == 200, name
        text = answer.content.decode()
        shown += [(name, word) for word in hidden_words if word in text]

    assert shown == []


def test_nothing_of_another_brand_has_a_page(limited, client, program):
    client.force_login(limited)
    opened, tried = [], 0

    for model in OUR_PAGES:
        row = rows_of(model, program.brand).first()
        if row is None:
            continue
        tried += 1
        opened += [
            path
            for path in pages_of(model, row)
            if client.get(path).status_code not in (302, 403)
        ]

    assert opened == []
    assert tried > 30


def test_nothing_of_another_brand_can_be_done(limited, client, program):
    client.force_login(limited)
    before, done, tried = everything_stored(), [], 0

    for model, page in OUR_PAGES.items():
        row = rows_of(model, program.brand).first()
        for path in buttons_of(page, row) if row else ():
            tried += 1
            for answer in (client.get(path), client.post(path, {"confirm": "yes"})):
                if answer.status_code not in (302, 403, 404):
                    done.append((path, answer.status_code))

    assert done == []
    assert tried > 15
    assert everything_stored() == before


@pytest.mark.parametrize("name", [*PAGES, "brand_search"])
def test_pages_of_the_desk_tell_nothing_of_another_brand(
    name, limited, client, program, hidden_words, sidebar
):
    client.force_login(limited)
    asked = {"brand": program.brand.pk, "q": "hiddenpartner"}

    for query in ({}, asked, {"brand": "all"}):
        answer = client.get(reverse(f"admin:affiliates_{name}"), query)
        text = answer.content.decode().replace('value="hiddenpartner"', "")
        text = text.replace("Nothing found for “hiddenpartner”", "")
        assert answer.status_code in (200, 302, 403, 404)
        assert [word for word in hidden_words if word in text] == []


def test_searches_and_choices_offer_nothing_of_another_brand(
    limited, client, program, rf
):
    client.force_login(limited)
    request = rf.get("/")
    request.user = limited
    asked = {"app_label": "affiliates", "model_name": "affiliatelink"}
    query = {**asked, "field_name": "affiliate", "term": "hiddenpartner"}

    assert find(request, "hiddenpartner") == []
    assert client.get(reverse("admin:autocomplete"), query).json()["results"] == []


def test_a_saved_list_holds_own_rows_alone(
    limited, program, own_brand, settings, tmp_path
):
    settings.MEDIA_ROOT = tmp_path
    ask_for_list(
        asker_id=limited.pk,
        site=admin.site.name,
        model="affiliates.affiliate",
        query="",
        file_format="csv",
        url_of=str,
        now=timezone.now(),
    )

    make_lists(now=timezone.now, should_stop=lambda: False)

    assert SavedList.objects.get().row_count == 0


def test_changes_of_another_brand_are_not_listed(limited, client, program, own_brand):
    if not apps.is_installed("auditlog"):
        pytest.skip("the host records no changes")
    from auditlog.models import LogEntry

    for brand in (program.brand, own_brand):
        brand.change(landing="stay" if brand.landing != "stay" else "default_url")
    client.force_login(limited)
    page = client.get(reverse("admin:auditlog_logentry_changelist"))

    listed = {entry.object_repr for entry in page.context["cl"].result_list}
    assert "Own Brand" in listed
    assert "Hidden Brand" not in listed
    assert LogEntry.objects.filter(object_repr="Hidden Brand").exists()


def test_who_is_limited_cannot_undo_it(limited, client, own_brand):
    client.force_login(limited)
    row = StaffBrand.objects.get()
    added = client.get(reverse("admin:affiliates_staffbrand_add"))
    removed = client.post(
        reverse("admin:affiliates_staffbrand_delete", args=[row.pk]), {"post": "yes"}
    )

    assert (added.status_code, removed.status_code) == (403, 403)
    assert client.get(reverse("admin:affiliates_brand_add")).status_code == 403
    assert StaffBrand.objects.count() == 1


def test_a_superuser_limits_a_person_on_the_page(admin_client, admin_user, own_brand):
    answer = admin_client.post(
        reverse("admin:affiliates_staffbrand_add"),
        {"person": str(admin_user.pk), "brand": own_brand.pk},
    )

    assert answer.status_code == 302
    assert [(row.person_id, row.brand_id) for row in StaffBrand.objects.all()] == [
        (admin_user.pk, own_brand.pk)
    ]


def test_a_brand_with_staff_of_its_own_is_not_deleted(limited, own_brand):
    """Without the last row, the person would work for all brands."""
    with pytest.raises(ProtectedError):
        own_brand.delete()


def test_only_staff_of_the_brand_add_a_refused_host(client, limited, program):
    client.force_login(limited)
    form = reverse("admin:affiliates_brand_change", args=[program.brand.pk])
    rows = {"domains-TOTAL_FORMS": "1", "domains-INITIAL_FORMS": "0"}
    added = {**rows, "domains-0-host": "www.shop.example.com"}

    with nothing_written():
        shown = client.get(f"{form}?add_host=www.shop.example.com")
        saved = client.post(f"{form}?add_host=www.shop.example.com", added)

    assert (shown.status_code, saved.status_code) == (302, 302)
