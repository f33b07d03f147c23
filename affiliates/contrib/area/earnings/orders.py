"""Whom the affiliate sent, what they ordered, and why it is credited or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import TextChoices
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.area.api.lists import Listing
from affiliates.contrib.area.api.orders import ORDERS, REFERRALS, order_data
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.commissions import has_taken_back
from affiliates.contrib.area.earnings.lists import ListPage, NumberedForm
from affiliates.contrib.area.templatetags.affiliates_area import day
from affiliates.referrals.rules.choices import Verdict

OUTCOMES = [
    ("", _("All orders")),
    ("credited", _("Credited to you")),
    ("lost", _("Not credited to you")),
]


class OrderStatus(TextChoices):
    """Status of an order without commissions. Other orders show their commissions'."""

    LOST = "lost", _("Not credited")
    HELD = "held", _("Under review")
    UNPAID = "unpaid", _("Not paid yet")


_BY_THE_RULES = _(
    "The program's rules decide whose an order is where several have a part."
)
_CLICK_AGAIN = _(
    "Nothing to do for this order. A client who follows one of your links again counts anew."
)
_ACTIVE_ONLY = _("Only clicks and orders of the time in which you are active count.")
_PROGRAM_ON_ONLY = _(
    "Only clicks and orders of the time in which the program is on count."
)
_ACTIVE_BRAND_ONLY = _("Only orders of the time in which the brand is active count.")
_ADVICE: Mapping[str, Promise] = {
    Verdict.STAFF_ASSIGNED: _("Staff checked this order and decided."),
    Verdict.THIRD_PARTY_WON: _BY_THE_RULES,
    Verdict.COUPON_WON: _BY_THE_RULES,
    Verdict.LINK_WON: _BY_THE_RULES,
    Verdict.LATER_CLICK_WON: _BY_THE_RULES,
    Verdict.EARLIER_CLICK_WON: _BY_THE_RULES,
    Verdict.BOUND_CLIENT: _BY_THE_RULES,
    Verdict.LATE_TOUCH_STOOD_DOWN: _BY_THE_RULES,
    Verdict.NOT_ELIGIBLE_ORDER: _(
        "A client's first order earns by this program, later ones earn nothing."
    ),
    Verdict.PROGRAM_OFF_AT_ORDER: _PROGRAM_ON_ONLY,
    Verdict.PROGRAM_OFF_AT_VISIT: _PROGRAM_ON_ONLY,
    Verdict.BRAND_INACTIVE_AT_ORDER: _ACTIVE_BRAND_ONLY,
    Verdict.NOT_ACTIVE_AT_ORDER: _ACTIVE_ONLY,
    Verdict.NOT_ACTIVE_AT_VISIT: _ACTIVE_ONLY,
    Verdict.OUTSIDE_WINDOW: _CLICK_AGAIN,
    Verdict.AFTER_ORDER: _CLICK_AGAIN,
    Verdict.REPEAT: _CLICK_AGAIN,
    Verdict.BOT: _("Only visits of people count."),
}


_STATUSES = {"order": OrderStatus, "commission": CommissionStatus}


def summary_of(order: Mapping[str, Any]) -> dict[str, Any]:
    """The order with its first invoice, and sums of all its invoices."""
    commissions = order["commissions"]
    earned: Counter[str] = Counter()
    taken_back: Counter[str] = Counter()
    for commission in commissions:
        lost = Decimal(commission["taken_back"])
        taken_back[commission["currency"]] += lost  # type: ignore[assignment] # sums of decimals
        earned[commission["currency"]] += Decimal(commission["amount"]) + lost  # type: ignore[assignment]
    status = OrderStatus.HELD if order["is_held"] else OrderStatus.UNPAID
    return {
        **order,
        "first": commissions[0] if commissions else None,
        "renewals": len(commissions) - 1,
        "status": status if order["is_credited"] else OrderStatus.LOST,
        "statuses": list(
            dict.fromkeys(commission["status"] for commission in commissions)
        ),
        "sales": {sale["currency"]: Decimal(sale["amount"]) for sale in order["sales"]},
        "earned": dict(earned),
        "taken_back": {code: lost for code, lost in taken_back.items() if lost},
    }


def advice_for(reason: str) -> str:
    """The advice for the verdict that lost the order; empty if there is none."""
    return str(_ADVICE.get(reason, ""))


class OrdersForm(NumberedForm):
    outcome = forms.ChoiceField(label=_("Show"), choices=OUTCOMES, required=False)


class OrdersPage(ListPage):
    template_name = "affiliates/area/orders.html"
    title = _("Orders")
    section = "orders"
    listing = ORDERS
    filters = OrdersForm

    def rows(self, listing: Listing, **fixed: str) -> dict[str, Any]:
        page = super().rows(listing, **fixed)
        return {**page, "rows": [summary_of(order) for order in page["rows"]]}

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        return super().page(status=status, enums=_STATUSES, **context)


class OrderPage(AreaPage):
    template_name = "affiliates/area/order.html"
    title = _("Order")
    section = "orders"

    def get(self, request: HttpRequest, order_id: int) -> TemplateResponse:
        order = order_data(self.affiliate, order_id)
        placed = {"day": day(localtime(order["converted_at"]))}
        title = gettext("Order of %(day)s") % placed
        return self.page(
            order=order,
            title=title,
            statuses=CommissionStatus,
            has_taken_back=has_taken_back(order["commissions"]),
            advice=advice_for(order["decision"]["reason"]),
        )


class ReferralsPage(ListPage):
    template_name = "affiliates/area/referrals.html"
    title = _("Clients you sent")
    section = "orders"
    listing = REFERRALS
