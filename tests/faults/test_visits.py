"""Visits while the database or Redis is silent, down, slow or full: always answered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache.backends.redis import RedisCache
from django.db import connection

from affiliates.api.throttling import services as throttling
from affiliates.api.throttling.breaker import Breaker
from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.visits.cookie import read_cookie
from affiliates.visits.models import Click
from affiliates.visits.unstored.counts import unstored
from affiliates.visits.unstored.ids import VisitId, read_visit_id, seal_visit_id
from tests.affiliates.api.calls import SHOP
from tests.affiliates.visits.writing import eventually
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.portal import ClientFactory
from tests.faults.proxy import FaultProxy, proxied
from tests.faults.visiting import (
    THREADS,
    Answered,
    Service,
    begin_a_process,
    database_behind_a_proxy,
    serving,
)
from tests.races import needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

OK = "200 OK"
# Beside the deadline, on a busy machine.
GRACE_SECONDS = 1.0
FAULTS = {
    "silent": FaultProxy.fall_silent,
    "down": FaultProxy.go_down,
    "slow": lambda proxy: setattr(proxy, "delay", 1.5),
}


@pytest.fixture(autouse=True)
def _as_in_production(settings, monkeypatch) -> None:
    settings.AFFILIATES_CLICK_WRITER = "leader"
    # Each fault is waited for that long.
    settings.AFFILIATES_VISIT_DEADLINE_SECONDS = 3.0
    # They ask until the database is back, thousands of times a minute.
    settings.AFFILIATES_THROTTLE_RATES = {"visit": ""}
    begin_a_process(monkeypatch)


@pytest.fixture
def database(monkeypatch) -> Iterator[FaultProxy]:
    with database_behind_a_proxy(monkeypatch) as proxy:
        yield proxy


@pytest.fixture
def service(database) -> Iterator[Service]:
    with serving() as service:
        yield service


@pytest.fixture
def url(link, service) -> str:
    """Of a link that the process knows."""
    url = f"{SHOP}/aff/{link.hash}"
    assert service.visit(url).status == OK
    Click.objects.all().delete()
    return url


def sealed(text: str, brand: Any) -> VisitId:
    now = datetime.now(tz=UTC)
    found = read_visit_id(text, brand_id=brand.pk, ring=conf.cookie_keys, now=now)
    assert found is not None
    return found


def click_of(answered: Answered, brand: Any) -> Any:
    held = read_cookie(
        answered.data["referral_cookie"],
        brand_id=brand.pk,
        ring=conf.cookie_keys,
        now=datetime.now(tz=UTC),
    )
    return None if held is None else held.click_id


def answer_once_stored(service: Any, url: str, visit_id: str | None = None) -> Answered:
    """The first answer after the database has come back whose click is stored."""
    answers: list[Answered] = []

    def is_stored() -> bool:
        answers.append(service.visit(url, visit_id=visit_id))
        return "visit-id" not in answers[-1].headers

    eventually(is_stored)
    return answers[-1]


def assert_sent_on(answered: Answered, *, to: str = f"{SHOP}/plans") -> None:
    assert (answered.status, answered.data["redirect_url"]) == (OK, to)
    assert answered.seconds < conf.visit_deadline_seconds + GRACE_SECONDS


@pytest.mark.parametrize("fault", FAULTS)
def test_visitor_is_sent_on_and_the_visit_sent_again_is_one_click(
    service, database, brand, url, fault
):
    before = sum(unstored().counts.values())
    FAULTS[fault](database)

    answered = service.visit(url)

    assert_sent_on(answered)
    assert list(answered.data) == ["redirect_url"]
    assert answered.headers["access-control-expose-headers"] == "Visit-Id"
    assert answered.headers["access-control-allow-origin"] == SHOP
    assert sum(unstored().counts.values()) == before + 1
    assert not Click.objects.exists()

    database.come_back()
    visit_id = answered.headers["visit-id"]
    again = answer_once_stored(service, url, visit_id)
    assert service.visit(url, visit_id=visit_id).status == OK

    this = sealed(visit_id, brand)
    [click] = Click.objects.all()
    assert (click.pk, click.created_at) == (this.click_id, this.issued_at)
    assert click.visitor_id == this.visitor_id
    assert click_of(again, brand) == click.pk


@pytest.mark.parametrize("fault", FAULTS)
def test_held_cookie_is_answered_for_as_long_as_it_had(
    service, database, brand, url, fault
):
    held = service.visit(url).data
    Click.objects.all().delete()
    FAULTS[fault](database)

    answered = service.visit(url, referral_cookie=held["referral_cookie"])

    assert_sent_on(answered)
    assert answered.data["referral_cookie"] != held["referral_cookie"]
    assert click_of(answered, brand) == click_of(Answered("", {}, held, 0), brand)
    age = held["referral_cookie_max_age"]
    assert age - 60 < answered.data["referral_cookie_max_age"] <= age
    assert "visit-id" in answered.headers
    assert not Click.objects.exists()


def test_page_without_an_affiliate_needs_no_database(service, database, url):
    database.fall_silent()

    answered = service.visit(f"{SHOP}/plans")

    assert_sent_on(answered, to=f"{SHOP}/plans#")
    assert "visit-id" not in answered.headers


def test_silence_holds_each_thread_for_one_deadline(service, database, url):
    database.fall_silent()

    at_first = service.visit_at_once([url] * THREADS)
    later = service.visit_at_once([url] * 10 * THREADS)

    for answered in (*at_first, *later):
        assert_sent_on(answered)
    # One thread after another finds out whether the silence is over.
    waited = [one for one in later if one.seconds > conf.visit_deadline_seconds / 2]
    assert len(waited) <= 4


def test_clicks_are_stored_again_once_the_silence_is_over(
    service, database, url, settings
):
    database.fall_silent()
    service.visit_at_once([url] * THREADS)
    database.come_back()
    eventually(lambda: "visit-id" not in service.visit(url).headers)
    Click.objects.all().delete()
    # A busy machine takes its time for sixteen connections.
    settings.AFFILIATES_VISIT_DEADLINE_SECONDS = 10.0

    answered = service.visit_at_once([url] * 5 * THREADS)

    assert [one.headers.get("visit-id") for one in answered] == [None] * 5 * THREADS
    assert Click.objects.count() == 5 * THREADS


@pytest.mark.parametrize("sqlstate", ["53100", "25006"], ids=["full", "read-only"])
def test_database_that_takes_nothing_more(service, url, sqlstate):
    refusal = f"RAISE EXCEPTION 'no' USING ERRCODE = '{sqlstate}';"
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN {refusal} END $$;"
            "CREATE TRIGGER refused BEFORE INSERT ON affiliates_click"
            " FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    try:
        answered = service.visit(url)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse CASCADE")

    assert_sent_on(answered)
    assert list(answered.data) == ["redirect_url"]
    stored = service.visit(url, visit_id=answered.headers["visit-id"])
    assert "visit-id" not in stored.headers
    assert Click.objects.count() == 1


def test_provider_is_notified_once_of_a_visit_sent_again(service, database, brand):
    TrackingIntegrationFactory(brand=brand, parameters="aid")
    page = f"{SHOP}/plans?aid=one"
    service.visit(page)
    Click.objects.all().delete()
    Delivery.objects.all().delete()
    database.go_down()
    visit_id = service.visit(page).headers["visit-id"]
    database.come_back()

    eventually(lambda: "visit-id" not in service.visit(page, visit_id=visit_id).headers)
    service.visit(page, visit_id=visit_id)

    click_id = sealed(visit_id, brand).click_id
    assert list(Click.objects.values_list("pk", flat=True)) == [click_id]
    assert list(Delivery.objects.values_list("key", flat=True)) == [f"click:{click_id}"]


def test_configuration_that_was_changed_just_before_is_used_as_it_was(
    service, database, link, url
):
    link.target_url = f"{SHOP}/new"
    link.save()
    database.go_down()

    assert_sent_on(service.visit(url))

    database.come_back()
    eventually(lambda: service.visit(url).data["redirect_url"] == f"{SHOP}/new")


def test_link_that_the_process_never_knew_leads_to_the_default(
    service, database, brand, link, url
):
    unknown = AffiliateLinkFactory(affiliate=link.affiliate, target_url=f"{SHOP}/plans")
    database.fall_silent()

    answered = service.visit(f"{SHOP}/aff/{unknown.hash}")

    assert_sent_on(answered, to=brand.default_redirect_url)
    visit_id = answered.headers["visit-id"]

    database.come_back()
    page = f"{SHOP}/aff/{unknown.hash}"
    eventually(lambda: "visit-id" not in service.visit(page, visit_id=visit_id).headers)
    assert Click.objects.get().link_id == unknown.pk
    assert Click.objects.get().pk == sealed(visit_id, brand).click_id


def test_process_that_never_knew_the_brand_says_when_to_come_again(
    service, database, link
):
    database.go_down()

    answered = service.visit(f"{SHOP}/aff/{link.hash}")

    assert answered.status == "503 Service Unavailable"
    assert int(answered.headers["retry-after"]) >= 1
    assert answered.data == {}


@pytest.mark.parametrize(
    "_case", ["forged", "another brand's", "expired", "of tomorrow"]
)
def test_only_a_sealed_id_of_today_is_the_clicks(service, brand, url, _case):
    now = datetime.now(tz=UTC)
    service.visit(url)
    [known] = Click.objects.all()
    age = {"expired": timedelta(days=1), "of tomorrow": -timedelta(days=1)}.get(_case)
    other = BrandFactory(client_area="other.example.net")
    this = VisitId(
        visitor_id=known.visitor_id,
        click_id=known.pk,
        issued_at=now - (age or timedelta(0)),
    )
    text = seal_visit_id(
        this,
        brand_id=other.pk if _case == "another brand's" else brand.pk,
        ring=conf.cookie_keys,
        nonce=bytes(12),
    )
    sent = text[:-2] + "AA" if _case == "forged" else text

    service.visit(url, visit_id=sent)

    assert Click.objects.count() == 2


def test_cookie_of_an_answer_is_the_id_of_its_click(service, url):
    answered = service.visit(url).data["referral_cookie"]

    service.visit(url, visit_id=answered)

    assert Click.objects.count() == 1


def test_later_touch_is_not_replaced_by_a_visit_sent_again(
    service, database, brand, url
):
    user = ClientFactory(brand=brand, email="rival@example.com")
    rival = AffiliateFactory(brand=brand, user=user, code="rival")
    database.go_down()
    visit_id = service.visit(url).headers["visit-id"]
    database.come_back()
    answer_once_stored(service, f"{SHOP}/?ref=rival")
    later = service.visit(f"{SHOP}/?ref=rival")

    again = service.visit(
        url, visit_id=visit_id, referral_cookie=later.data["referral_cookie"]
    )

    assert click_of(again, brand) == click_of(later, brand)
    assert Click.objects.filter(affiliate=rival).count() == 2
    assert Click.objects.filter(pk=sealed(visit_id, brand).click_id).exists()


def test_silent_redis_delays_one_visit_of_a_pause(service, url, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"visit": "30/minute"}
    limits = {"socket_connect_timeout": 0.25, "socket_timeout": 0.25}
    with proxied(("127.0.0.1", 6379)) as redis:
        cache = RedisCache(f"redis://127.0.0.1:{redis.port}/15", {"OPTIONS": limits})
        with (
            patch.object(throttling, "shared_cache", lambda: cache),
            patch.object(throttling, "cache_breaker", Breaker()) as breaker,
        ):
            assert service.visit(url).status == OK
            throttling.own_counts.clear()
            redis.fall_silent()

            first = service.visit(url)
            later = [service.visit(url) for _ in range(40)]

            assert first.status == OK
            assert first.seconds < 0.25 + GRACE_SECONDS
            assert (breaker.is_open, breaker.failures) == (True, 1)
            # This process counts for itself meanwhile.
            assert [one.status == OK for one in later] == [True] * 29 + [False] * 11
            redis.come_back()
            breaker._try_at = 0.0
            assert service.visit(url).status == OK
            assert not breaker.is_open
