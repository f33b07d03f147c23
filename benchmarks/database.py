"""A database of the benchmark's own: made, filled, looked at and dropped."""

from __future__ import annotations

import base64
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from affiliates.encrypted.addresses import open_address

DEFAULT_URL = "postgres:///postgres"
LINKS = 1_000
AFFILIATES = 100
ALLOWED_HOST = "docs.example.net"
CLICKS = sql.Identifier("affiliates_click")
DELIVERIES = sql.Identifier("affiliates_delivery")


class DatabaseUnusable(Exception):
    """The benchmark cannot work with this database; the message says what to do."""


@contextmanager
def own_database() -> Iterator[str]:
    """The URL of a new empty database on the server that DATABASE_URL names."""
    server_url = _libpq_url(os.environ.get("DATABASE_URL", DEFAULT_URL))
    name = f"affiliates_bench_{os.getpid()}"
    try:
        server = psycopg.connect(server_url, autocommit=True, connect_timeout=5)
    except psycopg.Error as error:
        raise DatabaseUnusable(
            f"PostgreSQL cannot be reached ({str(error).strip()}).\n"
            "Start it on this machine and set DATABASE_URL to a database whose user may "
            "create databases, for example\n"
            "  DATABASE_URL=postgres://user:password@127.0.0.1:5432/postgres make bench"
        ) from None
    with server:
        try:
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except psycopg.errors.InsufficientPrivilege:
            raise DatabaseUnusable(
                "The user in DATABASE_URL may not create databases: "
                "ALTER ROLE ... CREATEDB."
            ) from None
        try:
            yield _with_name(server_url, name)
        finally:
            server.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )


def configure_environment(database_url: str) -> None:
    """The portal's own settings, as this process and the servers will read them."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="portal.settings",
        DATABASE_URL=database_url,
        SECRET_KEY=secrets.token_urlsafe(48),
        AFFILIATES_COOKIE_KEYS=f"1:{base64.b64encode(secrets.token_bytes(32)).decode()}",
        AFFILIATES_TRUSTED_PROXIES="1",
        AFFILIATES_CLICK_WRITER="auto",
        AFFILIATES_THROTTLE_RATES="",
        ALLOWED_HOSTS="127.0.0.1",
        REDIS_URL="",
        HTTPS="off",
        DEBUG="off",
    )


def migrate_and_fill() -> list[str]:
    """Make the tables, one brand, its integration and links; return the links' hashes."""
    import django

    django.setup()

    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    from affiliates.brands.models.brand import Brand
    from affiliates.outbox.models.integration import TrackingIntegration
    from affiliates.program.models import Affiliate, AffiliateLink

    call_command("migrate", verbosity=0)
    brand = Brand.objects.create(
        name="Benchmark", default_redirect_url="https://shop.example.com/"
    )
    brand.domains.create(host="shop.example.com")
    brand.domains.create(host=ALLOWED_HOST, is_client_area=False)
    TrackingIntegration.objects.create(
        brand=brand,
        provider="pap",
        is_active=False,
        address="https://tracker.example.com",
        parameters="a_aid",
    )
    users = get_user_model().objects.bulk_create(
        get_user_model()(brand=brand, email=f"affiliate{number}@example.com")
        for number in range(AFFILIATES)
    )
    affiliates = Affiliate.objects.bulk_create(
        Affiliate(brand=brand, user=user, status="active") for user in users
    )
    links = AffiliateLink.objects.bulk_create(
        AffiliateLink(
            affiliate=affiliates[number % AFFILIATES],
            name=f"Link {number}",
            target_url=f"https://shop.example.com/plans/{number}",
        )
        for number in range(LINKS)
    )
    return [link.hash for link in links]


class Observer:
    """Watches the benchmark's database from a connection of its own."""

    def __init__(self, database_url: str) -> None:
        self._connection = psycopg.connect(database_url, autocommit=True)

    def close(self) -> None:
        self._connection.close()

    def describe(self) -> str:
        row = self._connection.execute(
            "SELECT current_setting('server_version'), current_setting('fsync'),"
            " current_setting('synchronous_commit')"
        ).fetchone()
        return "PostgreSQL {}, fsync {}, synchronous_commit {}".format(*(row or ()))

    def switch_integration(self, *, is_on: bool) -> None:
        """For the servers started from now on."""
        self._connection.execute(
            "UPDATE affiliates_trackingintegration SET is_active = %s", [is_on]
        )

    def clear_clicks(self) -> None:
        self._connection.execute(
            sql.SQL("TRUNCATE {}, {} CASCADE").format(CLICKS, DELIVERIES)
        )

    def count_clicks(self) -> int:
        return self._count(CLICKS)

    def count_deliveries(self) -> int:
        return self._count(DELIVERIES)

    def stored_clicks(self) -> list[tuple[object, ...]]:
        """What was stored of each click, but for what is different every time."""
        rows = self._connection.execute(
            "SELECT brand_id, affiliate_id, link_id, source, affiliate_status,"
            " integration_id, external_affiliate, own_program, is_repeat, bot_signs, visit_url, referrer_url, user_agent,"
            " redirect_reason, refused_redirect, ip_prefix FROM affiliates_click"
        )
        # The floors store it as it is.
        return [(*rest, open_address(network)) for *rest, network in rows]

    def process_ids(self) -> list[int]:
        """The server's processes that work for this database or for all of them."""
        rows = self._connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND (datname = current_database() OR datname IS NULL)"
        )
        return [pid for (pid,) in rows]

    def _count(self, table: sql.Identifier) -> int:
        row = self._connection.execute(
            sql.SQL("SELECT count(*) FROM {}").format(table)
        ).fetchone()
        return int(row[0]) if row else 0


def _libpq_url(url: str) -> str:
    if not re.match(r"(postgres|postgresql|psql|pgsql)://", url):
        raise DatabaseUnusable(
            "The benchmark needs PostgreSQL: set DATABASE_URL to a postgres:// URL, "
            f"or unset it to try {DEFAULT_URL}."
        )
    return "postgresql://" + url.partition("://")[2]


def _with_name(url: str, name: str) -> str:
    address, mark, options = url.partition("?")
    return f"{address.rpartition('/')[0]}/{name}{mark}{options}"
