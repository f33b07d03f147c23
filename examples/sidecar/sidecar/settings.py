"""A host for affiliates whose clients and invoices live in another system."""

import os
from pathlib import Path

SECRET_KEY = os.environ.get(
    "SECRET_KEY", "only-for-this-example-and-for-nothing-else-0003"
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
    "rest_framework",
    "affiliates",
    "affiliates.contrib.events_api",
    "sidecar",
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
AUTH_USER_MODEL = "sidecar.Client"
ROOT_URLCONF = "sidecar.urls"
STATIC_URL = "/static/"
# SQLite, or the PostgreSQL database that libpq's PGDATABASE names.
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": Path(__file__).resolve().parent.parent / "db.sqlite3",
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
    }
}
if name := os.environ.get("PGDATABASE"):
    DATABASES["default"] = {"ENGINE": "django.db.backends.postgresql", "NAME": name}
    DATABASES["default"]["OPTIONS"] = {"connect_timeout": 5}
AFFILIATES_ADAPTER = "sidecar.affiliate_adapter.Adapter"
AFFILIATES_COOKIE_KEYS = os.environ["AFFILIATES_COOKIE_KEYS"]
