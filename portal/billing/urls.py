from __future__ import annotations

from django.urls import path

from portal.billing import api

urlpatterns = [
    path("api/invoices", api.InvoicesView.as_view(), name="invoices"),
    path("api/invoices/<str:invoice_id>", api.InvoiceView.as_view(), name="invoice"),
    path(
        "api/invoices/<str:invoice_id>/pay_with_credit",
        api.PayWithCreditView.as_view(),
        name="pay-with-credit",
    ),
    path("api/account_credit", api.AccountCreditView.as_view(), name="account-credit"),
    path(
        "api/payments/webhook/<str:gateway>",
        api.WebhookView.as_view(),
        name="payment-webhook",
    ),
]
