"""A host of one brand that knows of affiliates what the pages of docs/ say.

It is served by ASGI, has no CSRF middleware, keeps no account credit, and an AdminSite of
its own beside which Django's is nowhere in its URLs.
"""

from __future__ import annotations

from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS, MIDDLEWARE

ROOT_URLCONF = "tests.hosts.stranger.urls"
ASGI_APPLICATION = "tests.hosts.stranger.asgi.application"
ALLOWED_HOSTS = ["shop.example.com"]
# No theme: unfold asks for an AdminSite of its own kind.
INSTALLED_APPS = [
    *(one for one in INSTALLED_APPS if one != "unfold"),
    "django.contrib.staticfiles",
    "tests.hosts.stranger",
]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware", *MIDDLEWARE]
LOGIN_URL = "/sign-in"
AFFILIATES_ADAPTER = "tests.hosts.stranger.adapter.Adapter"
AFFILIATES_ADMIN_SITE = "tests.hosts.stranger.sites.backoffice"
BRAND_ID = 1
