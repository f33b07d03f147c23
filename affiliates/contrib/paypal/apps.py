from __future__ import annotations

from django.apps import AppConfig


class PayPalConfig(AppConfig):
    name = "affiliates.contrib.paypal"
    label = "affiliates_paypal"
    verbose_name = "Affiliates: PayPal Payouts"
