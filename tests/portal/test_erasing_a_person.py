"""Erasing a person leaves nothing but what the table of personal data says stays."""

from __future__ import annotations

from io import StringIO

from django.apps import apps
from django.core.management import call_command

from affiliates.ledger.models import AccountBalance
from affiliates.privacy.erasure.models import Erasure
from affiliates.privacy.erasure.selectors import emptied_columns
from affiliates.privacy.registry import declared
from affiliates.privacy.types import Person
from affiliates.program.models import Affiliate
from tests.factories.portal import StaffFactory
from tests.portal.personal_data import (
    FINDS,
    Canaries,
    make_affiliate,
    make_client,
)

ADA, BOB = "ada@example.com", "bob@example.com"
CANARY_LENGTH = 12


def columns(one, person):
    """Every column of rows that erasing this person reaches, those that stay too."""
    ways = (*one.of, *one.shared)
    if not any(person.owns(who) for who in ways):
        return []
    return [
        name
        for name, use in one.uses()
        if person.owns(use.person)
        and name not in FINDS.get(one.name, ())
        and _takes_a_canary(one.model._meta.get_field(name))
    ]


def _takes_a_canary(field):
    too_short = field.max_length is not None and field.max_length < CANARY_LENGTH
    return not (field.primary_key or too_short)


def is_erased(one, name, person):
    return name in emptied_columns(one, person) or any(
        person.owns(who) for who in one.deletes
    )


def everything_stored():
    """All columns of all rows of the database, as text; addresses decrypted."""
    found = []
    for model in apps.get_models(include_auto_created=True):
        if not model._meta.proxy:
            found += [str(row) for row in model._base_manager.values_list()]
    return "\n".join(found)


def erase(*options):
    said = StringIO()
    call_command("affiliates_erase_person", f"--email={ADA}", *options, stdout=said)
    return said.getvalue()


def _judge(person, written):
    by_name = {one.name: one for one in declared()}
    gone, stays = {}, {}
    for column, texts in written[ADA].items():
        table, _, name = column.rpartition(".")
        field = by_name[table].model._meta.get_field(name)
        if field.is_relation or name in by_name[table].opens:
            continue
        is_gone = is_erased(by_name[table], name, person)
        (gone if is_gone else stays)[column] = texts
    before = everything_stored()
    unseen = {
        name: [one for one in texts if one not in before]
        for name, texts in gone.items()
    }
    assert {name: found for name, found in unseen.items() if found} == {}

    erase("--yes")

    after = everything_stored()
    left = {
        name: [one for one in texts if one in after] for name, texts in gone.items()
    }
    lost = {
        name: [one for one in texts if one not in after]
        for name, texts in stays.items()
    }
    others = [one for texts in written[BOB].values() for one in texts]
    assert {name: found for name, found in left.items() if found} == {}
    assert {name: found for name, found in lost.items() if found} == {}
    assert [one for one in others if one in before and one not in after] == []
    assert ADA not in after
    assert BOB in after
    assert Erasure.objects.get().changed != {}


def test_a_client(brand, affiliate):
    StaffFactory()
    canaries = Canaries(columns)
    written = {
        email: canaries.write(Person.CLIENT, lambda: make_client(affiliate, email))  # noqa: B023 - called at once
        for email in (ADA, BOB)
    }

    _judge(Person.CLIENT, written)


def test_an_affiliate(brand, affiliate):
    canaries = Canaries(columns)
    written = {
        email: canaries.write(
            Person.AFFILIATE,
            lambda: make_affiliate(brand, email, affiliate),  # noqa: B023 - called at once
        )
        for email in (ADA, BOB)
    }
    Affiliate.objects.exclude(pk=affiliate.pk).update(status="suspended")
    AccountBalance.objects.update(amount=0)

    _judge(Person.AFFILIATE, written)
