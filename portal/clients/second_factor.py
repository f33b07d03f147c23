"""The second factor of staff and clients: an authenticator app, or ten recovery codes.

The password is asked and counted as ever (``login_limits``); this comes after it. How
often a code may be tried is django-otp's: each wrong one doubles the wait for the next.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode, urlsafe_b64encode
from collections.abc import MutableMapping
from secrets import token_bytes
from textwrap import wrap
from typing import Any

import segno
from django import forms
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from affiliates.contracts import CredentialsChange, CredentialsChanged
from affiliates.errors import InvalidInput
from affiliates.host_events import credentials_changed
from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from portal.clients.open_sessions import end_others
from portal.clients.security_log import note_changed, note_code

CODE_DIGITS = 6
RECOVERY_CODES = 10
# So many that nobody finds a code by its digest: it needs no slow hash and no key, and
# opens no matter which keys are lost. Base32 writes them as 24 characters.
RECOVERY_CODE_BYTES = 15
MAX_CODE_LENGTH = 32
# django-otp stores 16 characters.
DIGEST_BYTES = 12
# In a session's data: the authenticator whose key it was shown.
SHOWN = "shown_authenticator"
WRONG = gettext_lazy(
    "This code is not right, was used before, or its 30 seconds are over. Wait for the "
    "next code: each wrong one doubles the wait. If none is right, set the clock of your phone."
)


class CodeField(forms.CharField):
    """A code however it is typed: in groups, in capitals."""

    def __init__(self, widget: forms.Widget | None = None) -> None:
        label = gettext_lazy("Code")
        super().__init__(label=label, max_length=MAX_CODE_LENGTH, widget=widget)

    def to_python(self, value: Any) -> str:
        return plain(super().to_python(value) or "")


class CodeForm(forms.Form):
    code = CodeField()


def plain(code: str) -> str:
    return code.replace(" ", "").replace("-", "").lower()


def has_factor(user: User) -> bool:
    is_confirmed: bool = Authenticator.objects.filter(
        user=user, confirmed=True
    ).exists()
    return is_confirmed


def is_asked_for_code(user: User) -> bool:
    """Whether the password alone does not let the user in."""
    is_on = user.brand_id is not None or settings.STAFF_SECOND_FACTOR
    return is_on and has_factor(user)


@transaction.atomic
def match_code(user: User, code: str) -> Any:
    """The device whose code it is, or None. A code holds once."""
    is_of_app = len(code) == CODE_DIGITS
    model, token = (Authenticator, code) if is_of_app else (StaticDevice, _digest(code))
    devices = model.objects.select_for_update(no_key=True).filter(
        user=user, confirmed=True
    )
    device = next((device for device in devices if device.verify_token(token)), None)
    note_code(user, is_right=device is not None)
    return device


def require_code(user: User, code: str, *, field: str) -> None:
    """Accepts users who are not asked for one. Raises InvalidInput on ``field``."""
    if not is_asked_for_code(user):
        return
    if not code:
        said = "Send a code of the client's authenticator, or a recovery code."
        raise InvalidInput("code_required", said, field=field)
    if match_code(user, plain(code)) is None:
        said = (
            "This code is wrong, or was used before. Each wrong one doubles the wait."
        )
        raise InvalidInput("invalid_code", said, field=field)


def shown_device(session: MutableMapping[str, Any], user: User) -> Any:
    """An authenticator to set up, with a key that no other session was shown."""
    unconfirmed = Authenticator.objects.filter(user=user, confirmed=False)
    device = unconfirmed.filter(pk=session.get(SHOWN)).first()
    if device is None:
        unconfirmed.delete()
        device = Authenticator.objects.create(
            user=user, name="Authenticator", confirmed=False
        )
        session[SHOWN] = device.pk
    return device


def key_of(device: Any) -> dict[str, Any]:
    """The device's ``key``, and ``drawn`` as a QR code."""
    drawn = segno.make(device.config_url).svg_inline(
        scale=5, light="white", title=_("The key as a QR code")
    )
    return {
        "key": b32encode(device.bin_key).decode(),
        "drawn": mark_safe(drawn),  # noqa: S308 - drawn here, of no text with markup
    }


@transaction.atomic
def switch_on(device: Any, code: str) -> list[str] | None:
    """Confirms the shown device by a code. Returns recovery codes; None: not right.

    Ends the sessions and tokens that a client's password alone has opened.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=device.user_id)
    device = Authenticator.objects.filter(pk=device.pk, confirmed=False).first()
    if device is None or has_factor(user):
        return None
    is_right = device.verify_token(code)
    note_code(user, is_right=is_right)
    if not is_right:
        return None
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    if user.brand_id is not None:
        # A login that was under way ends by this too.
        user.logged_out_at = timezone.now()
        user.save(update_fields=["logged_out_at"])
        end_others(user, this=None)
    _report(user, CredentialsChange.SECOND_FACTOR_ON)
    return _make_codes(user)


@transaction.atomic
def renew_codes(user: User) -> list[str]:
    """Ten recovery codes, each good for one login, in place of those there were."""
    _report(user, CredentialsChange.RECOVERY_CODES)
    return _make_codes(user)


def codes_left(user: User) -> int:
    left: int = StaticToken.objects.filter(device__user=user).count()
    return left


@transaction.atomic
def remove_devices(user: User, *, is_by_staff: bool = False) -> None:
    """Switches the second factor off. Staff then set one up at the next login."""
    Authenticator.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    _report(user, CredentialsChange.SECOND_FACTOR_OFF, is_by_staff=is_by_staff)


def _make_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="Recovery codes")
    codes = [
        b32encode(token_bytes(RECOVERY_CODE_BYTES)).decode().lower()
        for _number in range(RECOVERY_CODES)
    ]
    StaticToken.objects.bulk_create(
        StaticToken(device=device, token=_digest(code)) for code in codes
    )
    return ["-".join(wrap(code, 4)) for code in codes]


def _digest(code: str) -> str:
    digest = hashlib.sha256(code.encode()).digest()
    return urlsafe_b64encode(digest[:DIGEST_BYTES]).decode()


def _report(
    user: User, change: CredentialsChange, *, is_by_staff: bool = False
) -> None:
    note_changed(user, str(change), is_by_staff=is_by_staff)
    if user.brand_id is not None:
        event = CredentialsChanged(
            client_id=str(user.pk), change=change, is_by_staff=is_by_staff
        )
        credentials_changed(event, now=timezone.now())
