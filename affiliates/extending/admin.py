"""Admin pages of a host in the style of these."""

from __future__ import annotations

from typing import Any

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import (
    LookOnly,
    ModelAdmin,
    TabularInline,
    action,
)
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
from affiliates.admin_tools.heads import OnlyWhatIsPossible
from affiliates.admin_tools.leaving import ask_identity
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.commissions.models import Commission
from affiliates.referrals.models import OrderReferral

__all__ = [
    "AsksFirst",
    "DaysFilter",
    "LookOnly",
    "ModelAdmin",
    "OnlyWhatIsPossible",
    "Question",
    "TabularInline",
    "action",
    "answer_of",
    "ask_identity",
    "client_counts",
    "column",
    "moment",
    "search",
    "widgets",
]


def client_counts(client_id: Any) -> tuple[int, int]:
    """Returns how many orders a client has made, and how many commissions they earned."""
    orders = OrderReferral.objects.filter(client=client_id)
    commissions = Commission.objects.filter(sale__order_referral__client=client_id)
    return orders.count(), commissions.count()
