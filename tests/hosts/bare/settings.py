"""The smallest host: affiliates with Django's own user model and no portal."""

from __future__ import annotations

import environ

from affiliates import APPS

# Apps that no other needs: everything works without them.
LEFT_OUT = {
    "affiliates.contrib.invoices",
    "affiliates.contrib.offers",
    "affiliates.contrib.tax_identity",
}
env = environ.Env()

SECRET_KEY = "bare-host-secret-key-of-the-tests-only-0123456789"
ALLOWED_HOSTS = ["*"]
USE_TZ = True
ROOT_URLCONF = "tests.hosts.bare.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": env.db("DATABASE_URL", default="sqlite://:memory:")}
DATABASES["default"]["OPTIONS"] = (
    {"connect_timeout": 5}
    if "postgresql" in DATABASES["default"]["ENGINE"]
    else {"transaction_mode": "IMMEDIATE"}
)
INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "rest_framework",
    "affiliates",
    *(app for app in APPS if app not in LEFT_OUT),
    "tests.hosts.bare",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.BasicAuthentication"
    ],
}
STATIC_URL = "/static/"

AFFILIATES_ADAPTER = "tests.hosts.bare.adapter.BareAdapter"
AFFILIATES_COOKIE_KEYS = "1:" + "A" * 43 + "="
AFFILIATES_CONFIG_REFRESH_SECONDS = 0
AFFILIATES_CLICK_WRITER = "direct"
