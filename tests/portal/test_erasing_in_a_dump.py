"""A dump, the logs, the files and the e-mails have nothing left of an erased person."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.core.management import call_command
from django.db import connection
from moneyed import Money

from affiliates.adapter import HostAdapter
from affiliates.privacy.registry import declared
from portal.affiliate_adapter import PortalAdapter
from tests.affiliates.api.calls import SHOP
from tests.affiliates.verification.finding import found_after
from tests.append_only import unguarded
from tests.factories.affiliates import AffiliateLinkFactory
from tests.factories.integrations import WebhookFactory
from tests.factories.payouts import OWN_ACCOUNT, PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.portal import ProductFactory, StaffFactory
from tests.factories.recruitment import (
    ApplicationQuestionFactory,
    ProgramTermsFactory,
)
from tests.portal.dumps import everything, places_of
from tests.portal.lives import Buyer, Life
from tests.portal.partners import Applicant, Partner
from tests.races import needs_postgresql

pytestmark = [
    needs_postgresql,
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
]
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
# As many as a form may ask.
QUESTIONS = (
    *("Website", "Phone", "Street", "City", "Tax number", "Audience", "Company"),
    *(f"Question {number}" for number in range(8, 21)),
)
MARKS = ((1, "abcd"), (2, "efgh"))
CANARIES = 40


@pytest.fixture
def clock(settings: Any, tmp_path: Path, monkeypatch: Any) -> Iterator[Any]:
    settings.ALLOWED_HOSTS = ["*"]
    settings.STOREFRONT_ORIGIN = SHOP
    # Whether people are asked for their password again is tested elsewhere.
    monkeypatch.setattr(PortalAdapter, "identity_page", HostAdapter.identity_page)
    settings.MEDIA_ROOT = tmp_path / "media"
    (tmp_path / "media").mkdir()
    with time_machine.travel(START, tick=False) as clock:
        yield clock


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Path]:
    """All that is logged, in full, but the statements that the test makes itself."""
    path = tmp_path / "logs"
    handler = logging.FileHandler(path, encoding="utf-8")
    root, levels = logging.getLogger(), {}
    names = ("", "affiliates", "portal", "django.request", "django.security", "axes")
    for name in names:
        levels[name] = logging.getLogger(name).level
        logging.getLogger(name).setLevel(logging.DEBUG)
    root.addHandler(handler)
    yield path
    root.removeHandler(handler)
    handler.close()
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
def shop(brand: Any, affiliate: Any, clock: Any) -> dict[str, Any]:
    """What a person comes upon: a program, a product, staff and a webhook."""
    CommissionPlanFactory(brand=brand, is_default=True)
    PayoutTermsFactory(brand=brand, **OWN_ACCOUNT)
    ProgramTermsFactory(brand=brand)
    WebhookFactory(brand=brand)
    AffiliateLinkFactory(affiliate=affiliate, slug="partner-blog", slug_brand=brand)
    return {
        "staff": StaffFactory(),
        "second": StaffFactory(),
        "product": ProductFactory(brand=brand, price=Money("1000.00", "EUR")),
        "questions": [
            ApplicationQuestionFactory(brand=brand, text=one) for one in QUESTIONS
        ],
    }


def kept_columns() -> set[str]:
    """Those that the table of personal data says stay."""
    return {
        f"{one.model._meta.db_table}.{one.model._meta.get_field(name).column}"
        for one in declared()
        for name, use in one.uses()
        if use.stays
    }


def prove() -> None:
    """Everything agrees, or the commands end with an error."""
    for command in (
        ["verify_ledger", "--deep", "--all"],
        ["verify_statistics"],
        ["replay_decisions"],
    ):
        said = StringIO()
        try:
            call_command(*command, stdout=said, stderr=said)
        except SystemExit:
            pytest.fail(f"{command}: {said.getvalue()}")


def by_shell(statement: str) -> None:
    with unguarded(), connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0


def erase_and_search(
    ada: Life,
    bob: Life,
    *,
    logs: Path,
    beside: Mapping[str, set[str]] | None = None,
) -> None:
    """``beside`` are texts of hers that are no data of hers by the table, by place."""
    folder = logs.parent / "media"
    call_command("rebuild_statistics", stdout=StringIO())
    prove()
    before = everything(folder)
    words = [*ada.words.said, *ada.canaries]
    others = [*bob.words.said, *bob.canaries]
    assert len(set(words)) >= CANARIES
    assert [one for one in words if not places_of(one, before)] == []
    mails = len(mail.outbox)

    call_command(
        "affiliates_erase_person", f"--email={ada.email}", "--yes", stdout=StringIO()
    )
    ada.tell_others()

    after, stays = everything(folder), kept_columns()
    # It tells processes what to read anew, and is cleared for all.
    before.pop("affiliates_configchange.token", None)
    told = [(one.subject, one.body, one.alternatives) for one in mail.outbox[mails:]]
    after |= {"logs": logs.read_text("utf-8").lower(), "e-mails": str(told).lower()}
    left = {
        f"{one} in {place}"
        for one in words
        for place in places_of(one, after) - stays
        if one not in (beside or {}).get(place, ())
    }
    moved = {
        f"{one}: {places_of(one, before)} became {places_of(one, after)}"
        for one in others
        if places_of(one, before) != places_of(one, after)
    }
    assert (left, moved) == (set(), set())
    prove()


def test_a_client(brand, shop, clock, logs):
    lives = [Buyer(brand, mark, clock=clock, number=n) for n, mark in MARKS]
    for life in lives:
        life.live(token="partner-blog", product=shop["product"], staff=shop["staff"])

    erase_and_search(*lives, logs=logs)

    for change in (
        "UPDATE affiliates_invoicepayment SET gross = gross + 1 WHERE salt LIKE 'e%'",
        "UPDATE affiliates_orderreferral SET referral_cookie = 'hers'"
        " WHERE salt LIKE 'e%'",
    ):
        assert found_after(partial(by_shell, change))


def test_an_affiliate(brand, shop, clock, logs):
    lives = [Partner(brand, mark, clock=clock, number=n) for n, mark in MARKS]
    for number, life in enumerate(lives, start=100):
        mark = life.words.mark[::-1]
        life.live(buyer=Buyer(brand, mark, clock=clock, number=number), **shop)

    ada, _ = lives
    erase_and_search(
        *lives,
        logs=logs,
        beside={
            # Addresses that visitors opened, until their clicks are purged. A sub-id
            # names a part of a link.
            "affiliates_click.visit_url": {ada.slug, ada.sub_id},
            "affiliates_click.sub_id": {ada.sub_id},
            "affiliates_statistics_dailyfigures.value": {ada.sub_id},
            # Webhooks are told of the erasure with a digest of the code.
            "affiliates_delivery.payload": {ada.code},
        },
    )

    for change in (
        "UPDATE affiliates_payout SET amount = amount + 1",
        "UPDATE affiliates_payoutstatement SET amount = amount + 1",
        "UPDATE affiliates_commission SET amount = amount + 1",
    ):
        assert found_after(partial(by_shell, change))


def test_an_applicant_without_an_account(brand, shop, clock, logs):
    lives = [Applicant(brand, mark, clock=clock, number=n) for n, mark in MARKS]
    for life in lives:
        life.apply(shop["questions"])
        life.tell_others()

    erase_and_search(*lives, logs=logs)

    assert found_after(
        partial(by_shell, "UPDATE affiliates_erasure SET changed = '{}'")
    )
