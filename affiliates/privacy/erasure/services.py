"""Erases a person: personal columns are emptied, the books stay under a number.

Everything happens in one transaction, and so at once or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from affiliates.api.idempotency.services import forget_answers
from affiliates.brands.config_cache import config_database
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import RememberedModel
from affiliates.brands.services import clear_changes
from affiliates.db.audit.recording import unrecorded
from affiliates.db.records import insert_once, lock
from affiliates.db.seals import is_erased, seal_field
from affiliates.errors import NotAllowed, NotFound, StateConflict, required_text
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.services import WAITING, queue_erasure
from affiliates.outbox.types import ErasureFacts
from affiliates.privacy.erasure.models import MAX_REASON, Erasure
from affiliates.privacy.erasure.registry import registered
from affiliates.privacy.erasure.rules import DELETED, EMPTIED
from affiliates.privacy.erasure.selectors import (
    DROPPED,
    ChangedRows,
    changed_rows,
    obstacles_to,
    person_of,
    providers_of,
)
from affiliates.privacy.selectors import Subject
from affiliates.privacy.types import Key
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.program.slug_models import retire_names
from affiliates.webhooks.announce import Fact, FactKind, announce

ALREADY_ASKED = (
    "Somebody asked for this already: agree to it, or withdraw it, under Erasures."
)


@transaction.atomic
def erase(
    *, brand: Brand, accounts: Collection[str], email: str, reason: str, now: datetime
) -> Erasure:
    """Erases the person of these accounts and of this address, the host's part too.

    Raises StateConflict if something must be settled first.
    """
    act = _asked(brand, accounts, email, reason, asked_by_id=None, now=now)
    return _done(act, now=now)


@transaction.atomic
def ask(
    *,
    brand: Brand,
    accounts: Collection[str],
    email: str,
    reason: str,
    asked_by_id: Any,
    now: datetime,
) -> Erasure:
    """Asks for what ``agree`` does then. Raises StateConflict as ``erase``, and if it
    was asked for already; InvalidInput without a reason."""
    reason = required_text(reason, field="reason", most=MAX_REASON)
    _require_nothing_left(person_of(brand, accounts, email))
    return _asked(brand, accounts, email, reason, asked_by_id=asked_by_id, now=now)


@transaction.atomic
def agree(*, erasure_id: int, agreed_by_id: Any, now: datetime) -> Erasure:
    """Erases what another person asked for. Raises NotFound if it is done or was
    withdrawn, NotAllowed for the person who asked, StateConflict as ``erase``."""
    act = lock(Erasure, erasure_id)
    if act.done_at is not None:
        raise NotFound
    if act.asked_by_id == agreed_by_id:
        raise NotAllowed("second_person", "Somebody else must agree to it.")
    return _done(act, agreed_by_id=agreed_by_id, now=now)


@transaction.atomic
def withdraw(*, erasure_id: int) -> None:
    """Forgets that it was asked for. Raises NotFound if it is done."""
    act = lock(Erasure, erasure_id)
    if act.done_at is not None:
        raise NotFound
    act.delete()


@transaction.atomic
def erase_client(
    *, brand_id: int, client_id: str, email: str, reason: str, now: datetime
) -> None:
    """Implements host_events.client_erased."""
    brand = Brand.objects.filter(pk=brand_id).first()
    if brand is None:
        raise NotFound
    reason = reason[:MAX_REASON]
    act = _asked(brand, [client_id], email, reason, asked_by_id=None, now=now)
    if not _done(act, of_host=False, now=now).changed:
        act.delete()


def _asked(
    brand: Brand,
    accounts: Collection[str],
    email: str,
    reason: str,
    *,
    asked_by_id: Any,
    now: datetime,
) -> Erasure:
    act = Erasure(
        brand=brand,
        accounts=sorted(accounts),
        email=email,
        reason=reason,
        asked_by_id=asked_by_id,
        asked_at=now,
    )
    if not insert_once(act):
        raise StateConflict("already_asked", ALREADY_ASKED)
    return act


def _require_nothing_left(person: Subject) -> None:
    if obstacles := obstacles_to(person):
        raise StateConflict("not_settled", " ".join(obstacles))


def _done(
    act: Erasure, *, agreed_by_id: Any = None, of_host: bool = True, now: datetime
) -> Erasure:
    person = person_of(act.brand, act.accounts, act.email)
    affiliates = Affiliate.objects.filter(pk__in=person.keys[Key.AFFILIATE])
    codes = list(
        affiliates.order_by("pk")
        .select_for_update(of=("self",), no_key=True)
        .values_list("code", flat=True)
    )
    _require_nothing_left(person)
    if codes:
        _retire_names(act, affiliates)
    with unrecorded():
        changed = _change(person, act, of_host=of_host, now=now)
        waiting = affiliates.filter(status=AffiliateStatus.PENDING)
        change_status(waiting, status=AffiliateStatus.SUSPENDED, is_told=False)
        affiliates.update(erased_at=now)
    if codes:
        # They name codes and links as they were.
        clear_changes(using=config_database())
    act.change(
        email="",
        agreed_by_id=agreed_by_id,
        done_at=now,
        changed=changed,
    )
    if changed:
        _announce(act, codes, now=now)
    return act


def _retire_names(act: Erasure, affiliates: QuerySet[Affiliate]) -> None:
    names = affiliates.values_list("code", "links__slug", "links__old_code")
    # Of an affiliate erased before, nothing is left but its number.
    rows = names.filter(erased_at=None)
    retire_names({name for row in rows for name in row if name}, brand_id=act.brand_id)


def _change(
    person: Subject, act: Erasure, *, of_host: bool, now: datetime
) -> dict[str, dict[str, int]]:
    """How many rows were emptied, and how many deleted, by table."""
    count: Counter[tuple[str, str]] = Counter()
    for change in changed_rows(person, of_host=of_host):
        if change.declared.model is Delivery:
            _tell_providers(change.rows, act.accounts, now=now)
            change.rows.filter(operation__in=DROPPED, state__in=WAITING).delete()
        if change.is_deleted:
            change.rows.delete()
            rows = len(change.keys)
        else:
            rows = sum(_empty(row, change, act.pk) for row in change.rows.iterator())
        count[change.declared.name, change.act] += rows
    answers = forget_answers(person.keys[Key.EMAIL])
    count["affiliates.StoredAnswer", DELETED] += answers
    for table, erase_more in registered():
        count[table, EMPTIED] += erase_more(now=now)
    changed: dict[str, dict[str, int]] = {}
    for (table, became), rows in sorted((+count).items()):
        changed.setdefault(table, {})[became] = rows
    return changed


def _tell_providers(
    deliveries: QuerySet[Delivery], accounts: Collection[str], *, now: datetime
) -> None:
    for integration in providers_of(deliveries):
        for account in accounts:
            facts = ErasureFacts(customer_ref=account, occurred_at=now)
            queue_erasure(integration, facts)


def _empty(row: Any, changed: ChangedRows, number: int) -> bool:
    """Whether there was something to empty."""
    new = {name: left(row) for name, left in changed.left.items()}
    names = [name for name, value in new.items() if getattr(row, name) != value]
    for name in names:
        setattr(row, name, new[name])
    if changed.is_sealed and not is_erased(row):
        seal = seal_field(type(row))
        names += seal.erase(row, number=number) if seal is not None else []
    if not names:
        return False
    if isinstance(row, RememberedModel):
        row.save(update_fields=names)
    else:
        # A host's ``save`` may tell the person of the change.
        values = {name: getattr(row, name) for name in names}
        type(row)._base_manager.filter(pk=row.pk).update(**values)
    return True


def _announce(act: Erasure, codes: Collection[str], *, now: datetime) -> None:
    facts = [
        Fact(
            kind=FactKind.PERSON_ERASED,
            brand_id=act.brand_id,
            subject=f"account:{account}",
            key=f"account:{account}:{act.pk}",
            data={
                "client_ref": account,
                "affiliates": [sha256(code.encode()).hexdigest() for code in codes],
            },
        )
        for account in act.accounts
    ]
    announce(facts, now=now)
