"""The same host with us, by what adapter.md asks for and nothing else."""

from __future__ import annotations

from affiliates import APPS
from tests.hosts.own_rest.before import *  # noqa: F403
from tests.hosts.own_rest.before import INSTALLED_APPS, MIDDLEWARE

ROOT_URLCONF = "tests.hosts.own_rest.urls"
INSTALLED_APPS = [*INSTALLED_APPS, "affiliates", *APPS, "tests.hosts.bare"]
# It has a CORS middleware of its own.
MIDDLEWARE = ["affiliates.extending.middleware.BrandCorsMiddleware", *MIDDLEWARE]
