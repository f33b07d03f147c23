"""Baseline (b): Django and DRF as ``startproject`` and their tutorials leave them.

The middleware and DRF's settings are the defaults. Kinder than the defaults: the
database connection is kept between requests, as in the portal.
"""

from __future__ import annotations

from portal.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.baselines.model_serializer.urls"
REST_FRAMEWORK = {}
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
