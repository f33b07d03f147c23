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
