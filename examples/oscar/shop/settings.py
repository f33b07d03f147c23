"""What ``django-admin startproject shop .`` writes, then what docs/django-oscar.md adds."""

from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = "only-for-this-example-and-for-nothing-else-0003"
DEBUG = True
ALLOWED_HOSTS = []
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "shop.urls"
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
DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}
}
TIME_ZONE = "UTC"
STATIC_URL = "static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

from oscar.defaults import *

ALLOWED_HOSTS = ["localhost"]
_APPS = (
    "address analytics basket catalogue communication customer dashboard offer order "
    "partner payment search shipping voucher wishlists"
)
_DASHBOARDS = (
    "catalogue communications offers orders pages partners ranges reports reviews "
    "shipping users vouchers"
)
INSTALLED_APPS += [
    *["django.contrib.flatpages", "django.contrib.sites"],
    *["oscar.config.Shop", "shop.checkout"],
    *[f"oscar.apps.{app}.apps.{app.title()}Config" for app in _APPS.split()],
    "oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig",
    *[
        f"oscar.apps.dashboard.{app}.apps.{app.title()}DashboardConfig"
        for app in _DASHBOARDS.split()
    ],
    *["django_tables2", "haystack", "sorl.thumbnail", "treebeard", "widget_tweaks"],
]
MIDDLEWARE += ["oscar.apps.basket.middleware.BasketMiddleware"]
TEMPLATES[0]["OPTIONS"]["context_processors"] += [
    "oscar.apps.search.context_processors.search_form",
    "oscar.apps.checkout.context_processors.checkout",
    "oscar.apps.communication.notifications.context_processors.notifications",
    "oscar.core.context_processors.metadata",
]
AUTHENTICATION_BACKENDS = [
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
]
HAYSTACK_CONNECTIONS = {
    "default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}
}
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
LOGIN_REDIRECT_URL = "/"
MEDIA_ROOT = BASE_DIR / "media"
OSCAR_ALLOW_ANON_CHECKOUT = True
OSCAR_DEFAULT_CURRENCY = "EUR"
SITE_ID = 1

import os

INSTALLED_APPS += ["rest_framework", "affiliates", "shop"]
MIDDLEWARE.insert(1, "affiliates.extending.middleware.ReferralCookieMiddleware")
DATABASES["default"]["ATOMIC_REQUESTS"] = True
AFFILIATES_ADAPTER = "shop.affiliate_adapter.Adapter"
AFFILIATES_COOKIE_KEYS = os.environ["AFFILIATES_COOKIE_KEYS"]
BRAND_ID = 1  # affiliates_start prints it.

INSTALLED_APPS += ["allauth", "allauth.account", "allauth.socialaccount"]
# It asks you what a provider would answer. A real one is allauth's, such as "google".
INSTALLED_APPS += ["allauth.socialaccount.providers.dummy"]
MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]
AUTHENTICATION_BACKENDS += ["allauth.account.auth_backends.AuthenticationBackend"]
