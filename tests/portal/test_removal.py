"""The portal's tables need the core: it cannot be removed under them."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from affiliates.operations.removal import obstacles
from tests.database import nothing_written

pytestmark = pytest.mark.django_db


def test_foreign_keys_and_migrations_of_the_portal_keep_the_core():
    reasons = [*obstacles(apps.get_app_config("affiliates"))]

    of_host = [one for one in reasons if not one.startswith("affiliates_")]
    *keys, migration = of_host
    assert (
        "The foreign key portal_user.brand_id points at affiliates_brand. Remove it by "
        "a migration of your own first."
    ) in keys
    assert all(one.startswith("The foreign key portal_") for one in keys)
    assert migration == (
        "The migration portal.0001_initial depends on affiliates and would be undone too. "
        "Squash it with the later ones that need no table of it."
    )
    with nothing_written(), pytest.raises(CommandError):
        call_command("affiliates_remove", "affiliates", "--yes")
