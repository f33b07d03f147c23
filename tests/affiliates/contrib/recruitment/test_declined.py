"""What a declined applicant wrote is deleted some time after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from affiliates.contrib.recruitment.models import Application
from affiliates.contrib.recruitment.services.applications import forget_declined
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from tests.factories.recruitment import ApplicationFactory

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(days=183)


@pytest.fixture
def application(affiliate):
    Affiliate.objects.update(status=AffiliateStatus.PENDING)
    return ApplicationFactory(affiliate=affiliate)


def _become(status):
    with time_machine.travel(AT, tick=False):
        change_status(Affiliate.objects.all(), status=status, reason="No site.")


def test_a_declined_application_is_deleted_after_its_time(application):
    _become(AffiliateStatus.SUSPENDED)

    assert Affiliate.objects.get().declined_at == AT
    assert forget_declined(now=LATER - timedelta(seconds=1)) == 0
    assert Application.objects.get() == application
    assert forget_declined(now=LATER) == 1
    assert not Application.objects.exists()
    assert Affiliate.objects.exists()


def test_the_time_is_a_setting(application, settings):
    settings.AFFILIATES_KEEP_DECLINED_DAYS = 30
    _become(AffiliateStatus.SUSPENDED)

    assert forget_declined(now=AT + timedelta(days=30)) == 1


def test_that_of_a_suspended_affiliate_stays(application):
    _become(AffiliateStatus.ACTIVE)
    _become(AffiliateStatus.SUSPENDED)

    assert forget_declined(now=LATER) == 0
    assert Application.objects.get() == application


def test_that_of_an_affiliate_who_was_accepted_after_all_stays(application):
    _become(AffiliateStatus.SUSPENDED)
    _become(AffiliateStatus.ACTIVE)

    assert forget_declined(now=LATER) == 0
    assert Application.objects.get() == application
