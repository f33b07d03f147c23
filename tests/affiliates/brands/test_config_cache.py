"""What several processes remember of links, and when they ask again."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from unittest.mock import Mock
from uuid import UUID

import pytest
from django.db import connections, transaction

from affiliates.brands import config_cache, services
from affiliates.brands.config_cache import ChangeLog, ConfigCache, unless_touched
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import CLEAR_EVERY, clear_changes, record_changes
from affiliates.outbox.active import active_integration
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.sending.health import switch_off
from affiliates.program import selectors
from affiliates.program.models import AffiliateLink
from tests.factories.affiliates import AffiliateLinkFactory
from tests.races import needs_postgresql


class Process:
    """The links as one process knows them."""

    def __init__(self) -> None:
        self.log = ChangeLog()
        self.links = ConfigCache(selectors._load, selectors._untouched, log=self.log)

    def find(self, link: AffiliateLink):
        return self.links.get((link.affiliate.brand_id, link.hash))

    def code(self, affiliate):
        return self.links.get((affiliate.brand_id, affiliate.code))

    def let_time_pass(self) -> None:
        self.log._read_at = float("-inf")


@pytest.fixture
def processes() -> tuple[Process, Process]:
    return Process(), Process()


def save(row, **values) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


def integration_of(brand) -> TrackingIntegration:
    return TrackingIntegration.objects.create(
        brand=brand, provider="pap", address="https://tracker.example.com"
    )


def test_saved_link_is_asked_for_again_by_every_process_and_no_other_is(
    processes, link, django_assert_num_queries
):
    other = AffiliateLinkFactory(affiliate=link.affiliate)
    for process in processes:
        assert process.find(link).target_url == "https://shop.example.com/plans"
        process.find(other)

    save(link, target_url="https://shop.example.com/new")

    for process in processes:
        with django_assert_num_queries(1):
            assert process.find(other).link_id == other.pk
        assert process.find(link).target_url == "https://shop.example.com/new"


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("deleted", lambda link: link.delete()),
        ("deleted in bulk", lambda link: AffiliateLink.objects.all().delete()),
        ("switched off", lambda link: save(link, is_active=False)),
        ("named by another hash", lambda link: save(link, hash="ab" * 20)),
    ],
)
def test_link_that_is_no_more_credits_nobody(_case, change, processes, link):
    old = AffiliateLink.objects.get()
    for process in processes:
        assert process.find(old).link_id == link.pk

    change(link)

    assert [process.find(old) for process in processes] == [None, None]


def test_affiliates_change_is_a_change_of_its_links_and_codes(processes, link):
    affiliate = link.affiliate
    old = type(affiliate).objects.get()
    for process in processes:
        process.find(link), process.code(old)

    save(affiliate, status="suspended", code="renamed")

    for process in processes:
        assert process.find(link).status == "suspended"
        assert process.code(old) is None
        assert process.code(affiliate).status == "suspended"


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("brand", lambda brand: brand.save()),
        ("domain", lambda brand: brand.domains.get().save()),
        ("integration", integration_of),
    ],
)
def test_other_changes_leave_links_alone(
    _case, change, processes, link, django_assert_num_queries
):
    processes[0].find(link)

    change(link.affiliate.brand)

    with django_assert_num_queries(1):
        processes[0].find(link)


def test_integration_that_is_switched_off_in_bulk_is_seen(brand, now):
    integration = integration_of(brand)
    assert active_integration(brand.pk).id == integration.pk

    switch_off(integration.pk, detail="410", now=now)

    assert active_integration(brand.pk) is None


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_change_that_is_committed_late_is_seen(processes, link):
    other = AffiliateLinkFactory(affiliate=link.affiliate)
    is_written, may_commit = threading.Event(), threading.Event()

    def change_slowly() -> None:
        with transaction.atomic():
            save(link, is_active=False)
            is_written.set()
            may_commit.wait(timeout=30)
        connections.close_all()

    thread = threading.Thread(target=change_slowly)
    thread.start()
    is_written.wait(timeout=30)
    save(other, is_active=False)
    clear_changes(using="default")
    for process in processes:
        assert process.find(other) is None
        assert process.find(link) is not None
    may_commit.set()
    thread.join(timeout=30)

    assert [process.find(link) for process in processes] == [None, None]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("row", "change"),
    [
        (lambda link: link, {"is_active": False}),
        (lambda link: link.affiliate, {"status": "suspended"}),
        (lambda link: link.affiliate.brand, {"is_active": False}),
        (lambda link: link.affiliate.brand.domains.get(), {"is_client_area": False}),
        (lambda link: integration_of(link.affiliate.brand), {"is_active": False}),
    ],
)
def test_what_no_process_can_be_told_of_is_not_saved(row, change, link, monkeypatch):
    changed = row(link)
    stored = type(changed).objects.filter(pk=changed.pk).values()
    before = stored.get()
    monkeypatch.setattr(services, "record_changes", Mock(side_effect=OSError))

    with pytest.raises(OSError):  # noqa: PT011 - it is this test's own
        save(changed, **change)

    assert stored.get() == before


def test_what_only_an_undone_transaction_saw_is_forgotten(
    processes, affiliate, settings
):
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600
    process = processes[0]
    process.code(affiliate)
    with suppress(ZeroDivisionError), transaction.atomic():
        link = AffiliateLinkFactory(affiliate=affiliate)
        assert process.find(link).link_id == link.pk
        raise ZeroDivisionError

    process.let_time_pass()

    assert process.find(link) is None


@pytest.mark.django_db
def test_value_whose_reading_began_before_the_change_is_not_kept():
    stored = {"slow": "old"}

    def load(key: str) -> dict[str, str]:
        read = stored[key]
        if read == "old":
            stored[key] = "new"
            record_changes([ConfigChange(kind=ChangeKind.BRAND)])
            # As another thread does meanwhile.
            cache._values(cache._log.read())
        return {key: read}

    cache = ConfigCache(load, unless_touched(ChangeKind.BRAND), log=ChangeLog())

    assert cache.get("slow") == "old"
    assert cache.get("slow") == "new"


def test_cleared_changes_are_seen_by_who_had_not_looked(processes, link):
    process, sleeper = processes
    process.find(link), sleeper.find(link)
    save(link, is_active=False)
    process.find(link)

    clear_changes(using="default")

    assert [row.kind for row in ConfigChange.objects.all()] == ["everything"]
    assert sleeper.find(link) is None


@pytest.mark.django_db
def test_changes_are_cleared_now_and_then(django_capture_on_commit_callbacks):
    rows = [
        ConfigChange(id=UUID(int=number), kind=ChangeKind.BRAND)
        for number in (1, CLEAR_EVERY)
    ]

    with django_capture_on_commit_callbacks(execute=True):
        record_changes(rows[:1])
    assert ConfigChange.objects.count() == 1
    with django_capture_on_commit_callbacks(execute=True):
        record_changes(rows[1:])

    assert [row.kind for row in ConfigChange.objects.all()] == ["everything"]


@pytest.mark.django_db
def test_many_changes_at_once_are_one():
    record_changes([ConfigChange(kind=ChangeKind.LINK)] * (CLEAR_EVERY + 1))

    assert [row.kind for row in ConfigChange.objects.all()] == ["everything"]


def test_more_changes_than_are_read_are_all_of_them(processes, link, monkeypatch):
    monkeypatch.setattr(config_cache, "MAX_CHANGES", 1)
    processes[0].find(link)

    save(link, is_active=False)

    assert processes[0].find(link) is None


def test_cold_process_reads_links_in_bulk(
    processes, affiliate, settings, django_assert_num_queries
):
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600
    count = 2 * selectors.BULK + 1
    AffiliateLink.objects.bulk_create(
        AffiliateLink(affiliate=affiliate, name=str(number)) for number in range(count)
    )
    links = AffiliateLink.objects.select_related("affiliate").order_by("hash")
    warm, cold = list(links), processes[0]

    # Three times the links; the changes at first and, in this transaction, each time.
    with django_assert_num_queries(3 + 1 + 3):
        assert [cold.find(link).link_id for link in warm] == [link.pk for link in warm]


def test_no_more_is_kept_than_the_limit(processes, affiliate, monkeypatch):
    monkeypatch.setattr(config_cache, "MAX_VALUES", 10)
    process = processes[0]

    for number in range(50):
        process.links.get((affiliate.brand_id, f"{number:040x}"))
        assert len(process.links._held.values) <= 10


@pytest.mark.django_db
def test_threads_that_ask_together_read_once():
    loads = []

    def load(key: str) -> dict[str, int]:
        loads.append(key)
        time.sleep(0.05)
        return {key: 1}

    log = ChangeLog()
    changes = log.read()
    log.read = log.current = lambda: changes
    cache = ConfigCache(load, unless_touched(), log=log)

    threads = [threading.Thread(target=cache.get, args=("key",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert loads == ["key"]
