"""What was proved is skipped while it has not changed; changes are found all the same."""

from __future__ import annotations

import re
from copy import deepcopy

import pytest

from affiliates.sales.models import InvoicePayment
from affiliates.verification.proved.models import ProvedRange
from tests.affiliates.verification.finding import verify
from tests.factories.programs import sell_once


@pytest.fixture(scope="module")
def kept(keep_rows):
    """A brand with a paid order, and what its first verification printed."""
    return keep_rows(lambda: (sell_once(), verify("--deep")))


@pytest.fixture
def world(db, kept):
    return deepcopy(kept[0])


def test_rows_that_were_proved_and_have_not_changed_are_skipped(world, kept):
    first, status = kept[1]

    again = verify("--deep")[0]
    everything = verify("--deep", "--all")[0]

    assert status == 0
    assert "decisions repeated" in first[0]
    assert "decisions repeated" not in again[0]
    assert re.fullmatch(
        r"Skipped \d+ that were proved before and have not changed: --all reads them\.",
        again[1],
    )
    assert everything == first


def test_changed_row_is_found_until_it_is_put_right(world):
    payment = InvoicePayment.objects.get()
    rows = InvoicePayment.objects.filter(pk=payment.pk)
    rows.update(payment_ref="another")

    printed = [verify("--deep") for _ in range(2)]

    fault = (
        f"Invoice payment {payment.pk} is not as it was written: something else than "
        "the product changed it."
    )
    assert [(fault in lines, status) for lines, status in printed] == [(True, 1)] * 2
    rows.update(payment_ref=payment.payment_ref)
    assert verify("--deep")[1] == 0


def test_other_version_proves_everything_again(world, kept, monkeypatch):
    monkeypatch.setattr(
        "affiliates.verification.proved.proofs.__version__", "another version"
    )

    assert verify("--deep") == kept[1]


def test_one_brand_is_verified_without_proofs(world):
    ProvedRange.objects.all().delete()

    verify("--deep", "--brand", world.brand.name)

    assert not ProvedRange.objects.exists()
