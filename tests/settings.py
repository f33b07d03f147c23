"""The portal's settings with what tests need: fixed secrets, a fast hasher, no cache age."""

from __future__ import annotations

import os
import tempfile

os.environ["SECRET_KEY"] = "secret-key-of-the-tests-only-0123456789-abcdefghijk"
os.environ["AFFILIATES_COOKIE_KEYS"] = "1:" + "A" * 43 + "="
os.environ["HTTPS"] = "off"
os.environ["DEBUG"] = "off"
os.environ["DEMO_GATEWAY"] = "on"
os.environ["PAYMENT_WEBHOOK_SECRET_DEMO"] = "whsec_" + "A" * 43 + "="
# A hundred threads on a busy machine wait longer than people should.
os.environ["DATABASE_LOCK_TIMEOUT"] = "120"
os.environ.setdefault(
    "DATABASE_URL", f"sqlite:///{tempfile.gettempdir()}/affiliates-tests.sqlite3"
)

from portal.settings import *  # noqa: E402, F403

ALLOWED_HOSTS = [".example.com", ".localhost", "127.0.0.1", "[::1]"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AFFILIATES_CONFIG_REFRESH_SECONDS = 0
AFFILIATES_CLICK_WRITER = "direct"
# Found when asked for: a test's client is a new application, which would list them all.
WHITENOISE_AUTOREFRESH = True
