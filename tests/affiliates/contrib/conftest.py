"""What tests of several apps share."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from affiliates.brands.roles import group_name


@pytest.fixture
def as_role(staff):
    """The admin as a user with this role sees it."""

    def as_role(role):
        staff.is_staff = True
        # The portal's clients have a brand, its staff have none.
        staff.brand = None
        staff.save()
        staff.groups.set([Group.objects.get(name=group_name(role))])
        browser = Client()
        browser.force_login(staff)
        return browser

    return as_role


@pytest.fixture
def browser_of(settings):
    """An affiliate's browser, signed in on the brand's client area."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]

    def browser_of(affiliate):
        browser = Client(headers={"host": "shop.example.com"})
        browser.force_login(affiliate.user)
        # The portal keeps in which language its client reads: that is written once.
        browser.get("/affiliate/program")
        return browser

    return browser_of
