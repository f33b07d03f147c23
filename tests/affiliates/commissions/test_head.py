"""The head of a commission's page: its amount, its status, and what can be done now."""

from __future__ import annotations

import pytest
from django.contrib.admin.utils import flatten
from django.urls import reverse

from affiliates.commissions.models import Commission


def page_of(client, commission):
    page = reverse("admin:affiliates_commission_change", args=[commission.pk])
    return client.get(page)


@pytest.mark.parametrize(
    ("status", "titles"),
    [
        ("pending", ["Hold…", "Reject…"]),
        ("held", ["Release…", "Reject…"]),
        ("rejected", []),
    ],
)
def test_page_offers_what_the_status_allows(admin_client, commission, status, titles):
    Commission.objects.update(status=status)

    head = page_of(admin_client, commission).context["head"]

    assert (head.amount, head.status.lower()) == ("€10.00", status)
    assert [title for title, _ in [*head.buttons, *head.menu]] == titles


def test_page_leaves_out_fields_without_a_value(admin_client, commission):
    answer = page_of(admin_client, commission)

    [first, *_] = answer.context["adminform"]
    shown = list(flatten(first.fields))
    assert "matures" in shown
    assert {"payout", "of_recruited"}.isdisjoint(shown)
