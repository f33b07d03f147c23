"""A service sold by subscription through Stripe Checkout: no basket, no guest, no theme.

Point a webhook of Stripe at /api/stripe/1, with the events of docs/stripe.md.
"""

import os
from pathlib import Path

from affiliates import APPS

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = os.environ.get(
    "SECRET_KEY", "only-for-this-example-and-for-nothing-else-0002"
)
DEBUG = True
ALLOWED_HOSTS = ["localhost"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "saas.urls"
LOGIN_URL = "/sign-up"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "saas",
]
INSTALLED_APPS += ["rest_framework", "affiliates", *APPS]
MIDDLEWARE = [
    "affiliates.extending.middleware.ReferralCookieMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
TEMPLATES = [
    {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
]
DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}
}
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
if name := os.environ.get("PGDATABASE"):
    DATABASES["default"] = {"ENGINE": "django.db.backends.postgresql", "NAME": name}
    DATABASES["default"]["OPTIONS"] = {"connect_timeout": 5}
STRIPE_API_KEY = os.environ.get("STRIPE_API_KEY", "")
STRIPE_PRICE = os.environ.get("STRIPE_PRICE", "price_monthly")
AFFILIATES_ADAPTER = "saas.affiliate_adapter.Adapter"
AFFILIATES_COOKIE_KEYS = os.environ["AFFILIATES_COOKIE_KEYS"]
BRAND_ID = 1  # Of the service: affiliates_start prints it.
AFFILIATES_STRIPE_SECRETS = {BRAND_ID: [os.environ["STRIPE_WEBHOOK_SECRET"]]}
AFFILIATES_STRIPE_LIVEMODE = not DEBUG
