"""What comparing an order with the provider's answer comes to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from moneyed import Money

from affiliates.contrib.reconciliation.rules import SETTLING, compare
from affiliates.contrib.reconciliation.types import (
    Agreement,
    ComparedDelivery,
    ComparedOrder,
    Payment,
    money,
)
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import CallOutcome, OutcomeKind, RemoteSale
from affiliates.referrals.rules import decision as referrals
from tests.cases import each

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
NOT_FOUND = CallOutcome(kind=OutcomeKind.NOT_FOUND, detail="Nothing there.")
DOWN = CallOutcome(kind=OutcomeKind.RETRY, detail="No connection to pap.example.")


def sale(**changes: Any) -> RemoteSale:
    fields: dict[str, Any] = {
        "remote_ref": "1f2e3d4c",
        "amount": Decimal("100.00"),
        "currency": "EUR",
        "status": "P",
        "affiliate": "testaff",
    }
    return RemoteSale(**{**fields, **changes})


def held(*sales: RemoteSale) -> CallOutcome:
    return CallOutcome(kind=OutcomeKind.OK, sales=sales)


def told(amount: str | None = "100.00", **changes: Any) -> ComparedDelivery:
    fields: dict[str, Any] = {
        "delivery_id": 1,
        "state": QueueState.SENT,
        "amount": None if amount is None else Decimal(amount),
        "currency": "EUR",
        "detail": "",
        "remote_ref": "",
        "is_due": False,
        "finished_at": NOW - timedelta(days=1),
    }
    return ComparedDelivery(**{**fields, **changes})


def paid(
    net: str = "100.00", *, taken_back: str = "0", currency: str = "EUR"
) -> Payment:
    return Payment(net=Money(net, currency), taken_back=Money(taken_back, currency))


def order(**changes: Any) -> ComparedOrder:
    """Decided for the integration's testaff, paid and delivered: 100.00 EUR."""
    fields: dict[str, Any] = {
        "referral_id": 1,
        "order_ref": "order-1",
        "invoice_ref": "invoice-1",
        "outcome": referrals.Outcome.THIRD_PARTY,
        "own_affiliate": "",
        "external_affiliate": "testaff",
        "is_for_integration": True,
        "payment": paid(),
        "sale": told(),
        "reversals": (),
    }
    return ComparedOrder(**{**fields, **changes})


def own_order(**changes: Any) -> ComparedOrder:
    """Decided for an affiliate of the brand's own."""
    fields: dict[str, Any] = {
        "outcome": referrals.Outcome.CREDITED,
        "own_affiliate": "partner",
        "external_affiliate": "",
        "is_for_integration": False,
        "sale": None,
    }
    return order(**{**fields, **changes})


WAITING_SALE = told(
    state=QueueState.RETRY, is_due=True, finished_at=None, detail="Status 503."
)
REFUSED_SALE = told(state=QueueState.FAILED, detail="Status 400.")
DEAD_SALE = told(state=QueueState.GIVEN_UP, detail="Given up after 30 days.")
HELD_SALE = told(state=QueueState.UNCLEAR, detail="No whole answer in time.")
PART = told("20.00", delivery_id=2)
WHOLE = told(None, delivery_id=2)
REFUSED_PART = told("20.00", state=QueueState.FAILED, detail="Refund it by hand.")
WAITING_PART = told("20.00", state=QueueState.WAITING, is_due=True, finished_at=None)
NUMBERED = order(external_affiliate="a1b2c3d4")

CASES = [
    ("as decided", order(), held(sale()), Agreement.AGREES),
    ("case of a name", order(), held(sale(affiliate="TestAff")), Agreement.AGREES),
    ("no names there", order(), held(sale(affiliate="")), Agreement.AGREES),
    ("currency not told", order(), held(sale(currency="")), Agreement.AGREES),
    ("amount not told", order(), held(sale(amount=None)), Agreement.AGREES),
    (
        "rounded to cents",
        order(payment=paid("10.005", currency="KWD")),
        held(sale(amount=Decimal("10.01"), currency="KWD")),
        Agreement.AGREES,
    ),
    (
        "without decimals",
        order(payment=paid("1000", currency="JPY")),
        held(sale(amount=Decimal("1000.00"), currency="JPY")),
        Agreement.AGREES,
    ),
    ("not paid", order(payment=None, sale=None), NOT_FOUND, Agreement.NOT_PAID),
    ("own, nothing there", own_order(), NOT_FOUND, Agreement.NOT_OURS_TO_SEND),
    ("own, declined", own_order(), held(sale(status="D")), Agreement.NOT_OURS_TO_SEND),
    ("own, held there", own_order(), held(sale()), Agreement.HELD_THERE_TOO),
    (
        "nobody's, held there",
        own_order(outcome=referrals.Outcome.NOBODY, own_affiliate=""),
        held(sale()),
        Agreement.HELD_THERE_TOO,
    ),
    ("taken, there", own_order(sale=told()), held(sale()), Agreement.HELD_THERE_TOO),
    (
        "taken, a part back",
        own_order(sale=told(), reversals=(PART,)),
        held(sale()),
        Agreement.HELD_THERE_TOO,
    ),
    (
        "taken, refused",
        own_order(sale=told(), reversals=(PART, REFUSED_PART)),
        held(sale()),
        Agreement.HELD_THERE_TOO,
    ),
    (
        "taken, not yet back",
        own_order(sale=told(), reversals=(PART, WAITING_PART)),
        held(sale()),
        Agreement.WAITING,
    ),
    (
        "taken, whole back",
        own_order(sale=told(), reversals=(WHOLE,)),
        held(sale()),
        Agreement.NOT_OURS_TO_SEND,
    ),
    (
        "taken, all parts back",
        own_order(sale=told(), reversals=(PART, told("80.00", delivery_id=3))),
        held(sale()),
        Agreement.NOT_OURS_TO_SEND,
    ),
    (
        "taken, gone there",
        own_order(sale=told(), reversals=(WHOLE,)),
        NOT_FOUND,
        Agreement.NOT_OURS_TO_SEND,
    ),
    ("both", order(own_affiliate="partner"), held(sale()), Agreement.AGREES),
    ("waiting", order(sale=WAITING_SALE), NOT_FOUND, Agreement.WAITING),
    ("refused", order(sale=REFUSED_SALE), NOT_FOUND, Agreement.FAILED_HERE),
    ("given up", order(sale=DEAD_SALE), NOT_FOUND, Agreement.FAILED_HERE),
    ("left to a person", order(sale=HELD_SALE), NOT_FOUND, Agreement.FAILED_HERE),
    ("never queued", order(sale=None), NOT_FOUND, Agreement.FAILED_HERE),
    ("given up, yet there", order(sale=DEAD_SALE), held(sale()), Agreement.AGREES),
    ("dropped", order(), NOT_FOUND, Agreement.MISSING_THERE),
    (
        "dropped a moment ago",
        order(sale=told(finished_at=NOW - SETTLING + timedelta(seconds=1))),
        NOT_FOUND,
        Agreement.WAITING,
    ),
    (
        "dropped long enough ago",
        order(sale=told(finished_at=NOW - SETTLING)),
        NOT_FOUND,
        Agreement.MISSING_THERE,
    ),
    ("less", order(), held(sale(amount=Decimal("99.99"))), Agreement.DIFFERENT_AMOUNT),
    (
        "hardly less",
        order(payment=paid("100.4")),
        held(sale(amount=Decimal(100))),
        Agreement.DIFFERENT_AMOUNT,
    ),
    (
        "another currency",
        order(),
        held(sale(currency="USD")),
        Agreement.DIFFERENT_AMOUNT,
    ),
    (
        "absurd",
        order(),
        held(sale(amount=Decimal("1E+500"))),
        Agreement.DIFFERENT_AMOUNT,
    ),
    (
        "an internal number",
        order(),
        held(sale(affiliate="11111111")),
        Agreement.NAMES_UNCLEAR,
    ),
    (
        "two numbers",
        NUMBERED,
        held(sale(affiliate="11111111")),
        Agreement.DIFFERENT_AFFILIATE,
    ),
    (
        "numbers of other lengths",
        NUMBERED,
        held(sale(affiliate="111111")),
        Agreement.NAMES_UNCLEAR,
    ),
    ("declined", order(), held(sale(status="D")), Agreement.DECLINED_THERE),
    (
        "disapproved",
        order(),
        held(sale(status="disapproved")),
        Agreement.DECLINED_THERE,
    ),
    ("twice", order(), held(sale(), sale()), Agreement.HELD_TWICE),
    (
        "twice, one declined",
        order(),
        held(sale(), sale(status="D")),
        Agreement.HELD_TWICE,
    ),
    (
        "twice, both declined",
        order(),
        held(sale(status="D"), sale(status="D")),
        Agreement.DECLINED_THERE,
    ),
    (
        "part taken back, sale kept",
        order(payment=paid(taken_back="20"), reversals=(PART,)),
        held(sale()),
        Agreement.AGREES,
    ),
    (
        "part taken back, sale lowered",
        order(payment=paid(taken_back="20"), reversals=(PART,)),
        held(sale(amount=Decimal("80.00"))),
        Agreement.AGREES,
    ),
    (
        "lowered before it was told",
        order(payment=paid(taken_back="20"), reversals=(WAITING_PART,)),
        held(sale(amount=Decimal("80.00"))),
        Agreement.DIFFERENT_AMOUNT,
    ),
    (
        "refund waiting",
        order(payment=paid(taken_back="20"), reversals=(WAITING_PART,)),
        held(sale(affiliate="11111111")),
        Agreement.WAITING,
    ),
    (
        "refund refused",
        order(payment=paid(taken_back="20"), reversals=(REFUSED_PART,)),
        held(sale()),
        Agreement.REVERSAL_DIFFERS,
    ),
    (
        "refund not told",
        order(payment=paid(taken_back="20")),
        held(sale()),
        Agreement.REVERSAL_DIFFERS,
    ),
    (
        "taken back whole, declined",
        order(payment=paid(taken_back="100"), reversals=(WHOLE,)),
        held(sale(status="D")),
        Agreement.AGREES,
    ),
    (
        "taken back whole, gone",
        order(payment=paid(taken_back="100"), reversals=(WHOLE,)),
        NOT_FOUND,
        Agreement.AGREES,
    ),
    (
        "taken back whole, refund recorded beside",
        order(payment=paid(taken_back="100"), reversals=(WHOLE,)),
        held(sale()),
        Agreement.AGREES,
    ),
    (
        "taken back in part, gone",
        order(payment=paid(taken_back="20"), reversals=(PART,)),
        NOT_FOUND,
        Agreement.MISSING_THERE,
    ),
    ("no answer", order(), DOWN, Agreement.NOT_ASKED),
    ("no answer, own", own_order(), DOWN, Agreement.NOT_ASKED),
    ("no answer, waiting", order(sale=WAITING_SALE), DOWN, Agreement.WAITING),
    ("no answer, refused", order(sale=REFUSED_SALE), DOWN, Agreement.FAILED_HERE),
    ("an answer that says nothing", order(), held(), Agreement.NOT_ASKED),
]


@each(("_case", "facts", "answer", "verdict"), CASES)
def test_verdict(facts, answer, verdict):
    line = compare(facts, answer, names={}, now=NOW)

    assert line.verdict is verdict
    assert line.reason.endswith(".")


def test_no_sale_is_shown_where_none_was_read():
    assert compare(order(), DOWN, names={}, now=NOW).held == ()
    assert compare(order(), held(sale()), names={}, now=NOW).held == (sale(),)


def test_what_a_person_need_not_look_at_is_no_difference():
    assert [verdict for verdict in Agreement if not verdict.is_difference] == [
        Agreement.AGREES,
        Agreement.NAMES_UNCLEAR,
        Agreement.NOT_PAID,
        Agreement.NOT_OURS_TO_SEND,
        Agreement.WAITING,
        Agreement.NOT_ASKED,
    ]


def test_another_affiliate_of_the_same_link_is_told_by_an_earlier_order():
    answer = held(sale(affiliate="22222222"))

    line = compare(order(), answer, names={"testaff": "11111111"}, now=NOW)

    assert line.verdict is Agreement.DIFFERENT_AFFILIATE
    assert "credits another order of the affiliate testaff to 11111111" in line.reason
    assert "this one to 22222222" in line.reason


def test_the_same_number_as_before_proves_nothing():
    answer = held(sale(affiliate="11111111"))

    line = compare(order(), answer, names={"testaff": "11111111"}, now=NOW)

    assert line.verdict is Agreement.NAMES_UNCLEAR


def test_every_difference_is_told_under_the_first_ones_verdict():
    facts = order(
        external_affiliate="a1b2c3d4",
        payment=paid(taken_back="20"),
        reversals=(REFUSED_PART,),
    )
    answer = held(sale(amount=Decimal(90), currency="USD", affiliate="11111111"))

    line = compare(facts, answer, names={}, now=NOW)

    assert line.verdict is Agreement.DIFFERENT_AMOUNT
    assert line.reason == (
        "The invoice was paid with €100.00 net, the provider holds $90.00. It may "
        "have converted the amount. A refund of €20.00 was not taken back there. "
        "Failed. Refund it by hand. The visitor's link named the "
        "affiliate a1b2c3d4, the provider credits 11111111: unless both are the same "
        "affiliate there, it preferred another link of the visitor's."
    )


@pytest.mark.parametrize(
    ("_case", "facts", "answer", "reason"),
    [
        (
            "stored reason of what was refused",
            order(sale=REFUSED_SALE),
            NOT_FOUND,
            "The sale was not delivered. Failed. Status 400.",
        ),
        (
            "stored reason of what waits",
            order(sale=WAITING_SALE),
            NOT_FOUND,
            "The sale is not delivered yet. Will be sent again. Status 503.",
        ),
        (
            "why nobody answered",
            order(),
            DOWN,
            "What the provider holds is not known. No connection to pap.example.",
        ),
        (
            "who is credited and what is held there",
            own_order(),
            held(sale()),
            "The order was decided for the brand's own affiliate partner and no sale was "
            "sent, yet the provider holds €100.00 for testaff (status P). Something "
            "else reports sales to it, such as a script on a page of the shop: switch "
            "that off, and decline the sale there.",
        ),
        (
            "that staff took it after it was sent",
            own_order(sale=told(), reversals=(REFUSED_PART,)),
            held(sale()),
            "Staff gave the order to the brand's own affiliate partner after its sale "
            "was sent, yet the provider holds €100.00 for testaff (status P): decline "
            "the sale there.",
        ),
    ],
)
def test_reason_says(_case, facts, answer, reason):
    assert compare(facts, answer, names={}, now=NOW).reason == reason


@pytest.mark.parametrize("cause", ["currency", "repeated", "expired", "forgets"])
def test_usual_causes_of_a_missing_sale_are_named(cause):
    assert cause in compare(order(), NOT_FOUND, names={}, now=NOW).reason


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("100", "€100.00"),
        ("100.000", "€100.00"),
        ("10.005", "€10.005"),
        ("0", "€0.00"),
        ("1E+3", "€1,000.00"),
        (None, "an unknown amount"),
    ],
)
def test_money_is_written_with_two_decimals_or_all_it_has(amount, text):
    assert money(None if amount is None else Decimal(amount), "EUR") == text
