from __future__ import annotations

from django.urls import path

from portal.billing import api, demo_bank

urlpatterns = [
    path("api/invoices/<str:invoice_id>", api.InvoiceView.as_view(), name="invoice"),
    path(
        "api/payments/webhook/<str:gateway>",
        api.WebhookView.as_view(),
        name="payment-webhook",
    ),
    path(
        "demo-bank/<uuid:invoice_id>",
        demo_bank.DemoBankView.as_view(),
        name="demo-bank",
    ),
]
