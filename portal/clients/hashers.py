from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher


class ModerateArgon2PasswordHasher(Argon2PasswordHasher):
    """Argon2id at the OWASP minimum.

    Django's own parameters take 100 MiB for every login, which lets a handful of
    requests exhaust a small server.
    """

    time_cost = 2
    memory_cost = 19_456
    parallelism = 1
