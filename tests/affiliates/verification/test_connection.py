"""The command on a connection that is in no transaction, and on an empty program."""

from __future__ import annotations

import pytest
from django.db import connection

from affiliates.ledger.models import AccountBalance
from tests.affiliates.verification.finding import findings, verify
from tests.factories.program import make_program


@pytest.mark.django_db
def test_an_empty_program_agrees():
    assert verify() == (["Read nothing: there are no rows.", "Everything agrees."], 0)


@pytest.mark.django_db(transaction=True)
def test_changes_nothing_and_leaves_the_connection_as_it_was(affiliate, now):
    make_program(affiliate, now=now)
    findings()

    assert connection.get_autocommit()
    assert not connection.in_atomic_block
    AccountBalance.objects.update(amount=7)
    assert len(findings()) == 6
