"""Invoice lines: kept as the host sent them, rounded once where they are counted."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from moneyed import Money, get_currency

from affiliates.commissions.amounts import line_facts
from affiliates.errors import InvalidInput
from affiliates.sales.invoice_lines import to_json
from affiliates.sales.models import InvoicePayment
from affiliates.settlement.services import record_payment
from tests.affiliates.settlement.conftest import line
from tests.lengths import in_steps

EUR = get_currency("EUR")


def base_of(net: Decimal) -> int:
    stored = to_json(replace(line("Hosting", "0"), net=Money(net, EUR)))
    return line_facts(stored, position=1, currency=EUR).net


@in_steps(example=17, sweep=1)
def test_base_of_an_unrounded_net_is_rounded_once(step):
    wrong = [
        cents
        for cents in range(1, 100_001, step)
        # Half up in whole numbers: 19 % on top makes 119 of 100.
        if base_of(Decimal(cents) / 100 / Decimal("1.19")) != (200 * cents + 119) // 238
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("amount", "base"),
    [
        ("9.1848739495798319327731092437", 918),
        ("9.1850", 919),
        ("9.18499999999999999999999999999999999999999999999999", 918),
        ("-9.185", -919),
        ("1E+2", 10_000),
        ("0.004999999999999999999999999999", 0),
    ],
)
def test_every_digit_counts(amount, base):
    assert base_of(Decimal(amount)) == base


@pytest.mark.parametrize("field", ["net", "discount", "credit"])
@pytest.mark.parametrize(
    ("amount", "message"),
    [
        ("1E-51", "Amounts have at most 50 decimals."),
        ("1E-999999", "Amounts have at most 50 decimals."),
        ("999999999999.9995", "Amounts must be below 1,000,000,000,000."),
    ],
)
def test_amount_that_cannot_be_kept_is_refused(
    field, amount, message, order_referral, payment, now
):
    odd = replace(payment.lines[0], **{field: Money(amount, "EUR")})

    with pytest.raises(InvalidInput) as refusal:
        record_payment(replace(payment, lines=(odd,)), now=now)

    assert (refusal.value.code, str(refusal.value)) == ("invalid_amount", message)
    assert InvoicePayment.objects.count() == 0


def test_currency_finer_than_is_kept_is_refused(order_referral, payment, now):
    with pytest.raises(InvalidInput) as refusal:
        record_payment(replace(payment, gross=Money("1", "CLF"), lines=()), now=now)

    assert refusal.value.code == "invalid_currency"
    assert InvoicePayment.objects.count() == 0
