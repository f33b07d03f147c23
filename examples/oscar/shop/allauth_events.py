"""What affiliates has to know of allauth's accounts, by a form or by a provider."""

from allauth.account import signals
from django.conf import settings
from django.dispatch import receiver
from django.utils import timezone

from affiliates.contracts import (
    ClientRegistered,
    CredentialsChange,
    CredentialsChanged,
)
from affiliates.cookies import referral_cookie
from affiliates.host_events import client_registered, credentials_changed


@receiver(signals.user_signed_up)
def report_client(*, request, user, **kwargs) -> None:
    event = ClientRegistered(
        brand_id=settings.BRAND_ID,
        client_id=str(user.pk),
        registered_at=user.date_joined,
    )
    cookie = referral_cookie(request)
    client_registered(event, referral_cookie=cookie, now=timezone.now())


@receiver([signals.password_changed, signals.password_reset, signals.password_set])
def report_password(*, user, **kwargs) -> None:
    event = CredentialsChanged(
        client_id=str(user.pk), change=CredentialsChange.PASSWORD
    )
    credentials_changed(event, now=timezone.now())


@receiver(signals.email_changed)
def report_email(*, user, from_email_address, **kwargs) -> None:
    event = CredentialsChanged(
        client_id=str(user.pk),
        change=CredentialsChange.EMAIL,
        former_email=from_email_address.email if from_email_address else "",
    )
    credentials_changed(event, now=timezone.now())
