"""The rows and columns that erasing a person changes, by the table of personal data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from types import SimpleNamespace
from typing import Any

from django.contrib.auth import get_user_model
from django.db import router
from django.db.models import CharField, JSONField, Model, QuerySet, Value
from django.db.models.functions import Cast

from affiliates.brands.models.brand import Brand
from affiliates.db.accounts import key_of
from affiliates.db.records import at_once
from affiliates.db.seals import seal_field
from affiliates.hooks import own_apps
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.services import WAITING
from affiliates.outbox.types import Operation
from affiliates.payouts.selectors import balances
from affiliates.privacy.erasure.models import Erasure
from affiliates.privacy.erasure.rules import DELETED, EMPTIED, AffiliateFacts, obstacles
from affiliates.privacy.registry import DeclaredModel, Left, declared
from affiliates.privacy.selectors import Subject, condition_of, subject_of
from affiliates.privacy.types import Key, Person
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus

# Of these the provider needs none once the person is erased.
DROPPED = (Operation.CLICK, Operation.EVENT)
# These name the client to the provider.
NAMES_CLIENT = (Operation.SALE, Operation.LEAD)
_PARTS = ("pending", "held", "payable", "being_paid")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRows:
    """Rows of a table, which are deleted or emptied.

    ``left`` gives what is left in each column; those that a seal knows as personal are
    emptied by it.
    """

    declared: DeclaredModel
    keys: list[str]
    is_deleted: bool
    left: Mapping[str, Left]
    is_sealed: bool

    @property
    def act(self) -> str:
        return DELETED if self.is_deleted else EMPTIED

    @property
    def rows(self) -> QuerySet[Any]:
        return self.declared.model._base_manager.filter(pk__in=self.keys)


def person_of(brand: Brand, accounts: Collection[str], email: str) -> Subject:
    guests = [account for account in accounts if key_of(account) is None]
    users = get_user_model()._base_manager.filter(pk__in={*accounts} - {*guests})
    return subject_of(users, brand=brand, email=email, guests=guests)


def changed_rows(subject: Subject, *, of_host: bool) -> list[ChangedRows]:
    """All are found before any is changed: some are found by columns of others.

    ``of_host``: also of the host's tables.
    """
    own = {config.label for config in own_apps()}
    ways = [
        (table, person, condition)
        for table in declared()
        if of_host or table.name.partition(".")[0] in own
        for person, where in (*table.of.items(), *table.shared.items())
        if (condition := condition_of(table.model, where, subject)) is not None
    ]
    keys = _keys_of(
        [_rows(table.model).filter(condition) for table, _, condition in ways]
    )
    changed = [
        _changed(table, person, keys[number])
        for number, (table, person, _) in enumerate(ways)
    ]
    return [
        change
        for change in changed
        if change.keys and (change.is_deleted or change.left or change.is_sealed)
    ]


def owned_by_erased(erasure: Erasure, model: type[Model]) -> QuerySet[Any]:
    """The rows of the table that belong to the accounts of the erasure."""
    # The host may have deleted the accounts since.
    key = get_user_model()._meta.pk
    users = [SimpleNamespace(pk=key.to_python(account)) for account in erasure.accounts]
    person = subject_of(users, brand=erasure.brand, email="")
    rows = _rows(model)
    ways = [
        condition
        for table in declared()
        if table.model is model
        for where in (*table.of.values(), *table.shared.values())
        if (condition := condition_of(model, where, person)) is not None
    ]
    return rows.filter(reduce(or_, ways)) if ways else rows.none()


def _rows(model: type[Model]) -> QuerySet[Any]:
    return model._base_manager.using(router.db_for_write(model)).order_by()


def _keys_of(querysets: Sequence[QuerySet[Any]]) -> list[list[str]]:
    """The primary keys of each, by one query for each database."""
    keys: list[set[str]] = [set() for _ in querysets]
    for alias in {rows.db for rows in querysets}:
        numbered = at_once(
            rows.values_list(Value(number), Cast("pk", CharField()))
            for number, rows in enumerate(querysets)
            if rows.db == alias
        )
        for number, key in numbered:
            keys[number].add(key)
    return [sorted(keys_of_table) for keys_of_table in keys]


def _changed(table: DeclaredModel, person: Person, keys: list[str]) -> ChangedRows:
    names = emptied_columns(table, person)
    seal = seal_field(table.model)
    personal = () if seal is None else seal.personal
    left: dict[str, Left] = {
        name: partial(_nothing_of, table.model._meta.get_field(name))
        for name in names
        if name not in personal
    }
    return ChangedRows(
        declared=table,
        keys=keys,
        is_deleted=person in table.deletes,
        left=left | dict(table.leaves) if names or person in table.shared else {},
        is_sealed=any(name in personal for name in names),
    )


def providers_of(deliveries: QuerySet[Delivery]) -> QuerySet[TrackingIntegration]:
    """The trackers that may know the client of these deliveries by its number."""
    told = deliveries.filter(operation__in=NAMES_CLIENT, attempt_count__gt=0)
    return TrackingIntegration.trackers.filter(pk__in=told.values("integration"))


def emptied_columns(table: DeclaredModel, person: Person) -> list[str]:
    """The columns of this person that do not stay."""
    return [
        name
        for name, use in table.uses()
        if person.owns(use.person)
        and not use.stays
        and not table.model._meta.get_field(name).is_relation
    ]


def _nothing_of(field: Any, row: Any) -> Any:
    if field.null:
        return None
    if isinstance(field, JSONField):
        return field.get_default() if field.has_default() else {}
    return ""


def obstacles_to(subject: Subject) -> list[str]:
    """Why the person cannot be erased now, each in a sentence."""
    affiliates = Affiliate.objects.filter(pk__in=subject.keys[Key.AFFILIATE])
    unsent = Delivery.objects.filter(
        brand=subject.brand, order_ref__in=subject.keys[Key.INVOICE], state__in=WAITING
    ).exclude(operation__in=DROPPED)
    facts = [_facts_of(affiliate) for affiliate in affiliates.order_by("pk")]
    return list(obstacles(facts, unsent=unsent.count()))


def _facts_of(affiliate: Affiliate) -> AffiliateFacts:
    return AffiliateFacts(
        code=affiliate.code,
        status=AffiliateStatus(affiliate.status),
        balances={
            balance.currency: {
                part.replace("_", " "): getattr(balance, part) for part in _PARTS
            }
            for balance in balances(affiliate.pk)
        },
    )
