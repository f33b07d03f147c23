"""Whom the affiliate sent, what they ordered, and why it is credited or not."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.area.api.orders import ORDERS, REFERRALS, order_data
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.earnings.lists import DaysForm, ListPage
from affiliates.referrals.rules.advice import advice_for

OUTCOMES = [
    ("", _("All orders")),
    ("credited", _("Credited to you")),
    ("lost", _("Not credited to you")),
]


class OrdersForm(DaysForm):
    outcome = forms.ChoiceField(label=_("Show"), choices=OUTCOMES, required=False)


class OrdersPage(ListPage):
    template_name = "affiliates/area/orders.html"
    title = _("Orders")
    section = "orders"
    listing = ORDERS
    filters = OrdersForm


class OrderPage(AreaPage):
    template_name = "affiliates/area/order.html"
    title = _("Order")
    section = "orders"

    def get(self, request: HttpRequest, order_id: int) -> TemplateResponse:
        order = order_data(self.affiliate, order_id)
        title = gettext("Order %(order)s") % {"order": order["order"]}
        return self.page(
            order=order,
            title=title,
            statuses=CommissionStatus,
            advice=advice_for(order["decision"]["reason"]),
        )


class ReferralsPage(ListPage):
    template_name = "affiliates/area/referrals.html"
    title = _("Clients you sent")
    section = "orders"
    listing = REFERRALS
