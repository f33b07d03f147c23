from __future__ import annotations

from django.apps import AppConfig


class WhatIfConfig(AppConfig):
    name = "affiliates.contrib.what_if"
    label = "affiliates_what_if"
    verbose_name = "Affiliates: what if"
