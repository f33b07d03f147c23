from __future__ import annotations

from affiliates.admin_tools.base import TabularInline
from affiliates.fraud.models import FraudPolicy
from affiliates.fraud.rules.policy import Signal


class FraudPolicyInline(TabularInline):
    """The brand's action for each signal that differs from the default."""

    model = FraudPolicy
    verbose_name_plural = "fraud signals, where they differ from the defaults"
    fields = ("signal", "action", "threshold")
    extra = 0
    max_num = len(Signal)
    show_title = False
