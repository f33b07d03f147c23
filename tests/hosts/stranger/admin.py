from __future__ import annotations

from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin

from tests.hosts.stranger.sites import backoffice

backoffice.register(get_user_model(), UserAdmin)
