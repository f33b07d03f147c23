"""The history of a row: one list of changes, in words."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import CHANGE, LogEntry

from affiliates.db.audit import recording
from affiliates.db.audit.selectors import changes_of
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.skipif(
    not recording.is_available(), reason="the host has no auditlog"
)


def test_history_says_values_in_words(brand):
    plan = CommissionPlanFactory(brand=brand, cap_amounts={})
    plan.hold_days_by_cycle = {"annually": 0, "monthly": 30}
    plan.is_default = not plan.is_default
    plan.save()

    [changed, added] = changes_of(CommissionPlan, plan.pk)

    assert (changed.action, added.action) == ("changed", "added")
    assert [(row.field, row.after) for row in changed.fields] == [
        ("hold days by billing cycle", "annually 0, monthly 30"),
        ("default plan", "yes" if plan.is_default else "no"),
    ]
    assert "cap amounts" not in {row.field for row in added.fields}


def test_history_has_what_staff_wrote_among_the_changes(admin_user, affiliate):
    LogEntry.objects.log_actions(admin_user.pk, [affiliate], CHANGE, "Asked by phone.")
    LogEntry.objects.log_actions(
        admin_user.pk, [affiliate], CHANGE, [{"changed": {"fields": ["Status"]}}]
    )

    notes = [row for row in changes_of(Affiliate, affiliate.pk) if not row.action]

    assert [(row.who, row.what) for row in notes] == [
        (str(admin_user), "Asked by phone.")
    ]
