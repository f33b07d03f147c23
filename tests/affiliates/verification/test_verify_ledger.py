"""The command that proves the books, on a small program in which everything happened."""

from __future__ import annotations

import pytest
from django.core.management import CommandError
from django.db import connection
from moneyed import Money

from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.payouts.models import Payout, PayoutEvent
from affiliates.payouts.rules import PayoutStatus
from affiliates.sales.models import InvoicePayment, Sale, SaleReversal
from tests.affiliates.verification.finding import findings, verify
from tests.append_only import unguarded
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.books import PayoutDestinationFactory
from tests.factories.ledger import NOW
from tests.factories.program import make_program
from tests.hosts.host import current_host
from tests.lengths import spread

pytestmark = pytest.mark.django_db

PENDING, HELD, APPROVED, PAID, REJECTED, REVERSED = (
    CommissionStatus.PENDING,
    CommissionStatus.HELD,
    CommissionStatus.APPROVED,
    CommissionStatus.PAID,
    CommissionStatus.REJECTED,
    CommissionStatus.REVERSED,
)


@pytest.fixture(scope="module")
def kept_program(keep_rows):
    return keep_rows(lambda: make_program(make_affiliate("Brand", "partner"), now=NOW))


@pytest.fixture
def stranger(db):
    """An affiliate of another brand."""
    return make_affiliate("Other", "stranger")


def make_affiliate(brand_name, code):
    brand = BrandFactory(name=brand_name, client_area=f"{code}.example.com")
    user = current_host().client(brand, email=f"{code}@example.com")
    return AffiliateFactory(brand=brand, user=user, code=code)


def posting(commission, kind):
    return LedgerPosting.objects.filter(commission=commission, kind=kind)


def entries(commission, kind):
    return LedgerEntry.objects.filter(posting__in=posting(commission, kind))


def test_a_program_in_which_everything_happened_agrees(program):
    lines, status = verify()

    assert lines == [
        "Read 1 brands, 1 affiliates, 8 orders, 8 payments, 3 refunds, 8 sales, "
        "3 refunded sales, 8 commissions, 16 steps of commissions, 8 receipts, "
        "3 payouts, 6 steps of payouts, 21 postings, 6 balances.",
        "Everything agrees.",
    ]
    assert status == 0


def test_reads_only_the_brand_asked_for(program, stranger):
    brand = program.in_payout.affiliate.brand
    AccountBalance.objects.update(amount=1)

    assert findings("--brand", "Other") == []
    assert len(findings("--brand", brand.name)) == 6
    assert len(findings("--brand", str(brand.pk))) == 6


def test_an_unknown_brand_is_refused(program):
    with pytest.raises(CommandError, match="no brand with the name or id Nobody") as no:
        verify("--brand", "Nobody")

    assert no.value.returncode == 2


def drop_posting(rows):
    LedgerEntry.objects.filter(posting__in=rows)._raw_delete(using="default")
    rows._raw_delete(using="default")


def corrupt_sale(program, **fields):
    sale = program.commissions[PENDING].sale
    Sale._base_manager.filter(pk=sale.pk).update(**fields)


def corrupt_payment(program, **fields):
    sale = program.commissions[PENDING].sale
    InvoicePayment.objects.filter(pk=sale.payment_id).update(**fields)


def corrupt_commission(program, which, **fields):
    Commission.objects.filter(pk=program.commissions[which].pk).update(**fields)


def corrupt_payout(program, which, **fields):
    rows = Payout.objects.filter(pk=program.payouts[which].pk)
    return rows.update(**fields)


# What somebody with a shell did, and what is found.
FAULTS = [
    (
        "an entry is gone",
        lambda program, other: (
            entries(program.commissions[HELD], "held")
            .filter(account="held")
            ._raw_delete(using="default")
        ),
        [
            "Commission is held with 1000 left, so 1000 must be held, but 0 is.",
            "Posting has 1 entries, not two: money has no other side.",
            "Posting sums to -1000, not to zero: money came from or went nowhere.",
            "Posting goes from pending to nothing: held money does not go that way.",
            "The held balance of affiliate in EUR is kept as 1000, but its entries sum "
            "to 0: rebuild the balances.",
        ],
    ),
    (
        "a posting is gone",
        lambda program, other: drop_posting(
            posting(program.commissions[PENDING], "earned")
        ),
        [
            "Commission is 1000, but the books have 0 as earned.",
            "Commission is pending with 1000 left, so 1000 must be pending, but 0 is.",
            "The expense balance of affiliate in EUR is kept as -5800, but its entries "
            "sum to -4800: rebuild the balances.",
            "The pending balance of affiliate in EUR is kept as 2000, but its entries "
            "sum to 1000: rebuild the balances.",
        ],
    ),
    (
        "an entry is of another amount",
        lambda program, other: (
            entries(program.commissions[APPROVED], "approved")
            .filter(account="payable")
            .update(amount=801)
        ),
        [
            "Commission is approved with 800 left, so 800 must be payable, but 801 is.",
            "Posting sums to 1, not to zero: money came from or went nowhere.",
            "The payable balance of affiliate in EUR is kept as 800, but its entries "
            "sum to 801: rebuild the balances.",
        ],
    ),
    (
        "an entry is of another currency",
        lambda program, other: (
            entries(program.commissions[HELD], "earned")
            .filter(account="expense")
            .update(currency="USD")
        ),
        [
            "Posting has entries in two currencies.",
            "The expense balance of affiliate in EUR is kept as -5800, but its entries "
            "sum to -4800: rebuild the balances.",
            "The expense balance of affiliate in USD is missing, but its entries sum to "
            "-1000: rebuild the balances.",
        ],
    ),
    (
        "an entry is another affiliate's",
        lambda program, other: (
            entries(program.commissions[HELD], "earned")
            .filter(account="expense")
            .update(affiliate=other)
        ),
        [
            "Posting has entries of two affiliates.",
            "The expense balance of affiliate in EUR is kept as -5800, but its entries "
            "sum to -4800: rebuild the balances.",
            "The expense balance of affiliate in EUR is missing, but its entries sum to "
            "-1000: rebuild the balances.",
        ],
    ),
    (
        "a posting goes the wrong way",
        lambda program, other: posting(program.commissions[HELD], "held").update(
            kind="approved"
        ),
        [
            "Posting goes from pending to held: approved money does not go that way.",
        ],
    ),
    (
        "a posting is of an unknown kind",
        lambda program, other: posting(program.commissions[HELD], "held").update(
            kind="gift"
        ),
        ["Posting is of an unknown kind, gift."],
    ),
    (
        "a posting names nothing",
        lambda program, other: posting(program.commissions[HELD], "held").update(
            commission=None
        ),
        [
            "Commission is held with 1000 left, so 0 must be pending, but 1000 is.",
            "Commission is held with 1000 left, so 1000 must be held, but 0 is.",
            "Posting must name one commission and nothing else, but does not.",
        ],
    ),
    (
        "a posting is another brand's",
        lambda program, other: posting(program.commissions[HELD], "held").update(
            brand=other.brand
        ),
        ["Posting has another brand, affiliate or currency than the row it names."],
    ),
    (
        "a posting was made twice",
        lambda program, other: posting(program.commissions[PENDING], "earned").update(
            commission=program.commissions[HELD]
        ),
        [
            "Commission is 1000, but the books have 0 as earned.",
            "Commission is pending with 1000 left, so 1000 must be pending, but 0 is.",
            "Commission is 1000, but the books have 2000 as earned.",
            "Commission is held with 1000 left, so 0 must be pending, but 1000 is.",
        ],
    ),
    (
        "a commission is of another amount",
        lambda program, other: corrupt_commission(program, PENDING, amount=900),
        [
            "Commission is 900, but its lines sum to 1000: nothing explains the "
            "difference.",
            "Commission is 900, but the books have 1000 as earned.",
            "Commission is pending with 900 left, so 900 must be pending, but 1000 is.",
        ],
    ),
    (
        "a commission's status was set by hand",
        lambda program, other: corrupt_commission(program, PENDING, status="approved"),
        [
            "Commission is approved, but its last step made it pending.",
            "Commission is approved with 1000 left, so 0 must be pending, but 1000 is.",
            "Commission is approved with 1000 left, so 1000 must be payable, but 0 is.",
        ],
    ),
    (
        "a reversed commission is not",
        lambda program, other: CommissionReversal.objects.filter(
            commission=program.commissions[REVERSED]
        ).update(amount=-999),
        [
            "Commission has reversals of 999, but the books took 1000 back.",
            "Commission is reversed, but only 999 of 1000 is.",
            "Sale has a commission of 1000, of which 999 was taken back, but by its "
            "refunds it is 1000.",
        ],
    ),
    (
        "more was taken back than there was",
        lambda program, other: CommissionReversal.objects.filter(
            commission=program.commissions[REVERSED]
        ).update(amount=-1001),
        [
            "Commission is 1000, but 1001 was taken back of it.",
            "Commission has reversals of 1001, but the books took 1000 back.",
            "Commission is reversed, but only 1001 of 1000 is.",
            "Sale has a commission of 1000, of which 1001 was taken back, but by its "
            "refunds it is 1000.",
        ],
    ),
    (
        "a line earned another amount",
        lambda program, other: CommissionLine.objects.filter(
            commission=program.commissions[PAID]
        ).update(amount=1001),
        [
            "Commission is 1000, but its lines sum to 1001: nothing explains the "
            "difference.",
            "Commission has a receipt of line 1 with amount 1000, but 1001 is on record.",
        ],
    ),
    (
        "a commission is of another currency",
        lambda program, other: corrupt_commission(program, HELD, currency="USD"),
        [
            "Commission is of another brand or currency than its sale.",
            "Commission has a receipt of line 1 with currency EUR, but USD is on record.",
            "Posting has another brand, affiliate or currency than the row it names.",
            "Posting has another brand, affiliate or currency than the row it names.",
        ],
    ),
    (
        "a step is gone",
        lambda program, other: CommissionEvent.objects.filter(
            commission=program.commissions[PAID], after="approved"
        )._raw_delete(using="default"),
        ["Commission went on from approved when it was pending."],
    ),
    (
        "a paid commission's payout is not paid",
        lambda program, other: corrupt_commission(
            program, PAID, payout=program.payouts[PayoutStatus.EXPORTED]
        ),
        ["Commission is paid, but its payout is exported."],
    ),
    (
        "an approved commission's payout is over",
        lambda program, other: corrupt_commission(
            program, APPROVED, payout=program.payouts[PayoutStatus.REJECTED]
        ),
        ["Commission is approved, but its payout is rejected already."],
    ),
    (
        "a pending commission is in a payout",
        lambda program, other: corrupt_commission(
            program, PENDING, payout=program.payouts[PayoutStatus.EXPORTED]
        ),
        ["Commission is pending, but in a payout."],
    ),
    (
        "a commission is in another affiliate's payout",
        lambda program, other: corrupt_payout(
            program,
            PayoutStatus.PAID,
            affiliate=other,
            destination=PayoutDestinationFactory(affiliate=other),
        ),
        [
            "Commission is in a payout of another brand, affiliate or currency.",
            "Posting has another brand, affiliate or currency than the row it names.",
            "Posting has another brand, affiliate or currency than the row it names.",
        ],
    ),
    (
        "a payout is of another amount",
        lambda program, other: corrupt_payout(
            program, PayoutStatus.EXPORTED, amount=1001
        ),
        [
            "Payout is 1001, but the books have 1000 as requested.",
            "Payout is exported, so 1001 must be clearing, but 1000 is.",
        ],
    ),
    (
        "a payout's status was set by hand",
        lambda program, other: corrupt_payout(
            program, PayoutStatus.EXPORTED, status="paid", finished_at=NOW
        ),
        [
            "Commission is approved, but its payout is paid already.",
            "Payout is paid, but its last step made it exported.",
            "Payout is paid, so 1000 must be paid, but the books have 0.",
            "Payout is paid, so 0 must be clearing, but 1000 is.",
            "Payout is paid, so 1000 must be paid_out, but 0 is.",
        ],
    ),
    (
        "a rejected payout was paid after all",
        lambda program, other: (
            corrupt_payout(program, PayoutStatus.REJECTED, status="paid")
            and PayoutEvent.objects.filter(
                payout=program.payouts[PayoutStatus.REJECTED], after="rejected"
            ).update(after="paid")
        ),
        [
            "Payout is paid, so 1000 must be paid, but the books have 0.",
            "Payout is paid, so 0 must be rejected, but the books have 1000.",
            "Payout is paid, so 1000 must be paid_out, but 0 is.",
        ],
    ),
    (
        "a payout goes to a stranger's destination",
        lambda program, other: corrupt_payout(
            program,
            PayoutStatus.EXPORTED,
            destination=PayoutDestinationFactory(affiliate=other),
        ),
        ["Payout goes to the destination of another affiliate."],
    ),
    (
        "a sale is of another amount",
        lambda program, other: corrupt_sale(program, net=Money("99.99", "EUR")),
        ["Sale has lines of 100.000 EUR but a net amount of 99.990 EUR."],
    ),
    (
        "a sale's payment has other lines",
        lambda program, other: corrupt_payment(program, lines=[]),
        [
            "Sale has lines of 0.000 EUR but a net amount of 100.000 EUR.",
            "Commission has 1 lines for an invoice that was paid of 0.",
        ],
    ),
    *(
        (
            f"a payment's lines are {garbage}",
            lambda program, other, lines=garbage: corrupt_payment(program, lines=lines),
            [
                "Sale rests on a document that cannot be read.",
                "Commission rests on a document that cannot be read.",
            ],
        )
        for garbage in ([{}], ["net"], [{"net": "ten"}], 5)
    ),
    (
        "a sale is of another currency",
        lambda program, other: corrupt_sale(program, net_currency="USD"),
        [
            "Sale has its payment or reversals in another currency than its own.",
            "Commission is of another brand or currency than its sale.",
        ],
    ),
    (
        "a sale is another brand's",
        lambda program, other: corrupt_sale(program, brand=other.brand),
        [
            "Sale has its payment or its affiliate from another brand.",
            "Commission is of another brand or currency than its sale.",
        ],
    ),
    (
        "more of a sale was taken back than there was",
        lambda program, other: SaleReversal._base_manager.filter(
            sale=program.commissions[REVERSED].sale
        ).update(net=Money("-100.01", "EUR")),
        [
            "Sale had 10001 taken back, but by its refunds it is 10000.",
            "Sale has reversals of 100.010 EUR, more than its net amount of "
            "100.000 EUR.",
        ],
    ),
    (
        "a balance drifted",
        lambda program, other: AccountBalance.objects.filter(account="payable").update(
            amount=799
        ),
        [
            "The payable balance of affiliate in EUR is kept as 799, but its entries "
            "sum to 800: rebuild the balances.",
        ],
    ),
    (
        "a balance is gone",
        lambda program, other: AccountBalance.objects.filter(account="held").delete(),
        [
            "The held balance of affiliate in EUR is missing, but its entries sum to "
            "1000: rebuild the balances.",
        ],
    ),
]


@spread(("corrupt", "expected"), FAULTS, example=12, sweep=3)
def test_finds_what_does_not_agree(program, stranger, corrupt, expected):
    with unguarded():
        corrupt(program, stranger)

    assert sorted(findings()) == sorted(expected)


def test_names_the_row(program):
    AccountBalance.objects.filter(account="held").update(amount=-5)
    commission = program.commissions[PAID]
    corrupt_commission(program, PAID, payout=program.payouts[PayoutStatus.EXPORTED])

    lines, status = verify()

    assert lines == [
        f"Commission {commission.pk} is paid, but its payout is exported.",
        f"The held balance of affiliate {commission.affiliate_id} in EUR is kept as -5, "
        "but its entries sum to 1000: rebuild the balances.",
        "Read 1 brands, 1 affiliates, 8 orders, 8 payments, 3 refunds, 8 sales, "
        "3 refunded sales, 8 commissions, 16 steps of commissions, 8 receipts, "
        "3 payouts, 6 steps of payouts, 21 postings, 6 balances.",
        "2 findings.",
    ]
    assert status == 1


def test_finds_a_trigger_that_is_gone(program):
    table = LedgerEntry._meta.db_table
    on_table = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_refuses_update{on_table}")

    lines, status = verify()

    assert lines[0] == (
        f"The trigger {table}_refuses_update is missing or switched off: rows can be "
        "changed unseen."
    )
    assert status == 1


def test_balance_in_parts_agrees(program):
    whole = AccountBalance.objects.get(account="held")
    AccountBalance.objects.filter(pk=whole.pk).update(amount=whole.amount - 3)
    part = AccountBalance.objects.create(
        affiliate_id=whole.affiliate_id,
        account="held",
        currency=whole.currency,
        part=7,
        amount=3,
    )

    assert not findings()

    AccountBalance.objects.filter(pk=part.pk).update(amount=4)
    [found] = findings()
    assert f"is kept as {whole.amount + 1}, but its entries sum to {whole.amount}" in (
        found
    )


def test_rebuilds_the_balances_from_the_entries(program):
    before = set(AccountBalance.objects.values_list("account", "currency", "amount"))
    AccountBalance.objects.filter(account="held").delete()
    AccountBalance.objects.update(amount=7)

    lines, status = verify("--rebuild-balances")

    assert lines[0] == "Summed 6 balances anew."
    assert lines[-1] == "Everything agrees."
    assert status == 0
    assert (
        set(AccountBalance.objects.values_list("account", "currency", "amount"))
        == before
    )


def test_rebuilds_only_the_balances_of_the_brand_asked_for(program, stranger):
    AccountBalance.objects.update(amount=7)

    lines, _ = verify("--rebuild-balances", "--brand", "Other")

    assert lines[0] == "Summed 0 balances anew."
    assert set(AccountBalance.objects.values_list("amount", flat=True)) == {7}
