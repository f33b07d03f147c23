"""The suspension form, which says beforehand what happens to the affiliates' money."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.db.models import Sum

from affiliates.admin_tools import widgets
from affiliates.admin_tools.columns import money_text
from affiliates.admin_tools.forms import reason_field
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import account_balances
from affiliates.membership.suspensions import WhatIsPending

SUSPENDED_WITH = {
    Account.PENDING: "Pending: {}. It matures as if nothing had happened.",
    Account.HELD: "Held: {}. It stays held until staff release or reject it.",
    Account.PAYABLE: "Payable: {}. It stays in the books and is not paid while suspended.",
    Account.CLEARING: "Being paid out: {}. What is approved is neither exported nor credited: "
    "reject it to make it payable again. What was exported can be confirmed.",
}

PENDING_IS_CHOSEN = "Pending: {}. Choose below what becomes of it."


class SuspendForm(forms.Form):
    reason = reason_field("Kept in the history of each affiliate.")


class SuspendWithPendingForm(SuspendForm):
    """For those who may judge commissions."""

    pending = forms.ChoiceField(
        label="What is pending",
        choices=WhatIsPending.choices,
        initial=WhatIsPending.STAYS,
        required=False,
        widget=widgets.RadioSelect,
        help_text="Commissions in their hold, and those that wait for approval. What is held, "
        "approved or being paid already stays so.",
    )
    field_order = ("pending", "reason")

    def clean_pending(self) -> WhatIsPending:
        return WhatIsPending(self.cleaned_data["pending"] or WhatIsPending.STAYS)


def what_suspending_means(ids: Sequence[int], *, may_choose: bool = False) -> list[str]:
    """Returns sentences on what happens to the owed amounts, with their sums."""
    sentences = dict(SUSPENDED_WITH)
    if may_choose:
        sentences[Account.PENDING] = PENDING_IS_CHOSEN
    rows = account_balances().filter(affiliate_id__in=ids, balance__gt=0)
    sums: dict[str, list[str]] = {}
    by_currency = rows.order_by("currency").values_list("account", "currency")
    for account, currency, amount in by_currency.annotate(Sum("balance")):
        sums.setdefault(account, []).append(money_text(amount, currency))
    return [
        sentence.format(", ".join(sums[owed]))
        for owed, sentence in sentences.items()
        if owed in sums
    ]
