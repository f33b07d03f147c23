"""Authenticator apps of staff and clients: django-otp's devices, with their keys encrypted."""

from __future__ import annotations

from binascii import unhexlify
from typing import Any, ClassVar

from django_otp.models import DeviceManager
from django_otp.plugins.otp_totp.models import TOTPDevice

from affiliates.extending import (
    Purpose,
    RecordManager,
    SecretUnreadable,
    register_column,
)

KEY = Purpose(b"portal.authenticator_key.v1")

register_column("portal.Authenticator", "key", purpose=KEY)


class AuthenticatorManager(DeviceManager, RecordManager[Any]):  # type: ignore[misc] # untyped
    """A replica may not know yet that the second factor was switched on."""


class Authenticator(TOTPDevice):  # type: ignore[misc]  # untyped base
    key: str

    objects: ClassVar[Any] = AuthenticatorManager()

    class Meta:
        proxy = True
        # Its key is nobody's to see or change.
        default_permissions = ()

    def save(self, *args: Any, **options: Any) -> None:
        """Encrypts the key of a new one, which django-otp has made.

        Its codes are valid for their own 30 seconds alone.
        """
        if self._state.adding:
            self.key = KEY.encrypt(unhexlify(self.key))
            self.tolerance = 0
        super().save(*args, **options)

    @property
    def bin_key(self) -> bytes:
        """Overrides django-otp's. Raises SecretUnreadable."""
        return KEY.decrypt(self.key)

    def verify_token(self, token: str) -> bool:
        """No code is right while the key is missing: recovery codes need none."""
        try:
            is_right: bool = super().verify_token(token)
        except SecretUnreadable:
            return False
        return is_right
