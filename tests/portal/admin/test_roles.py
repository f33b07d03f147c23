"""Staff's roles, page by page and action by action, from the admin's own URLs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, URLPattern, URLResolver, reverse

from affiliates.brands.roles import ROLES, group_name, own_codenames
from tests.factories.portal import StaffFactory
from tests.lengths import IS_LONG, in_steps
from tests.portal.admin.role_matrix import LETTERS, MATRIX, SITE_PAGES

PAGES = ("view", "add", "change", "delete")
# Of each model; the list, its files, one's own views of it and the history are looked at
# like the row.
LOOKED_AT = ("changelist", "export", "history", "save_view", "delete_view")
NOBODY = "nobody"
FORBIDDEN = 403
EVERY_ROLE = [*ROLES, NOBODY]
each_role = pytest.mark.parametrize("role", EVERY_ROLE)


@pytest.fixture
def staff_of(db):
    """Staff with one of the roles, or with none."""

    def staff_of(role: str) -> Any:
        user = StaffFactory(is_superuser=False)
        if role != NOBODY:
            user.groups.add(Group.objects.get(name=group_name(role)))
        return user

    return staff_of


def test_every_page_and_action_has_a_row():
    found = {
        label: {*PAGES, *_named_pages(page), *_actions(page)}
        for label, page in _registered()
    }

    rows = {label: set(row) for label, row in MATRIX.items()}
    missing = {
        label: sorted(names - rows.get(label, set()))
        for label, names in found.items()
        if names - rows.get(label, set())
    }
    gone = {
        label: sorted(names - found.get(label, set()))
        for label, names in rows.items()
        if names - found.get(label, set())
    }
    assert (missing, gone) == ({}, {}), "Change tests/portal/admin/role_matrix.py."


def test_every_page_of_the_site_itself_is_known():
    of_models = {name for _, page in _registered() for name in _urls_of(page)}

    assert set(_names(admin.site.get_urls())) - of_models == SITE_PAGES


@each_role
@in_steps(example=20, sweep=2)
def test_each_role_may_do_its_work_and_nothing_else(staff_of, role, step, request):
    """In the brief sweep each role opens every other page, all together open each."""
    if not IS_LONG:
        request.getfixturevalue("undrawn")
    user = staff_of(role)
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    registered = dict([*_registered()][EVERY_ROLE.index(role) % step :: step])

    allowed = {
        label: {
            name for name, letters in MATRIX[label].items() if role in _roles(letters)
        }
        for label in registered
    }
    found = {
        label: {
            *(name for name in PAGES if _may(browser, label, name)),
            *(name for name in _named_pages(page) if _may(browser, label, name)),
            *_offered_actions(page, user),
        }
        for label, page in registered.items()
    }
    assert found == allowed


@pytest.mark.portable
@each_role
def test_site_pages_answer_every_role(staff_of, role):
    browser = Client()
    browser.force_login(staff_of(role))

    assert browser.get("/admin/").status_code == 200
    assert browser.get("/admin/password_change/").status_code == 200
    assert browser.get("/admin/search/?s=a").status_code == 200


def test_history_is_of_those_who_may_see_the_row(staff_of, brand):
    path = reverse("admin:affiliates_brand_history", args=[brand.pk])
    statuses = {}
    for role in ("read-only", NOBODY):
        browser = Client()
        browser.force_login(staff_of(role))
        statuses[role] = browser.get(path).status_code

    assert statuses == {"read-only": 200, NOBODY: FORBIDDEN}


@pytest.mark.django_db
def test_migrating_again_sets_what_is_ours_and_keeps_what_the_host_gave():
    group = Group.objects.get(name=group_name("support"))
    by_name = {one.codename: one for one in Permission.objects.all()}
    group.permissions.remove(by_name["view_click"])
    group.permissions.add(by_name["change_brand"], by_name["add_product"])

    call_command("migrate", "affiliates", verbosity=0)

    held = group.permissions.filter(content_type__app_label="affiliates")
    assert set(held.values_list("codename", flat=True)) == own_codenames(
        "affiliates", "support"
    )
    assert group.permissions.filter(codename="add_product").exists()


@pytest.mark.django_db
def test_a_deleted_group_is_made_anew():
    Group.objects.filter(name=group_name("finance")).delete()

    call_command("migrate", "affiliates", verbosity=0)

    group = Group.objects.get(name="Affiliates: finance")
    assert group.permissions.filter(codename="approve_payout").exists()
    assert group.permissions.filter(codename="refund_invoice").exists()


def _registered() -> Iterator[tuple[str, Any]]:
    registered: dict[type[Model], Any] = admin.site._registry
    for model, page in registered.items():
        yield model._meta.label_lower, page


def _names(patterns: list[Any]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _names(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name


def _urls_of(page: Any) -> list[str]:
    return list(_names(page.get_urls()))


def _named_pages(page: Any) -> set[str]:
    """Other pages than Django's own, by the last part of their names."""
    prefix = f"{page.opts.app_label}_{page.opts.model_name}_"
    names = {name.removeprefix(prefix) for name in _urls_of(page)}
    return names - {*PAGES, *LOOKED_AT}


def _actions(page: Any) -> set[str]:
    return {one if isinstance(one, str) else one.__name__ for one in page.actions or ()}


def _offered_actions(page: Any, user: Any) -> set[str]:
    """Django runs no other action of a list than those that it offers."""
    request = RequestFactory().get("/")
    request.user = user
    return set(page.get_actions(request)) - {"delete_selected"}


def _roles(letters: str) -> set[str]:
    return {LETTERS[letter] for letter in letters}


def _may(browser: Client, label: str, name: str) -> bool:
    """Asked of a row that is not there: permissions come first."""
    page = f"admin:{label.replace('.', '_')}"
    if name == "view":
        statuses = {
            browser.get(reverse(f"{page}_changelist")).status_code,
            browser.get(reverse(f"{page}_change", args=[0])).status_code,
        }
        with suppress(NoReverseMatch):
            file = reverse(f"{page}_export", args=["csv"])
            statuses.add(browser.get(file).status_code)
        assert len(statuses & {FORBIDDEN}) == 0 or statuses == {FORBIDDEN}
        return statuses != {FORBIDDEN}
    if name == "change":
        answer = browser.post(reverse(f"{page}_change", args=[0]))
    elif name == "delete":
        answer = browser.post(reverse(f"{page}_delete", args=[0]))
    else:
        answer = browser.get(_path(page, name))
    assert answer.status_code in {200, 302, FORBIDDEN, 404}, (label, name)
    return answer.status_code != FORBIDDEN


def _path(prefix: str, name: str) -> str:
    for found in (f"{prefix}_{name}", f"admin:{name}"):
        for args in ([], [0]):
            with suppress(NoReverseMatch):
                return reverse(found, args=args)
    raise AssertionError(name)
