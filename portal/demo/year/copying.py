"""Writes stories again: for another affiliate, client and day, with keys of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from django.core.management.color import no_style
from django.db import connection
from django.db.models import IntegerField, Max

from affiliates.encrypted.addresses import seal_address
from affiliates.ledger.services import rebuild_balances
from affiliates.program.models import Affiliate, AffiliateLink
from portal.billing.models import Invoice, InvoiceCounter
from portal.demo.seeding.copies import Place, Source, render
from portal.demo.seeding.rows import Table
from portal.demo.seeding.template import COPY_MARK
from portal.demo.seeding.writing import write_rows
from portal.demo.year.program import Program
from portal.demo.year.stories import (
    FIRST_NAME,
    IP_MARK,
    LAST_NAME,
    PERSON,
    REFERRER_MARK,
    RIVAL_REFERRER_MARK,
    RIVALS,
    Kind,
    Stories,
)
from portal.demo.year.traffic import Caller

INVOICES = Invoice._meta.db_table
# In place of a visit without a referrer.
WEBMAIL = "mail.google.com"


class Client(NamedTuple):
    firstname: str
    lastname: str
    mailbox: str


class Rival(NamedTuple):
    link: AffiliateLink
    referrer: str


class Ordered(NamedTuple):
    """One copy that is wanted. It has a rival if its kind has a rivalry."""

    kind: Kind
    link: AffiliateLink
    day: date
    client: Client
    caller: Caller
    rival: Rival | None = None


class Copier:
    def __init__(self, program: Program, stories: Stories) -> None:
        self._program, self._stories = program, stories
        self._number = 0
        self._tables: dict[str, Table] = {}
        for source in stories.templates.values():
            self._tables |= source.template.snapshot.tables

    def write(self, wanted: Sequence[Ordered]) -> None:
        counter, _ = InvoiceCounter.objects.get_or_create(
            brand=self._program.brand, defaults={"last_number": 0}
        )
        keys = self._next_keys()
        texts: dict[str, list[str]] = defaultdict(list)
        for order in wanted:
            source = self._stories.templates[order.kind]
            place = self._place(order, source, keys, counter.last_number + 1)
            counter.last_number += len(source.numbers.get(INVOICES, ()))
            for name, count in source.counts.items():
                keys[name] += count
            rendered = render(
                source, self._stories.group, place=place, group_place=place
            )
            for name, text in rendered.items():
                texts[name].append(text)
        write_rows(self._tables, texts)
        counter.save(update_fields=["last_number"])
        self._go_on_after(texts)
        rebuild_balances(brand_id=self._program.brand.pk)

    def _place(
        self, order: Ordered, source: Source, keys: dict[str, int], first_invoice: int
    ) -> Place:
        self._number += 1
        told_on = self._stories.told_at.now.date()
        return Place(
            number=self._number,
            days=(order.day - told_on).days,
            bases=dict(keys),
            first_numbers={INVOICES: first_invoice},
            texts=self._texts(order),
        )

    def _texts(self, order: Ordered) -> dict[tuple[str, str], str]:
        told, plan = self._stories.links, order.kind.plan
        texts = _texts_of(told[plan], order.link)
        if order.rival is not None:
            texts |= _texts_of(told[RIVALS[plan]], order.rival.link)
            texts["", RIVAL_REFERRER_MARK] = order.rival.referrer or WEBMAIL
        return texts | {
            ("", COPY_MARK): order.client.mailbox,
            ("", seal_address(IP_MARK)): seal_address(order.caller.ip_prefix),
            ("", REFERRER_MARK): order.caller.referrer or WEBMAIL,
            ("portal_user.firstname", FIRST_NAME): order.client.firstname,
            ("portal_user.lastname", LAST_NAME): order.client.lastname,
            ("affiliates_click.user_agent", PERSON): order.caller.user_agent,
            ("affiliates_click.country", ""): order.caller.country,
            ("affiliates_click.sub_id", ""): order.caller.sub_id,
        }

    def _next_keys(self) -> dict[str, int]:
        return {
            name: _last_key(table) + 1 for name, table in sorted(self._tables.items())
        }

    def _go_on_after(self, texts: dict[str, list[str]]) -> None:
        """PostgreSQL's sequences do not notice rows that bring their keys."""
        models = [self._tables[name].model for name in texts]
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), models):
                cursor.execute(statement)


def _texts_of(told: AffiliateLink, link: AffiliateLink) -> dict[tuple[str, str], str]:
    """The texts of a link and its affiliate in place of those of a story."""
    told_user, user = str(told.affiliate.user_id), str(link.affiliate.user_id)
    return {
        (Affiliate._meta.db_table, str(told.affiliate_id)): str(link.affiliate_id),
        (AffiliateLink._meta.db_table, str(told.pk)): str(link.pk),
        ("", told.hash): link.hash,
        ("", told_user): user,
        ("", told_user.replace("-", "")): user.replace("-", ""),
        ("", told.affiliate.code): link.affiliate.code,
    }


def _last_key(table: Table) -> int:
    if not isinstance(table.model._meta.pk, IntegerField):
        return 0
    return table.model._base_manager.aggregate(last=Max("pk"))["last"] or 0
