"""Reports may read from a standby; nothing else does, and nothing is written there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections, router
from django.test.testcases import DatabaseOperationForbidden

from affiliates.brands.models.brand import Brand
from affiliates.db.routers import ReportsRouter, from_reports_database
from affiliates.hooks import own_apps
from affiliates.operations.health.examine import check_settings
from tests.factories.affiliates import BrandDomainFactory

REPORTS = "reports"
ROUTER = "affiliates.db.routers.ReportsRouter"


@pytest.fixture
def standby(db, settings) -> Iterator[None]:
    """One that no test may ask: whoever does is named."""
    connections.settings[REPORTS] = {
        **connections.settings["default"],
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ":memory:",
        "OPTIONS": {},
    }
    settings.DATABASE_ROUTERS = [ROUTER]
    settings.AFFILIATES_REPORTS_DATABASE = REPORTS
    yield
    settings.DATABASE_ROUTERS = []
    connections[REPORTS].close()
    del connections[REPORTS], connections.settings[REPORTS]


def databases() -> set[str]:
    """From where every table of ours is read."""
    return {
        manager.all().db
        for app in own_apps()
        for model in app.get_models()
        for manager in (*model._meta.managers, model._base_manager)
    }


def test_reports_alone_read_from_the_standby(standby):
    assert databases() == {"default"}

    with from_reports_database():
        assert databases() == {REPORTS}
        with pytest.raises(DatabaseOperationForbidden):
            Brand.objects.count()

    assert databases() == {"default"}


def test_without_a_standby_reports_read_where_rows_are_written(db):
    with from_reports_database():
        assert databases() == {"default"}


def test_nothing_is_written_to_the_standby(standby, brand):
    with from_reports_database(), pytest.raises(DatabaseOperationForbidden):
        BrandDomainFactory(brand=brand, host="one.example.com")
    brand._state.db = REPORTS
    brand.name = "Renamed"

    brand.save(update_fields=["name"])

    assert Brand.objects.get().name == "Renamed"
    assert not brand.domains.filter(host="one.example.com").exists()
    assert router.db_for_write(Brand, instance=brand) == "default"


def test_nothing_is_migrated_there(standby):
    assert ReportsRouter().allow_migrate(REPORTS, "affiliates") is False
    assert router.allow_migrate_model("default", Brand) is True


def test_other_routers_are_asked_about_everything_else(standby, brand):
    asked = ReportsRouter()

    assert asked.db_for_write(Brand, instance=brand) is None
    assert asked.allow_migrate("default", "affiliates") is None
    assert asked.allow_relation(brand, brand) is None


@pytest.mark.parametrize(
    ("alias", "routers", "ids"),
    [
        ("default", [ROUTER], []),
        ("", [], []),
        ("default", [], ["affiliates.E028"]),
        ("elsewhere", [ROUTER], ["affiliates.E028"]),
    ],
)
def test_a_standby_that_cannot_be_read_is_named(settings, alias, routers, ids):
    settings.AFFILIATES_REPORTS_DATABASE = alias
    settings.DATABASE_ROUTERS = routers

    assert [one.id for one in check_settings(None)] == ids
