"""A hosting company's shop: Django's own users, HTML pages, SQLite or PostgreSQL."""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = os.environ.get(
    "SECRET_KEY", "only-for-this-example-and-for-nothing-else-0001"
)
DEBUG = True
ALLOWED_HOSTS = ["localhost"]
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "hosting",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
_PROCESSORS = (
    "template.context_processors.request",
    "contrib.auth.context_processors.auth",
    "contrib.messages.context_processors.messages",
)
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": [f"django.{name}" for name in _PROCESSORS]},
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "hosting.urls"
STATIC_URL = "/static/"
LOGIN_URL = "/sign-up"
# SQLite, or the PostgreSQL database that libpq's PGDATABASE names.
DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}
}
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
if name := os.environ.get("PGDATABASE"):
    DATABASES["default"] = {"ENGINE": "django.db.backends.postgresql", "NAME": name}
    DATABASES["default"]["OPTIONS"] = {"connect_timeout": 5}

INSTALLED_APPS += ["rest_framework", "affiliates"]
# Offers, an app beside the core, and what it needs.
_APPS = ("statistics", "recruitment", "claims", "area", "offers")
INSTALLED_APPS += [f"affiliates.contrib.{name}" for name in _APPS]
MIDDLEWARE.insert(0, "affiliates.extending.middleware.ReferralCookieMiddleware")
AFFILIATES_ADAPTER = "hosting.affiliate_adapter.Adapter"
AFFILIATES_COOKIE_KEYS = os.environ["AFFILIATES_COOKIE_KEYS"]
BRAND_ID = 1  # Of your shop: affiliates_start prints it.
