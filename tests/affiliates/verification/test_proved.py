"""What was proved is skipped while it has not changed; changes are found all the same."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import call_command

from affiliates.sales.models import InvoicePayment
from affiliates.verification.proved.models import ProvedRange

pytestmark = pytest.mark.django_db


def verify(*arguments):
    """What the command prints, and its exit status."""
    output = StringIO()
    try:
        call_command("verify_ledger", "--deep", *arguments, stdout=output)
    except SystemExit as end:
        return output.getvalue().splitlines(), end.code
    return output.getvalue().splitlines(), 0


def test_rows_that_were_proved_and_have_not_changed_are_skipped(program):
    first, status = verify()
    again = verify()[0]
    everything = verify("--all")[0]

    assert status == 0
    assert "decisions repeated" in first[0]
    assert "decisions repeated" not in again[0]
    assert re.fullmatch(
        r"Skipped \d+ that were proved before and have not changed: --all reads them\.",
        again[1],
    )
    assert everything == first


def test_changed_row_is_found_until_it_is_put_right(program):
    verify()
    payment = program.commission("held").sale.payment
    rows = InvoicePayment.objects.filter(pk=payment.pk)
    rows.update(payment_ref="another")

    found = [verify() for _ in range(2)]

    fault = (
        f"Invoice payment {payment.pk} is not as it was written: something else than "
        "the product changed it."
    )
    assert [(fault in lines, status) for lines, status in found] == [(True, 1)] * 2
    rows.update(payment_ref=payment.payment_ref)
    assert verify()[1] == 0


def test_other_version_proves_everything_again(program, monkeypatch):
    first = verify()[0]

    monkeypatch.setattr(
        "affiliates.verification.proved.proofs.__version__", "another version"
    )

    assert verify()[0] == first


def test_one_brand_is_verified_without_proofs(program):
    verify("--brand", program.world.brand.name)

    assert not ProvedRange.objects.exists()
