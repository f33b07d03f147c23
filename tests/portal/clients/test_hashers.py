from __future__ import annotations

from django.contrib.auth.hashers import check_password, make_password

HASHERS = [
    "portal.clients.hashers.ModerateArgon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]


def test_passwords_are_hashed_with_moderate_argon2(settings):
    settings.PASSWORD_HASHERS = HASHERS

    encoded = make_password("correct-horse")

    assert encoded.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
    assert check_password("correct-horse", encoded)


def test_a_password_of_older_hashing_is_upgraded(settings):
    settings.PASSWORD_HASHERS = HASHERS
    old = make_password("correct-horse", hasher="pbkdf2_sha256")
    upgraded: list[str] = []

    assert check_password("correct-horse", old, setter=upgraded.append)
    assert upgraded == ["correct-horse"]
