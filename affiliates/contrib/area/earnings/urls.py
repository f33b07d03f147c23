"""Those of affiliates/contrib/area/urls.py that are about what was earned."""

from __future__ import annotations

from django.urls import path

from affiliates.contrib.area.earnings.books import BalancesPage, PostingsPage
from affiliates.contrib.area.earnings.commissions import CommissionPage, CommissionsPage
from affiliates.contrib.area.earnings.orders import OrderPage, OrdersPage, ReferralsPage
from affiliates.contrib.area.earnings.statistics import StatisticsPage

EARNINGS = [
    path("orders", OrdersPage.as_view(), name="orders"),
    path("orders/<int:order_id>", OrderPage.as_view(), name="order"),
    path("referrals", ReferralsPage.as_view(), name="referrals"),
    path("commissions", CommissionsPage.as_view(), name="commissions"),
    path(
        "commissions/<int:commission_id>", CommissionPage.as_view(), name="commission"
    ),
    path("statistics", StatisticsPage.as_view(), name="statistics"),
    path("balances", BalancesPage.as_view(), name="balances"),
    path("postings", PostingsPage.as_view(), name="postings"),
]
