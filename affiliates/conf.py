"""Every ``AFFILIATES_*`` setting: its type, its default, read at the moment of use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.dispatch import receiver

from affiliates.core.sealing import KeyRing

DEFAULT_THROTTLE_RATES: Mapping[str, str] = {
    "visit": "600/minute",
    "register": "30/minute",
    "guest": "60/minute",
    "complete": "30/minute",
    "convert": "120/minute",
    "affiliate": "120/minute",
    "claim": "20/day",
    "application": "20/hour",
    "application_email": "3/day",
}


class Settings:
    """One property per setting; ``checks.py`` says what is wrong with a value."""

    @property
    def adapter(self) -> str:
        """Dotted path of the host's HostAdapter. Required."""
        return str(_setting("ADAPTER", ""))

    @property
    def cookie_keys(self) -> KeyRing:
        """``"2:<base64 of 32 bytes>,1:<base64>"``: the first seals, all open. Required."""
        return _key_ring(str(_setting("COOKIE_KEYS", "")))

    @property
    def secret_keys(self) -> KeyRing:
        """Keys for all that is kept encrypted, written as COOKIE_KEYS are; default: those."""
        return _key_ring(
            str(_setting("SECRET_KEYS", "") or _setting("COOKIE_KEYS", ""))
        )

    @property
    def tracking_allowed_hosts(self) -> frozenset[str]:
        """``host:port`` that calls may reach over http and in private networks.

        For tests and demonstrations; empty by default.
        """
        entries = _setting("TRACKING_ALLOWED_HOSTS", ()) or ()
        return frozenset(str(entry).lower() for entry in entries)

    @property
    def delivery_lease_seconds(self) -> float:
        """After so long a sender is presumed dead; longer than any conversation takes.

        A conversation is a few calls of at most ten seconds each.
        """
        return float(_setting("DELIVERY_LEASE_SECONDS", 60.0))

    @property
    def keep_deliveries_days(self) -> int:
        """After so many days the worker deletes finished clicks and events. 0: never."""
        return int(_setting("KEEP_DELIVERIES_DAYS", 90))

    @property
    def own_webhook_calls_per_hour(self) -> int:
        """So many calls an hour at most are made to an affiliate's own webhook."""
        return int(_setting("OWN_WEBHOOK_CALLS_PER_HOUR", 600))

    @property
    def keep_emails_days(self) -> int:
        """After so many days the worker forgets recipient and text of an e-mail."""
        return int(_setting("KEEP_EMAILS_DAYS", 30))

    @property
    def site_url(self) -> str:
        """Where e-mails lead to, as https://portal.example.com; "": the client area."""
        return str(_setting("SITE_URL", ""))

    @property
    def worker_jobs(self) -> Mapping[str, tuple[str, float]]:
        """The host's own periodic jobs: name to a function's dotted path and seconds."""
        jobs: Mapping[str, tuple[str, float]] = _setting("WORKER_JOBS", {})
        return jobs

    @property
    def role_permissions(self) -> Mapping[str, Sequence[str]]:
        """What staff's roles may do in apps of the host: role to ``"app.codename"``."""
        value: Mapping[str, Sequence[str]] = _setting("ROLE_PERMISSIONS", {})
        return value

    @property
    def serializers(self) -> Mapping[str, str]:
        """Endpoint name to dotted path of a host's own request serializer."""
        value: Mapping[str, str] = _setting("SERIALIZERS", {})
        return value

    @property
    def cookie_name(self) -> str:
        """Name of the referral cookie in the client area, as ``data-cookie`` says it."""
        return str(_setting("COOKIE_NAME", "referral_cookie"))

    @property
    def cookie_domain(self) -> str | None:
        """Domain of a referral cookie that the host's server sets; None: its host's."""
        value: str | None = _setting("COOKIE_DOMAIN", None)
        return value

    @property
    def data_shape(self) -> str:
        """Dotted path of ``shape(data)``, the body of an answer; "": ``{"data": data}``."""
        return str(_setting("DATA_SHAPE", ""))

    @property
    def error_shape(self) -> str:
        """Dotted path of ``shape(errors, *, status)``, the body of a refusal; "": ours."""
        return str(_setting("ERROR_SHAPE", ""))

    @property
    def authentication_classes(self) -> Sequence[str] | None:
        """Dotted paths of the classes that say who calls; None: REST_FRAMEWORK's own."""
        value: Sequence[str] | None = _setting("AUTHENTICATION_CLASSES", None)
        return value

    @property
    def cors_paths(self) -> tuple[str, ...]:
        """How paths of the host's own begin on which the brand table decides too."""
        return tuple(_setting("CORS_PATHS", ()))

    @property
    def cors_headers(self) -> tuple[str, ...]:
        """Request headers that client areas may send besides those of the API."""
        return tuple(_setting("CORS_HEADERS", ()))

    @property
    def throttle_rates(self) -> Mapping[str, str]:
        """Endpoint name to ``"<count>/<second|minute|hour|day>"``; "" switches one off."""
        return {**DEFAULT_THROTTLE_RATES, **_setting("THROTTLE_RATES", {})}

    @property
    def trusted_proxies(self) -> int:
        """How many proxies of ours append to X-Forwarded-For. 0: the peer is the client."""
        return int(_setting("TRUSTED_PROXIES", 0))

    @property
    def config_refresh_seconds(self) -> float:
        """Age at which a process looks whether brands, domains or links have changed."""
        return float(_setting("CONFIG_REFRESH_SECONDS", 2.0))

    @property
    def click_writer(self) -> str:
        """``auto``, ``direct`` or ``leader``: how visits write their click."""
        return str(_setting("CLICK_WRITER", "auto"))

    @property
    def geoip_file(self) -> str:
        """Path of a MaxMind database (.mmdb) of countries; "": clicks have no country."""
        return str(_setting("GEOIP_FILE", ""))

    @property
    def max_body_bytes(self) -> int:
        """Largest request body the API reads."""
        return int(_setting("MAX_BODY_BYTES", 65_536))


def _setting(name: str, default: Any) -> Any:
    # Django looks through every layer for a setting that is absent, at each visit anew.
    if name not in _values:
        _values[name] = getattr(settings, f"AFFILIATES_{name}", default)
    return _values[name]


_values: dict[str, Any] = {}


@receiver(setting_changed)
def _forget(**_: Any) -> None:
    _values.clear()


@lru_cache
def _key_ring(text: str) -> KeyRing:
    return KeyRing.parse(text)


conf = Settings()
