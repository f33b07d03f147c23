"""Every ``AFFILIATES_*`` setting: its type, its default, read when first used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.dispatch import receiver

from affiliates.core.secrets.sealing import KeyRing

DEFAULT_THROTTLE_RATES: Mapping[str, str] = {
    "visit": "600/minute",
    "offer": "600/minute",
    "register": "30/minute",
    "guest": "60/minute",
    "complete": "30/minute",
    "convert": "120/minute",
    "affiliate": "120/minute",
    "operator": "600/minute",
    "claim": "20/day",
    "application": "20/hour",
    "application_email": "3/day",
}


# Of the packages fonts-dejavu-core and fonts-droid-fallback. The last two add Chinese,
# Japanese and Korean, and rare Chinese characters.
DEBIAN_FONTS = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
)


class Settings:
    """One property per setting; ``checks.py`` reports invalid values.

    Kept once read: Django searches every layer for an absent setting, at each visit.
    """

    @cached_property
    def adapter(self) -> str:
        """Dotted path of the host's HostAdapter. Required."""
        return str(_setting("ADAPTER", ""))

    @cached_property
    def cookie_keys(self) -> KeyRing:
        """``"2:<base64 of 32 bytes>,1:<base64>"``; the first encrypts. Required."""
        return KeyRing.parse(str(_setting("COOKIE_KEYS", "")))

    @cached_property
    def secret_keys(self) -> KeyRing:
        """Keys for other encrypted data, in the form of their default COOKIE_KEYS."""
        return KeyRing.parse(
            str(_setting("SECRET_KEYS", "") or _setting("COOKIE_KEYS", ""))
        )

    @cached_property
    def tracking_allowed_hosts(self) -> frozenset[str]:
        """``host:port`` that calls may reach over http and in private networks.

        For tests and demonstrations; empty by default.
        """
        entries = _setting("TRACKING_ALLOWED_HOSTS", ()) or ()
        return frozenset(str(entry).lower() for entry in entries)

    @cached_property
    def delivery_lease_seconds(self) -> float:
        """Seconds until a sender is presumed dead; longer than any conversation takes.

        A conversation is a few calls of at most ten seconds each.
        """
        return float(_setting("DELIVERY_LEASE_SECONDS", 60.0))

    @cached_property
    def keep_deliveries_days(self) -> int:
        """Days after which the worker deletes finished clicks and events. 0: never."""
        return int(_setting("KEEP_DELIVERIES_DAYS", 30))

    @cached_property
    def own_webhook_calls_per_hour(self) -> int:
        """The maximum number of calls per hour to an affiliate's own webhook."""
        return int(_setting("OWN_WEBHOOK_CALLS_PER_HOUR", 600))

    @cached_property
    def keep_emails_days(self) -> int:
        """Days after which the worker clears recipient and text of an e-mail."""
        return int(_setting("KEEP_EMAILS_DAYS", 90))

    @cached_property
    def keep_user_agents_days(self) -> int:
        """Days after which the worker clears the user agents of visitors."""
        return int(_setting("KEEP_USER_AGENTS_DAYS", 90))

    @cached_property
    def keep_declined_days(self) -> int:
        """Days after which the worker deletes an application that was declined."""
        return int(_setting("KEEP_DECLINED_DAYS", 183))

    @cached_property
    def keep_books_years(self) -> int:
        """Years that the operator's law requires. Named in the record; deletes nothing."""
        return int(_setting("KEEP_BOOKS_YEARS", 10))

    @cached_property
    def site_url(self) -> str:
        """Target of e-mails' links: https://portal.example.com; "": client area."""
        return str(_setting("SITE_URL", ""))

    @cached_property
    def job_intervals(self) -> Mapping[str, float]:
        """Seconds between two runs of a job, by its name, instead of the default."""
        value: Mapping[str, float] = _setting("JOB_INTERVALS", {})
        return value

    @cached_property
    def role_permissions(self) -> Mapping[str, Sequence[str]]:
        """Permissions of roles in the host's apps: role to ``"app.codename"``."""
        value: Mapping[str, Sequence[str]] = _setting("ROLE_PERMISSIONS", {})
        return value

    @cached_property
    def serializers(self) -> Mapping[str, str]:
        """Endpoint name to dotted path of a host's own request serializer."""
        value: Mapping[str, str] = _setting("SERIALIZERS", {})
        return value

    @cached_property
    def cookie_name(self) -> str:
        """Name of the client area's referral cookie, the same as in ``data-cookie``."""
        return str(_setting("COOKIE_NAME", "referral_cookie"))

    @cached_property
    def cookie_domain(self) -> str | None:
        """Domain of a referral cookie that the host's server sets; None: its host's."""
        value: str | None = _setting("COOKIE_DOMAIN", None)
        return value

    @cached_property
    def admin_site(self) -> str:
        """Dotted path of the AdminSite that shows our pages; "": the default one."""
        return str(_setting("ADMIN_SITE", ""))

    @cached_property
    def authentication_classes(self) -> Sequence[str] | None:
        """Dotted paths of the authentication classes; None: REST_FRAMEWORK's own."""
        value: Sequence[str] | None = _setting("AUTHENTICATION_CLASSES", None)
        return value

    @cached_property
    def link_hosts(self) -> frozenset[str]:
        """Hosts of short links, each among a brand's domains too."""
        return frozenset(_setting("LINK_HOSTS", ()))

    @cached_property
    def cors_paths(self) -> tuple[str, ...]:
        """Prefixes of the host's paths for which the brand table also decides CORS."""
        return tuple(_setting("CORS_PATHS", ()))

    @cached_property
    def csp_paths(self) -> tuple[str, ...]:
        """Prefixes of the host's paths that get our strict Content-Security-Policy."""
        return tuple(_setting("CSP_PATHS", ()))

    @cached_property
    def csp_report_uri(self) -> str:
        """Address of reports on violations of a Content-Security-Policy; "": none."""
        return str(_setting("CSP_REPORT_URI", ""))

    @cached_property
    def throttle_rates(self) -> Mapping[str, str]:
        """Endpoint name to ``"<count>/<second|minute|hour|day>"``; "" turns it off."""
        return {**DEFAULT_THROTTLE_RATES, **_setting("THROTTLE_RATES", {})}

    @cached_property
    def trusted_proxies(self) -> int:
        """Number of proxies that append to X-Forwarded-For. 0: peer is the client."""
        return int(_setting("TRUSTED_PROXIES", 0))

    @cached_property
    def config_refresh_seconds(self) -> float:
        """Age at which a process checks brands, domains and links for changes."""
        return float(_setting("CONFIG_REFRESH_SECONDS", 2.0))

    @cached_property
    def max_clock_skew_seconds(self) -> float:
        """Difference to the database's clock above which nothing starts. 0: any."""
        return float(_setting("MAX_CLOCK_SKEW_SECONDS", 60.0))

    @cached_property
    def reports_database(self) -> str:
        """Alias in DATABASES that reports read from, such as a standby. "": default."""
        return str(_setting("REPORTS_DATABASE", ""))

    @cached_property
    def click_writer(self) -> str:
        """``auto``, ``direct`` or ``leader``: how visits write their click."""
        return str(_setting("CLICK_WRITER", "auto"))

    @cached_property
    def visit_deadline_seconds(self) -> float:
        """Seconds a visit waits for the database; then it is answered without it."""
        return float(_setting("VISIT_DEADLINE_SECONDS", 1.0))

    @cached_property
    def metrics_token(self) -> str:
        """Bearer token of those who may read ``/metrics``; "": nobody."""
        return str(_setting("METRICS_TOKEN", ""))

    @cached_property
    def geoip_file(self) -> str:
        """Path of a MaxMind country database (.mmdb); "": clicks have no country."""
        return str(_setting("GEOIP_FILE", ""))

    @cached_property
    def statement_fonts(self) -> Sequence[str]:
        """TrueType files of PDF statements: the first that has a character shows it."""
        value: Sequence[str] = _setting("STATEMENT_FONTS", DEBIAN_FONTS)
        return value

    @cached_property
    def max_invoice_bytes(self) -> int:
        """Largest PDF that an affiliate may send as an invoice."""
        return int(_setting("MAX_INVOICE_BYTES", 5_000_000))

    @cached_property
    def scan_upload(self) -> str:
        """Dotted path of a function of bytes: "", or why the upload is refused."""
        return str(_setting("SCAN_UPLOAD", ""))

    @cached_property
    def stripe_secrets(self) -> Mapping[int, Sequence[str]]:
        """Brand id to the signing secrets of its webhook at Stripe; two while it changes."""
        value: Mapping[int, Sequence[str]] = _setting("STRIPE_SECRETS", {})
        # A text would be a list of secrets of one letter, which anybody can sign with.
        return {
            brand: tuple(
                filter(None, [secrets] if isinstance(secrets, str) else secrets)
            )
            for brand, secrets in value.items()
        }

    @cached_property
    def stripe_client(self) -> str:
        """Dotted path of the function from a StripeCustomer to a client's id."""
        return str(_setting("STRIPE_CLIENT", ""))

    @cached_property
    def stripe_livemode(self) -> bool:
        """Whether events of Stripe's live mode count; False: those of its test mode."""
        return bool(_setting("STRIPE_LIVEMODE", True))

    @cached_property
    def max_body_bytes(self) -> int:
        """Largest request body the API reads."""
        return int(_setting("MAX_BODY_BYTES", 65_536))


def _setting(name: str, default: Any) -> Any:
    return getattr(settings, f"AFFILIATES_{name}", default)


conf = Settings()


@receiver(setting_changed)
def _forget(**_: Any) -> None:
    vars(conf).clear()
