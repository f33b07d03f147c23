"""The rows of a person, and the record of processing, both read by the table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Model, Q
from django.utils.translation import gettext, gettext_noop

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.privacy.columns import handed_out
from affiliates.privacy.registry import DeclaredModel, Keys, Where, declared
from affiliates.privacy.types import Key, Person, Use
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoicePayment
from affiliates.visits.models import Click


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A person in one brand; a member of staff where there is no brand."""

    brand: Brand | None
    keys: Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOfPerson:
    declared: DeclaredModel
    person: Person
    rows: list[dict[str, Any]]

    @property
    def uses(self) -> list[Use]:
        """The uses of the columns that were read."""
        owns = self.person.owns
        return [column for column in self.declared.columns if owns(column.person)]


def subjects_with(email: str, brands: Collection[Brand] | None) -> Iterator[Subject]:
    """The person of this address in each of the brands; None: in all, and as staff."""
    users = get_user_model()._base_manager.filter(
        **{f"{get_user_model().get_email_field_name()}__iexact": email}
    )
    clients: dict[int | None, list[Any]] = {}
    for user in users:
        client = get_adapter().get_client(str(user.pk))
        brand_id = None if client is None else client.brand_id
        clients.setdefault(brand_id, []).append(user)
    for brand in Brand.objects.all() if brands is None else brands:
        yield subject_of(clients.get(brand.pk, ()), brand=brand, email=email)
    if brands is None and None in clients:
        yield subject_of(clients[None], brand=None, email=email)


def subject_of(
    users: Iterable[Any],
    *,
    brand: Brand | None,
    email: str,
    guests: Collection[str] = (),
) -> Subject:
    """Everything that leads to rows of these accounts and guests of one person."""
    ids = {user.pk for user in users}
    keys: dict[Key, Iterable[Any]] = {
        Key.USER: ids,
        Key.GUEST: guests,
        Key.EMAIL: [email] if email else [],
        Key.AFFILIATE: Affiliate.objects.filter(brand=brand, user__in=ids).values_list(
            "pk", flat=True
        ),
    }
    if brand is not None:
        keys |= _keys_of_client(ids, guests, brand)
    keys_of_person = {key: frozenset(keys.get(key, ())) - {None, ""} for key in Key}
    return Subject(brand=brand, keys=keys_of_person)


def _keys_of_client(
    ids: Collection[Any], guests: Collection[str], brand: Brand
) -> dict[Key, Iterable[Any]]:
    bound = list(ClientReferral.objects.filter(brand=brand, client__in=ids))
    of_client = Q(client__in=ids) | Q(guest_ref__in=guests)
    orders = list(OrderReferral.objects.filter(of_client, brand=brand))
    rows: list[Any] = [*bound, *orders]
    named = (
        click_id for row in rows for click_id in (row.click_id, row.external_click_id)
    )
    clicks = set(filter(None, named))
    payments = InvoicePayment.objects.filter(
        brand=brand, order_ref__in=[order.order_ref for order in orders]
    )
    invoices = {
        *payments.values_list("invoice_ref", flat=True),
        *(order.invoice_ref for order in orders),
    }
    visitors = Click.objects.filter(brand=brand, pk__in=clicks)
    return {
        Key.CLICK: clicks,
        Key.VISITOR: {
            *visitors.values_list("visitor_id", flat=True),
            *(binding.visitor_id for binding in bound),
        },
        # Facts for webhooks are queued by what they are about.
        Key.PROVIDER_VISITOR: {
            *(row.external_visitor_id for row in rows),
            *(str(binding.visitor_id) for binding in bound if binding.visitor_id),
            *(f"client:{binding.pk}" for binding in bound),
            *(f"order:{order.order_ref}" for order in orders),
            *(f"invoice:{invoice}" for invoice in invoices),
        },
        Key.ORDER: {order.order_ref for order in orders},
        Key.INVOICE: invoices,
    }


def rows_of(subject: Subject) -> Iterator[RowsOfPerson]:
    """All rows of the person, without columns that are secret or of others."""
    for table in declared():
        for person, where in _ways_to(table, is_staff=subject.brand is None).items():
            condition = condition_of(table.model, where, subject)
            if condition is None:
                continue
            names = handed_out(table, person)
            found = table.model._base_manager.filter(condition).order_by("pk")
            rows = [_opened(table, row) for row in found.values(*names).iterator()]
            if rows:
                yield RowsOfPerson(declared=table, person=person, rows=rows)


def _ways_to(table: DeclaredModel, *, is_staff: bool) -> Mapping[Person, Where]:
    """Staff have an account, as clients have, and are named by what they did."""
    if not is_staff:
        return table.of
    ways: dict[Person, Where] = {}
    if Person.CLIENT in table.of:
        ways[Person.CLIENT] = table.of[Person.CLIENT]
    named: Where = {
        name: Key.USER
        for name, use in table.uses()
        if use.person is Person.STAFF and table.model._meta.get_field(name).is_relation
    }
    if named:
        ways[Person.STAFF] = named
    return ways


def condition_of(model: type[Model], where: Where, subject: Subject) -> Q | None:
    """None if nothing is known by which rows could be found."""
    if callable(where):
        return where(subject.keys)
    parts = []
    for path, key in where.items():
        values = subject.keys[key]
        if not values:
            continue
        if key is Key.EMAIL:
            part = reduce(or_, (Q(**{f"{path}__iexact": value}) for value in values))
        else:
            part = Q(**{f"{path}__in": values})
        if key.is_of_brand and subject.brand is not None and _has_brand(model):
            part &= Q(brand=subject.brand)
        parts.append(part)
    return reduce(or_, parts) if parts else None


def _has_brand(model: type[Model]) -> bool:
    return any(field.name == "brand" for field in model._meta.concrete_fields)


def _opened(table: DeclaredModel, row: dict[str, Any]) -> dict[str, Any]:
    return row | {
        name: read(row[name]) for name, read in table.opens.items() if row.get(name)
    }


STAYS = gettext_noop("{kept}. Stays when the person is erased")


def said_of(use: Use) -> dict[str, Any]:
    """The use in words."""
    kept = str(use.kept.text).format(count=_count(use))
    return {
        "person": str(use.person.label),
        "why": str(use.why),
        "ground": str(use.ground.label),
        "kept": gettext(STAYS).format(kept=kept) if use.stays else kept,
        "receivers": [str(receiver.label) for receiver in use.receivers],
    }


def _count(use: Use) -> object:
    return getattr(conf, use.kept.setting) if use.kept.setting else ""


def record_of_processing() -> list[dict[str, Any]]:
    """Each use in words, with the tables and columns that it is made of."""
    places: dict[Use, dict[str, list[str]]] = {}
    for table in declared():
        for name, use in table.uses():
            places.setdefault(use, {}).setdefault(table.name, []).append(name)
    order = list(Person)
    uses = sorted(places, key=lambda use: (order.index(use.person), str(use.why)))
    return [{**said_of(use), "places": places[use]} for use in uses]
