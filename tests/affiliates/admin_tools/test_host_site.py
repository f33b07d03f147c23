"""Our admin pages on the AdminSite that the host names."""

from __future__ import annotations

import pytest
from django.contrib.admin import AdminSite, ModelAdmin, site
from django.contrib.admin.sites import all_sites
from django.core.exceptions import ImproperlyConfigured

from affiliates.admin_tools import theme
from affiliates.admin_tools.theme import extend_page, host_site, register_page
from affiliates.brands.models.brand import Brand
from affiliates.program.models import Affiliate
from tests.cases import each

own_site = AdminSite("ops")
# Registered only within a test: checks look at every site that there is.
all_sites.discard(own_site)


def test_it_is_djangos_default_site_unless_named(settings):
    settings.AFFILIATES_ADMIN_SITE = ""

    assert host_site() is site


def test_a_page_that_the_host_has_of_its_own_is_left_alone(settings):
    settings.AFFILIATES_ADMIN_SITE = f"{__name__}.own_site"
    own_site.register(Brand, ModelAdmin)

    for model in (Brand, Affiliate):
        register_page(model)(type(site.get_model_admin(model)))

    assert type(own_site.get_model_admin(Brand)) is ModelAdmin
    assert type(own_site.get_model_admin(Affiliate)) is type(
        site.get_model_admin(Affiliate)
    )


class Page(ModelAdmin):
    __module__ = "affiliates.one"
    actions_list = ("own",)


class LaterPage(Page):
    __module__ = "affiliates.another"
    actions_list = ("own", "later")


class Button:
    actions_list = ("added",)


class View:
    pass


@pytest.fixture
def empty_site(settings, monkeypatch) -> AdminSite:
    settings.AFFILIATES_ADMIN_SITE = f"{__name__}.own_site"
    monkeypatch.setattr(own_site, "_registry", {})
    monkeypatch.setattr(theme, "default_site", own_site)
    monkeypatch.setattr(theme, "EXTENSIONS", {})
    return own_site


@pytest.mark.parametrize(
    "classes",
    [
        (Page, LaterPage, Button, View),
        (Page, Button, LaterPage, View),
        (Button, View, Page, LaterPage),
        (Page, Button, View, LaterPage, LaterPage),
    ],
)
def test_parts_of_several_apps_extend_a_page_in_any_order(classes, empty_site):
    for added in classes:
        is_page = issubclass(added, ModelAdmin)
        (register_page if is_page else extend_page)(Brand)(added)

    page = empty_site.get_model_admin(Brand)
    assert [isinstance(page, added) for added in classes] == [True] * len(classes)
    assert page.actions_list == ("own", "later", "added")


def test_an_extended_page_can_be_registered_again(empty_site):
    register_page(Brand)(Page)
    extend_page(Brand)(Button)
    extended = type(empty_site.get_model_admin(Brand))

    register_page(Brand)(extended)

    assert type(empty_site.get_model_admin(Brand)) is extended


def test_a_page_that_the_host_has_of_its_own_is_not_extended(empty_site):
    empty_site.register(Brand, ModelAdmin)

    extend_page(Brand)(Button)

    assert type(empty_site.get_model_admin(Brand)) is ModelAdmin


@each(
    ("path", "said"),
    [
        ("no.such.site", "AFFILIATES_ADMIN_SITE: No module named 'no'"),
        (
            "decimal.Decimal",
            "AFFILIATES_ADMIN_SITE is 'decimal.Decimal', which is no AdminSite.",
        ),
    ],
)
def test_what_is_no_site_is_named(path, said, settings):
    settings.AFFILIATES_ADMIN_SITE = path

    with pytest.raises(ImproperlyConfigured) as refused:
        host_site()

    assert str(refused.value) == said
