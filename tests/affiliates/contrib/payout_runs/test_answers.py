"""What answers of banks and PayPal do: to the payout they name, once, or nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.commissions.models import Commission
from affiliates.contrib.payout_runs.models import PayoutAnswer, PayoutAnswerLine
from affiliates.contrib.payout_runs.services import answers
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
    preview_answer,
)
from affiliates.db.seals import seal_field
from affiliates.emails.models import Email
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.verification.verify import Verification
from tests.affiliates.payouts.bank import (
    decimal,
    paid,
    paypal_items,
    returned,
    statement,
    status_report,
)
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.races import at_once, needs_postgresql


def ref(affiliate) -> str:
    return f"PAYOUT-{affiliate.payouts.latest('pk').pk}"


def did(answer) -> list[tuple[str, str]]:
    return list(answer.lines.values_list("step", "reason"))


def test_statement_confirms_what_was_paid_and_gives_back_what_failed(
    earner, released, answered, staff, now
):
    good, bad = earner("good", 12_345), earner("bad")
    run = released()
    later = now + timedelta(days=1)

    answer = answered(
        statement(paid(ref(good), 12_345, number=7), returned(ref(bad), 10_000)),
        at=later,
    )

    assert did(answer) == [("confirm", ""), ("reject", "AC04 Account closed")]
    assert (standing(good), standing(bad)) == ((0, 0, 12_345), (10_000, 0, 0))
    payout = good.payouts.get()
    assert (payout.status, payout.remote_ref, payout.finished_at) == (
        "paid",
        "BANK-7",
        later,
    )
    assert bad.payouts.get().reason == "AC04 Account closed"
    assert payout.events.last().actor_id == staff.pk
    assert answer.applied_at == later
    assert run.files.count() == 1


def test_the_seal_holds_once_the_file_is_erased(earner, released, answered):
    affiliate = earner("good")
    released()
    answer = answered(statement(paid(ref(affiliate), 10_000)))
    answer.refresh_from_db()
    seal = seal_field(PayoutAnswer)
    assert (answer.entries != "", seal.seal_of(answer)) == (True, answer.seal)

    seal.erase(answer, number=1)

    assert (answer.entries, seal.seal_of(answer)) == ("", answer.seal)


def test_same_file_again_changes_nothing(earner, released, answered, now):
    affiliate = earner("good")
    released()
    content = statement(paid(ref(affiliate), 10_000))
    answered(content)

    with nothing_written():
        answered(content, at=now + timedelta(days=1))


def test_same_payment_in_another_file_changes_no_payout(earner, released, answered):
    affiliate = earner("good")
    released()
    answered(statement(paid(ref(affiliate), 10_000)))

    again = answered(statement(paid(ref(affiliate), 10_000), head="<!-- b -->"))

    assert did(again) == [("nothing", "")]
    assert standing(affiliate) == (0, 0, 10_000)


def test_later_return_is_undone_by_postings(earner, released, answered, now):
    affiliate = earner("good")
    released()
    answered(statement(paid(ref(affiliate), 10_000)))
    payout = affiliate.payouts.get()
    before = list(payout.postings.values_list("pk", flat=True))

    answered(statement(returned(ref(affiliate), 10_000)), at=now + timedelta(days=9))

    payout.refresh_from_db()
    assert (payout.status, payout.reason) == ("returned", "AC04 Account closed")
    assert standing(affiliate) == (10_000, 0, 0)
    assert list(payout.postings.values_list("kind", flat=True)) == [
        "payout_requested",
        "payout_paid",
        "payout_returned",
    ]
    assert set(before) <= set(payout.postings.values_list("pk", flat=True))
    assert steps_of(payout)[-1] == ("paid", "returned")
    commission = Commission.objects.get()
    assert (commission.status, commission.payout_id) == ("approved", None)
    names = PayoutStatement.objects.order_by("pk").values_list("name", "amount")
    assert list(names) == [("1", 10_000), ("2", -10_000)]
    assert PayoutStatement.objects.get(kind="returned").document["corrects"] == "1"
    next_one = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    assert next_one.amount == 10_000


def test_payment_and_its_return_in_one_file_whatever_comes_first(
    earner, released, answered
):
    affiliate = earner("good")
    released()

    answer = answered(
        statement(returned(ref(affiliate), 10_000), paid(ref(affiliate), 10_000))
    )

    assert [step for step, _ in did(answer)] == ["confirm", "return"]
    assert standing(affiliate) == (10_000, 0, 0)


@pytest.mark.parametrize(
    ("_case", "entry", "reason"),
    [
        (
            "another amount",
            ("{ref}", 9_999),
            "{payout} is of €100.00, the file says 99.99 EUR.",
        ),
        (
            "no reference of ours",
            ("RENT-5", 10_000),
            "No payout of this brand has the reference RENT-5.",
        ),
        (
            "a number alone",
            ("{number}", 10_000),
            "No payout of this brand has the reference {number}.",
        ),
        (
            "an unknown payout",
            ("PAYOUT-0", 10_000),
            "No payout of this brand has the reference PAYOUT-0.",
        ),
        (
            "not provided",
            ("NOTPROVIDED", 10_000),
            "The line names no payout.",
        ),
    ],
)
def test_what_does_not_match_wholly_marks_nobody(
    earner, released, answered, _case, entry, reason
):
    affiliate = earner("good")
    released()
    payout = affiliate.payouts.get()
    names = {"ref": ref(affiliate), "number": payout.pk, "payout": payout}

    answer = answered(statement(paid(entry[0].format(**names), entry[1])))

    assert did(answer) == [("unmatched", reason.format(**names))]
    assert answer.lines.get().payout is None
    assert standing(affiliate) == (0, 10_000, 0)


def test_other_currency_marks_nobody(earner, released, answered):
    affiliate = earner("good")
    released()

    answer = answered(statement(paid(ref(affiliate), 10_000, currency="CHF")))

    assert [step for step, _ in did(answer)] == ["unmatched"]
    assert standing(affiliate) == (0, 10_000, 0)


def test_one_affiliates_reference_with_anothers_amount_marks_neither(
    earner, released, answered
):
    one, other = earner("one", 10_000), earner("other", 20_000)
    released()

    answer = answered(statement(paid(ref(one), 20_000), paid(ref(other), 10_000)))

    assert [step for step, _ in did(answer)] == ["unmatched", "unmatched"]
    assert (standing(one), standing(other)) == ((0, 10_000, 0), (0, 20_000, 0))


def test_another_brands_file_marks_nobody(earner, released, answered):
    affiliate = earner("good")
    released()
    elsewhere = BrandFactory(client_area="other.example.net")

    answer = answered(statement(paid(ref(affiliate), 10_000)), of=elsewhere)

    assert [step for step, _ in did(answer)] == ["unmatched"]
    assert [verdict.step for _, _, verdict in preview_answer(answer)] == ["unmatched"]
    assert standing(affiliate) == (0, 10_000, 0)


def test_paypals_file_marks_no_transfer_of_the_banks(earner, released, answered):
    affiliate = earner("good")
    released()

    answer = answered(paypal_items((ref(affiliate), "SUCCESS", 10_000)))

    payout = affiliate.payouts.get()
    assert did(answer) == [
        ("unmatched", f"{payout} is paid otherwise: Bank transfer (SEPA).")
    ]


def test_what_was_never_in_a_file_is_not_marked(earner, drafted, answered):
    affiliate = earner("good")
    drafted()

    answer = answered(statement(paid(ref(affiliate), 10_000)))

    payout = affiliate.payouts.get()
    assert did(answer) == [("unmatched", f"{payout} was never in a file.")]
    assert standing(affiliate) == (0, 10_000, 0)


def test_second_payment_of_one_payout_is_said(earner, released, answered):
    affiliate = earner("good")
    released()

    answer = answered(
        statement(
            paid(ref(affiliate), 10_000, number=1),
            paid(ref(affiliate), 10_000, number=2),
        )
    )

    payout = affiliate.payouts.get()
    assert did(answer) == [
        ("confirm", ""),
        ("unmatched", f"{payout} is paid by an earlier line: was it paid twice?"),
    ]
    assert standing(affiliate) == (0, 0, 10_000)


def test_payment_of_a_rejected_one_is_said(earner, released, answered):
    affiliate = earner("good")
    released()
    answered(statement(returned(ref(affiliate), 10_000)))

    answer = answered(statement(paid(ref(affiliate), 10_000)))

    payout = affiliate.payouts.get()
    assert did(answer) == [
        ("unmatched", f"{payout} is rejected: was it paid all the same?")
    ]


def test_only_booked_entries_count(earner, released, answered):
    affiliate = earner("good")
    released()

    answer = answered(statement(paid(ref(affiliate), 10_000, status="PDNG")))

    assert did(answer) == [("wait", "Announced, not booked yet.")]
    assert standing(affiliate) == (0, 10_000, 0)


def test_status_report_rejects_and_never_confirms(earner, released, answered):
    good, bad = earner("good"), earner("bad")
    released()

    answer = answered(
        status_report(
            (ref(good), "ACSC", 10_000, ""), (ref(bad), "RJCT", 10_000, "AC01")
        )
    )

    assert did(answer) == [
        ("wait", "The bank has taken it (ACSC)."),
        ("reject", "AC01"),
    ]
    assert (standing(good), standing(bad)) == ((0, 10_000, 0), (10_000, 0, 0))


def test_rejection_of_what_was_confirmed_too_early_is_undone(
    earner, released, answered
):
    affiliate = earner("good")
    released()
    answered(statement(paid(ref(affiliate), 10_000)))

    answered(status_report((ref(affiliate), "RJCT", 10_000, "AC01")))

    assert affiliate.payouts.get().status == "returned"
    assert standing(affiliate) == (10_000, 0, 0)


@pytest.mark.parametrize(
    ("status", "step"),
    [
        ("SUCCESS", "confirm"),
        ("FAILED", "reject"),
        ("BLOCKED", "reject"),
        ("RETURNED", "reject"),
        ("REFUNDED", "reject"),
        ("REVERSED", "reject"),
        ("UNCLAIMED", "wait"),
        ("ONHOLD", "wait"),
        ("PENDING", "wait"),
        ("SOMETHING", "unmatched"),
    ],
)
def test_each_status_of_paypals(earner, released, answered, status, step):
    affiliate = earner("good", to="paypal")
    released()

    answer = answered(paypal_items((ref(affiliate), status, 10_000)))

    assert [found for found, _ in did(answer)] == [step]
    expected = {"confirm": (0, 0, 10_000), "reject": (10_000, 0, 0)}
    assert standing(affiliate) == expected.get(step, (0, 10_000, 0))


def test_preview_says_what_will_be_done_and_writes_nothing(
    brand, earner, released, staff, now
):
    good, back = earner("good"), earner("back")
    released()
    content = statement(
        paid(ref(good), 10_000),
        paid(ref(good), 10_000, number=2),
        returned(ref(back), 10_000),
        paid(ref(back), 10_000, number=3),
        paid("RENT", 5),
    )
    answer = keep_answer(
        brand_id=brand.pk, name="file", content=content, actor_id=staff.pk, now=now
    )

    with nothing_written(), pytest.MonkeyPatch.context() as patch:
        # A file is read once, when it is uploaded.
        patch.setattr(answers, "read_answer", None)
        said = [verdict for _, _, verdict in preview_answer(answer)]

    begin_answer(answer_id=answer.pk, actor_id=staff.pk)
    apply_answer(answer_id=answer.pk, clock=lambda: now, should_stop=lambda: False)
    assert [(one.step, one.reason) for one in said] == did(answer)
    assert [one.step for one in said] == [
        "confirm",
        "unmatched",
        "confirm",
        "unmatched",
        "return",
    ]


def test_interrupted_answer_goes_on_where_it_was(brand, earner, released, staff, now):
    affiliates = [earner(f"earner-{number}") for number in range(3)]
    released()
    answer = keep_answer(
        brand_id=brand.pk,
        name="file",
        content=statement(*(paid(ref(one), 10_000) for one in affiliates)),
        actor_id=staff.pk,
        now=now,
    )
    begin_answer(answer_id=answer.pk, actor_id=staff.pk)
    calls = iter([False, True])

    begun = apply_answer(
        answer_id=answer.pk, clock=lambda: now, should_stop=lambda: next(calls)
    )
    assert (begun.applied_at, begun.lines.count()) == (None, 1)
    done = apply_answer(
        answer_id=answer.pk, clock=lambda: now, should_stop=lambda: False
    )

    assert (done.applied_at, done.lines.count()) == (now, 3)
    assert [standing(one) for one in affiliates] == [(0, 0, 10_000)] * 3


def test_file_is_kept_encrypted(brand, earner, released, answered):
    affiliate = earner("good")
    released()
    answered(statement(paid(ref(affiliate), 10_000)))

    answer = PayoutAnswer.objects.get()
    assert "PAYOUT" not in answer.content + answer.entries


def test_all_of_it_agrees_with_the_books(earner, released, answered):
    good, bad, back = earner("good"), earner("bad"), earner("back")
    released()
    answered(
        statement(
            paid(ref(good), 10_000), returned(ref(bad), 10_000), paid(ref(back), 10_000)
        )
    )
    answered(statement(returned(ref(back), 10_000)))

    found = list(Verification().findings(on_row=lambda _: None))

    names = ("Payout", "Statement", "The ")
    assert [one for one in found if one.row.startswith(names)] == []


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_same_file_imported_by_many_at_once_is_applied_once(
    brand, earner, released, answered, staff, now
):
    affiliates = [earner(f"earner-{number}") for number in range(5)]
    released()
    content = statement(
        *(paid(ref(one), 10_000) for one in affiliates[:4]),
        returned(ref(affiliates[4]), 10_000),
    )

    applied = at_once(6, lambda _: answered(content).pk)

    assert len(set(applied)) == 1
    assert PayoutAnswerLine.objects.count() == 5
    assert [standing(one) for one in affiliates[:4]] == [(0, 0, 10_000)] * 4
    assert standing(affiliates[4]) == (10_000, 0, 0)
    numbers = PayoutStatement.objects.order_by("number").values_list(
        "number", flat=True
    )
    assert list(numbers) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "mark",
    [
        "<BkTxCd><Domn><Fmly><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>",
        "<BkTxCd><Prtry><Cd>NTRF+159+931</Cd></Prtry></BkTxCd>",
        "<RvslInd>1</RvslInd>",
    ],
)
def test_return_by_any_mark_has_its_posting_statement_and_notice(
    earner, released, answered, mark
):
    affiliate = earner("good")
    released()
    answered(statement(paid(ref(affiliate), 10_000)))
    credit = paid(ref(affiliate), 10_000).replace(
        "DBIT</CdtDbtInd>", f"CRDT</CdtDbtInd>{mark}"
    )

    answer = answered(statement(credit))

    payout = affiliate.payouts.get()
    assert did(answer) == [("return", "Reversed by the bank.")]
    assert (payout.status, standing(affiliate)) == ("returned", (10_000, 0, 0))
    assert payout.postings.last().kind == "payout_returned"
    assert PayoutStatement.objects.get(kind="returned").document["corrects"] == "1"
    email = Email.objects.get(kind="payout_returned")
    assert (email.affiliate_id, email.values["reason"]) == (
        affiliate.pk,
        "Reversed by the bank.",
    )


def test_unmarked_credit_is_listed_and_does_nothing(earner, released, answered):
    affiliate = earner("good")
    released()
    answered(statement(paid(ref(affiliate), 10_000)))
    credit = paid(ref(affiliate), 10_000).replace("DBIT", "CRDT")

    answer = answered(statement(credit))

    [(step, reason)] = did(answer)
    assert (step, reason[:39]) == (
        "unmatched",
        "Money came in under this reference, and",
    )
    assert standing(affiliate) == (0, 0, 10_000)


def booked_sum(batch, minor: int, count: int) -> str:
    return f"""
<Ntry><Amt Ccy="EUR">{decimal(minor)}</Amt><CdtDbtInd>DBIT</CdtDbtInd>
<Sts><Cd>BOOK</Cd></Sts><NtryDtls><Btch><PmtInfId>{batch.reference}</PmtInfId>
<NbOfTxs>{count}</NbOfTxs></Btch></NtryDtls></Ntry>"""


def test_booked_sum_of_a_batch_is_offered_as_its_payouts(
    brand, earner, released, answered, staff, now
):
    good, other = earner("good", 10_000), earner("other", 5_000)
    batch = released().files.get()
    content = statement(booked_sum(batch, 15_000, 2))

    answer = keep_answer(
        brand_id=brand.pk, name="file", content=content, actor_id=staff.pk, now=now
    )
    previewed = [
        (verdict.step, verdict.reason) for _, _, verdict in preview_answer(answer)
    ]
    assert standing(good) == (0, 10_000, 0)
    applied = answered(content)

    text = f"{batch}, 2 payouts, €150.00: sum equal."
    assert previewed == did(applied) == [("confirm", text)] * 2
    assert (standing(good), standing(other)) == ((0, 0, 10_000), (0, 0, 5_000))
    with nothing_written():
        answered(content)


def test_sum_of_a_batch_without_the_transfer_that_was_refused(
    earner, released, answered
):
    good, bad = earner("good", 10_000), earner("bad", 5_000)
    batch = released().files.get()
    answered(status_report((ref(bad), "RJCT", 5_000, "AC01")))

    answered(statement(booked_sum(batch, 10_000, 1)))

    assert (standing(good), standing(bad)) == ((0, 0, 10_000), (5_000, 0, 0))


@pytest.mark.parametrize(("minor", "count"), [(14_999, 2), (15_000, 3)])
def test_another_sum_or_number_than_the_batchs_marks_nobody(
    earner, released, answered, minor, count
):
    good, other = earner("good", 10_000), earner("other", 5_000)
    batch = released().files.get()

    answer = answered(statement(booked_sum(batch, minor, count)))

    text = (
        f"{batch} is of 2 payouts, €150.00, the file says {count} payouts, "
        f"{decimal(minor)} EUR."
    )
    assert did(answer) == [("unmatched", text)]
    assert (standing(good), standing(other)) == ((0, 10_000, 0), (0, 5_000, 0))


def test_batch_of_another_brand_marks_nobody(earner, released, answered):
    affiliate = earner("good")
    batch = released().files.get()
    elsewhere = BrandFactory(client_area="other.example.net")

    answer = answered(statement(booked_sum(batch, 10_000, 1)), of=elsewhere)

    text = f"No payout or batch of this brand has the reference {batch.reference}."
    assert did(answer) == [("unmatched", text)]
    assert standing(affiliate) == (0, 10_000, 0)


def test_refused_batch_makes_all_of_it_payable_again(earner, released, answered):
    good, other = earner("good", 10_000), earner("other", 5_000)
    batch = released().files.get()
    content = f"""<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">
<CstmrPmtStsRpt><OrgnlGrpInfAndSts><OrgnlMsgId>{batch.reference}</OrgnlMsgId>
<GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>DT01</Cd></Rsn><AddtlInf>Date wrong</AddtlInf>
</StsRsnInf></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>""".encode()

    answer = answered(content)

    assert did(answer) == [("reject", "DT01 Date wrong")] * 2
    assert (standing(good), standing(other)) == ((10_000, 0, 0), (5_000, 0, 0))


def test_money_that_paypal_sends_back_is_a_return(earner, released, answered):
    affiliate = earner("good", to="paypal")
    released()
    head = "Unique ID,Amount,Currency,Status,Type\n"
    sent = f"{ref(affiliate)},-100.00,EUR,Completed,Mass Pay Sent\n"
    back = f"{ref(affiliate)},100.00,EUR,Completed,Mass Pay Reversal\n"
    answered(f"{head}{sent}".encode())

    answer = answered(f"{head}{sent}{back}".encode())

    assert did(answer) == [("nothing", ""), ("return", "Mass Pay Reversal")]
    assert standing(affiliate) == (10_000, 0, 0)
    assert Email.objects.filter(kind="payout_returned").count() == 1
