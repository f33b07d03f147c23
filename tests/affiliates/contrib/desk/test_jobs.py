"""The page of background jobs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from affiliates.worker import services
from affiliates.worker.registry import job_named, job_names
from affiliates.worker.running import run_job

PAGE = "admin:affiliates_brand_jobs"
DAY = timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(admin_client):
    def rows():
        page = admin_client.get(reverse(PAGE))
        return {row.job.name: row for row in page.context["rows"]}

    return rows


def test_every_job_is_shown_with_what_it_does_and_when(rows, admin_client):
    shown = rows()
    page = admin_client.get(reverse(PAGE)).content.decode()

    assert list(shown) == job_names()
    assert (shown["emails"].interval, shown["emails"].state) == ("5 seconds", "Late")
    assert all(job_named(name).does for name in shown)
    assert "Sends the e-mails that wait in the outbox." in page
    assert "Never run" in page


def test_how_each_goes(rows):
    now = timezone.now()
    run_job("alerts")
    run_job("emails", now=now - DAY)
    services.take_now("lists", holder="a", now=now)
    services.take_now("imports", holder="a", now=now - DAY)
    services.finish("imports", holder="a", every=DAY, error="Locked.", now=now)

    states = {
        name: (row.state, row.colour, row.job.outcome) for name, row in rows().items()
    }

    assert states["alerts"] == ("On time", "success", "done")
    assert states["emails"] == ("Late", "danger", "done")
    assert states["lists"] == ("Running now", "info", "never run")
    assert states["imports"] == ("Failed", "warning", "failed: Locked.")
    assert states["purge"] == ("Not run yet", "info", "never run")


@pytest.mark.parametrize(
    ("permissions", "status"),
    [(["view_brand"], 403), (["view_brand", "view_workerjob"], 200)],
)
def test_it_is_for_those_who_may_look_at_jobs(
    permissions, status, admin_user, admin_client
):
    admin_user.is_superuser = False
    admin_user.save()
    allowed = Permission.objects.filter(codename__in=permissions)
    admin_user.user_permissions.set(allowed)

    assert admin_client.get(reverse(PAGE)).status_code == status
