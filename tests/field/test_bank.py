"""Banks' files as the field sends them: nothing that bears our reference is silent."""

from __future__ import annotations

import pytest

from affiliates.contrib.payout_runs.answer_files import read_answer
from affiliates.contrib.payout_runs.rules import entries_of_batch, offered_batches
from affiliates.contrib.payout_runs.types import BatchPayout, Entry, KnownBatch
from affiliates.errors import InvalidInput
from tests.cases import each
from tests.field.files import field_file

CAMT = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"
OURS, BATCH = "PAYOUT-7", "BATCH-3-20261120094500"
# The parts of a booking.
OUT, BACK = "<CdtDbtInd>DBIT</CdtDbtInd>", "<CdtDbtInd>CRDT</CdtDbtInd>"
REFERENCE = f"<Refs><EndToEndId>{OURS}</EndToEndId></Refs>"
STRANGE = "<Refs><EndToEndId>RE-2026-1</EndToEndId></Refs>"
RETURN = "<RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>"
UNMARKED = (
    "Money came in under this reference, and nothing says that it is a return: "
    "look at it."
)
BY_BANK = "Reversed by the bank."


def family(code: str) -> str:
    return (
        "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd>"
        f"<SubFmlyCd>{code}</SubFmlyCd></Fmly></Domn></BkTxCd>"
    )


def german(code: str) -> str:
    return f"<BkTxCd><Prtry><Cd>{code}</Cd><Issr>DK</Issr></Prtry></BkTxCd>"


def booking(
    head: str, tx: str = REFERENCE, *, amount="12.50", status="BOOK", btch=""
) -> str:
    return (
        f'<Ntry><Amt Ccy="EUR">{amount}</Amt>{head}<Sts><Cd>{status}</Cd></Sts>'
        f"<NtryDtls>{btch}{f'<TxDtls>{tx}</TxDtls>' if tx else ''}</NtryDtls></Ntry>"
    )


def statement(*entries: str, around: str = "{}") -> bytes:
    document = (
        f'<Document xmlns="{CAMT}"><BkToCstmrStmt><Stmt>{"".join(entries)}</Stmt>'
        "</BkToCstmrStmt></Document>"
    )
    return around.format(document).encode()


def report(
    group: str, *payments: str, root="CstmrPmtStsRpt", version="pain.002.001.10"
) -> bytes:
    return (
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:{version}"><{root}>'
        f"<OrgnlGrpInfAndSts><OrgnlMsgId>{BATCH}</OrgnlMsgId>{group}"
        f"</OrgnlGrpInfAndSts>{''.join(payments)}</{root}></Document>"
    ).encode()


def payment(status: str, *transfers: str, name: str = BATCH, more: str = "") -> str:
    level = f"<PmtInfSts>{status}</PmtInfSts>" if status else ""
    return (
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>{name}</OrgnlPmtInfId>{level}{more}"
        f"{''.join(transfers)}</OrgnlPmtInfAndSts>"
    )


def transfer(status: str, *reasons: str, name: str = OURS) -> str:
    level = f"<TxSts>{status}</TxSts>" if status else ""
    return (
        f"<TxInfAndSts><OrgnlEndToEndId>{name}</OrgnlEndToEndId>{level}"
        f'{"".join(reasons)}<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.50</InstdAmt>'
        "</Amt></OrgnlTxRef></TxInfAndSts>"
    )


def why(code: str, *sentences: str) -> str:
    texts = "".join(f"<AddtlInf>{text}</AddtlInf>" for text in sentences)
    cause = f"<Rsn><Cd>{code}</Cd></Rsn>" if code else ""
    return f"<StsRsnInf>{cause}{texts}</StsRsnInf>"


def read(content: bytes) -> list[tuple[str, str, str, str]]:
    _, entries = read_answer(content)
    return [(row.said, row.reference, row.amount, row.reason) for row in entries]


FILES = {
    "c53_batch_instd.xml": [("paid", "A", "329.56", ""), ("paid", "B", "100.00", "")],
    "c53_batch_total_only.xml": [("paid", BATCH, "100.00", "")],
    "c53_charge.xml": [("paid", OURS, "12.50", "")],
    "c53_futr.xml": [("waiting", OURS, "12.50", "Announced, not booked yet.")],
    "c53_leading_zeros.xml": [("paid", OURS, "000000000000012.50", "")],
    "c53_prefix.xml": [("paid", OURS, "12.50", "")],
    "c53_return_by_code_only.xml": [("returned", OURS, "12.50", BY_BANK)],
    "c53_rvsl_1.xml": [("returned", OURS, "12.50", BY_BANK)],
    "c53_two_ntrydtls.xml": [("paid", "A", "12.50", ""), ("paid", "B", "7.50", "")],
    "p02_accc.xml": [("paid", OURS, "12.50", "")],
    "p02_grp_actc_only.xml": [("waiting", "M1", "", "The bank has taken it (ACTC).")],
    "p02_pmtinf_rjct_tx_without_status.xml": [
        ("failed", OURS, "12.50", "DT01 Date wrong")
    ],
    "p02_pmtinf_rjct_without_tx.xml": [("failed", "P1", "", "DT01 Date wrong")],
    "p02_vop_rvnm.xml": [
        (
            *("waiting", OURS, "12.50"),
            "The payee's name was compared (RVNM). RVNM name does not match",
        )
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_file_of_the_field(name):
    content = field_file(f"bank/{name}").decode()
    ours = content.replace("PAYOUT-REF", OURS).replace("RUN-PMTINF", BATCH)

    assert read(ours.encode()) == FILES[name]


def test_report_during_the_day_is_refused_by_its_name():
    with pytest.raises(InvalidInput, match="camt.052") as refused:
        read_answer(field_file("bank/c52.xml"))

    assert refused.value.code == "unknown_file"


@each(
    ("_case", "entry", "said", "reason"),
    [
        (
            "return information",
            booking(BACK, REFERENCE + RETURN),
            "returned",
            "AC04 closed",
        ),
        (
            "indicator true",
            booking(f"{BACK}<RvslInd>true</RvslInd>"),
            "returned",
            BY_BANK,
        ),
        ("indicator 1", booking(f"{BACK}<RvslInd>1</RvslInd>"), "returned", BY_BANK),
        (
            "indicator false",
            booking(f"{BACK}<RvslInd>0</RvslInd>"),
            "unclear",
            UNMARKED,
        ),
        ("code of the booking", booking(BACK + family("RRTN")), "returned", BY_BANK),
        (
            "code of the transaction",
            booking(BACK, REFERENCE + family("RRTN")),
            *("returned", BY_BANK),
        ),
        ("recalled", booking(BACK + family("RPCR")), "returned", BY_BANK),
        (
            "an ordinary credit's code",
            booking(BACK + family("ESCT")),
            "unclear",
            UNMARKED,
        ),
        ("German code", booking(BACK + german("NTRF+159+00931")), "returned", BY_BANK),
        ("German code alone", booking(BACK + german("159")), "returned", BY_BANK),
        (
            "German code of the transaction",
            booking(BACK, REFERENCE + german("NRTI+159+931+992")),
            *("returned", BY_BANK),
        ),
        ("SWIFT's type", booking(BACK + german("NRTI+169+931")), "returned", BY_BANK),
        (
            "German code behind another",
            booking(BACK + german("NTRF+166+159")),
            *("unclear", UNMARKED),
        ),
        (
            "German code with other separators",
            booking(BACK + german("NTRF/159/931")),
            *("returned", BY_BANK),
        ),
        (
            "other German code",
            booking(BACK + german("NTRF+166+159x")),
            "unclear",
            UNMARKED,
        ),
        ("no mark", booking(BACK), "unclear", UNMARKED),
        (
            "side of the transaction",
            booking(OUT, f"{REFERENCE}{BACK}{family('RRTN')}"),
            *("returned", BY_BANK),
        ),
        (
            "announced",
            booking(BACK + family("RRTN"), status="PDNG"),
            *("waiting", "Announced, not booked yet."),
        ),
        (
            "information only",
            booking(OUT, status="INFO"),
            *("waiting", "Announced, not booked yet."),
        ),
        (
            "unknown status",
            booking(OUT, status="ODD"),
            *("unclear", "The booking's status ODD."),
        ),
        (
            "no direction",
            booking(""),
            *("unclear", "The booking does not say whether money came or went."),
        ),
        (
            "return that was charged",
            booking(OUT + family("RRTN")),
            *("unclear", "A return that was charged: look at it."),
        ),
        (
            "reference of the instruction only",
            booking(OUT, f"<Refs><InstrId>{OURS}</InstrId></Refs>"),
            *("paid", ""),
        ),
        (
            "reference in small letters",
            booking(BACK, "<Refs><EndToEndId>payout-7</EndToEndId></Refs>"),
            *("unclear", UNMARKED),
        ),
        (
            "the payee's bank has a reference of its own",
            booking(
                BACK + family("RRTN"),
                f"{STRANGE}<RmtInf><Ustrd>EREF+{OURS} AC04</Ustrd></RmtInf>",
            ),
            *("returned", BY_BANK),
        ),
        (
            "named in the text, no mark",
            booking(BACK, f"{STRANGE}<AddtlTxInf>ZU {OURS}.</AddtlTxInf>"),
            *("unclear", UNMARKED),
        ),
        (
            "several in a text",
            booking(OUT, f"<RmtInf><Ustrd>{OURS}, PAYOUT-8</Ustrd></RmtInf>"),
            *("unclear", "The booking names several payouts: look at it."),
        ),
    ],
)
def test_booking_with_our_reference_is_judged_by_direction_and_mark(
    entry, said, reason
):
    assert read(statement(entry)) == [(said, OURS, "12.50", reason)]


@each(
    ("_case", "entry"),
    [
        ("income", booking(BACK, STRANGE)),
        ("income without a name", booking(BACK, "<Refs/>")),
        ("longer than ours", booking(BACK, "<AddtlTxInf>XPAYOUT-7</AddtlTxInf>")),
        ("no number", booking(BACK, "<AddtlTxInf>PAYOUT-seven</AddtlTxInf>")),
        ("a batch without a day", booking(BACK, "<AddtlTxInf>BATCH-3</AddtlTxInf>")),
        (
            "a sum of income",
            booking(BACK, "", btch="<Btch><NbOfTxs>9</NbOfTxs></Btch>"),
        ),
    ],
)
def test_income_that_bears_no_reference_of_ours_is_left_out(entry):
    assert read(statement(entry, booking(OUT))) == [("paid", OURS, "12.50", "")]


@each(
    ("_case", "tx", "amount"),
    [
        ("of the transaction", '<Amt Ccy="EUR">12.50</Amt>', "12.50"),
        (
            "of the transaction in details",
            '<AmtDtls><TxAmt><Amt Ccy="EUR">12.50</Amt></TxAmt></AmtDtls>',
            "12.50",
        ),
        (
            "ordered alone",
            '<AmtDtls><InstdAmt><Amt Ccy="EUR">12.50</Amt></InstdAmt></AmtDtls>',
            "12.50",
        ),
        (
            "ordered, and booked with charges",
            '<Amt Ccy="EUR">13.00</Amt><AmtDtls><InstdAmt><Amt Ccy="EUR">12.50</Amt>'
            "</InstdAmt></AmtDtls>",
            "12.50",
        ),
        (
            "ordered, and booked in the account's currency",
            '<Amt Ccy="CHF">11.80</Amt><AmtDtls><InstdAmt><Amt Ccy="EUR">12.50</Amt>'
            "</InstdAmt></AmtDtls>",
            "12.50",
        ),
        ("of the booking", "", "13.00"),
    ],
)
def test_amount_of_a_transfer(tx, amount):
    content = statement(booking(OUT, REFERENCE + tx, amount="13.00"))

    assert read(content) == [("paid", OURS, amount, "")]


def test_amount_that_came_back_is_not_that_which_was_sent():
    tx = (
        f'{REFERENCE}{RETURN}<Amt Ccy="EUR">7.50</Amt><AmtDtls><InstdAmt>'
        '<Amt Ccy="EUR">12.50</Amt></InstdAmt></AmtDtls>'
    )

    assert read(statement(booking(BACK, tx))) == [
        ("returned", OURS, "7.50", "AC04 closed")
    ]


@each(
    ("_case", "around"),
    [
        ("an envelope", '<Envelope><AppHdr xmlns="h"><Fr/></AppHdr>{}</Envelope>'),
        ("a prefix", '<e:BizMsg xmlns:e="x"><e:AppHdr/>{}</e:BizMsg>'),
        ("two deep", "<Message><Body><Head/>{}</Body></Message>"),
    ],
)
def test_document_in_an_envelope_is_read(around):
    content = statement(booking(OUT), around=around)

    assert read(content) == [("paid", OURS, "12.50", "")]


ACCEPTED = ["RCVD", "ACTC", "ACCP", "ACFC", "PATC", "ACWC", "ACSP", "ACWP", "ACSC"]


@each(
    ("status", "said", "reason"),
    [
        ("ACCC", "paid", ""),
        ("accc", "paid", ""),
        ("RJCT", "failed", "AC01 Wrong number"),
        ("CANC", "failed", "AC01 Wrong number"),
        *(
            (status, "waiting", f"The bank has taken it ({status}). AC01 Wrong number")
            for status in (*ACCEPTED, "PDNG", "PART")
        ),
        *(
            (
                *(status, "waiting"),
                f"The payee's name was compared ({status}). AC01 Wrong number",
            )
            for status in ("RCVC", "RVCM", "RVMC", "RVNM", "RVNA")
        ),
        ("BLCK", "unclear", "The status BLCK. AC01 Wrong number"),
        ("XYZ", "unclear", "The status XYZ. AC01 Wrong number"),
        ("", "unclear", "The status is missing. AC01 Wrong number"),
    ],
)
def test_status_of_a_transfer(status, said, reason):
    content = report("", payment("", transfer(status, why("AC01", "Wrong number"))))

    assert read(content)[0] == (said, OURS, "12.50", reason)


@each(
    ("_case", "group", "levels", "entries"),
    [
        (
            "transfer without a status, batch refused",
            "<GrpSts>PART</GrpSts>",
            [payment("RJCT", transfer(""), name="P1", more=why("DT01", "Date"))],
            [("failed", OURS, "12.50", "DT01 Date")],
        ),
        (
            "transfer and batch without a status, file refused",
            f"<GrpSts>RJCT</GrpSts>{why('FF01')}",
            [payment("", transfer(""), name="P1")],
            [("failed", OURS, "12.50", "FF01")],
        ),
        (
            "transfer has its own status",
            "<GrpSts>RJCT</GrpSts>",
            [payment("RJCT", transfer("ACCC"), name="P1")],
            [("paid", OURS, "12.50", "")],
        ),
        (
            "own reason beside the inherited status",
            "",
            [payment("RJCT", transfer("", why("AC01")), name="P1", more=why("DT01"))],
            [("failed", OURS, "12.50", "AC01")],
        ),
        (
            "inherited reason beside the own status",
            "",
            [payment("RJCT", transfer("RJCT"), name="P1", more=why("DT01", "Date"))],
            [("failed", OURS, "12.50", "DT01 Date")],
        ),
        (
            "batch refused without transfers",
            "<GrpSts>ACCP</GrpSts>",
            [payment("RJCT", more=why("DT01", "Date"))],
            [("failed", BATCH, "", "DT01 Date")],
        ),
        (
            "file refused, batch without a status",
            f"<GrpSts>RJCT</GrpSts>{why('FF01', 'Form')}",
            [payment("")],
            [("failed", BATCH, "", "FF01 Form")],
        ),
        (
            "file refused alone",
            f"<GrpSts>RJCT</GrpSts>{why('FF01', 'Form')}",
            [],
            [("failed", BATCH, "", "FF01 Form")],
        ),
        (
            "file accepted alone",
            "<GrpSts>ACCP</GrpSts>",
            [],
            [("waiting", BATCH, "", "The bank has taken it (ACCP).")],
        ),
        (
            "unknown word alone",
            "<GrpSts>WHAT</GrpSts>",
            [],
            [("unclear", BATCH, "", "The status WHAT.")],
        ),
        (
            "refused batch of ours that lists one transfer",
            "",
            [payment("RJCT", transfer("RJCT"), more=why("DT01"))],
            [("failed", OURS, "12.50", "DT01"), ("failed", BATCH, "", "DT01")],
        ),
        (
            "batch accepted in part",
            "<GrpSts>PART</GrpSts>",
            [payment("PART", transfer("RJCT", why("AC04")))],
            [("failed", OURS, "12.50", "AC04")],
        ),
        (
            "two batches",
            "",
            [payment("ACCP", transfer("")), payment("RJCT", more=why("DT01"))],
            [
                ("waiting", OURS, "12.50", "The bank has taken it (ACCP)."),
                ("failed", BATCH, "", "DT01"),
            ],
        ),
        ("nothing said", "", [payment("")], []),
    ],
)
def test_level_above_counts_where_a_level_has_no_status(group, levels, entries):
    assert read(report(group, *levels)) == entries


def test_all_sentences_of_the_bank_are_kept():
    reasons = [why("AC01", "One.", "Two."), why("", "Three."), why("AC01", "Two.")]

    [entry, *_] = read(report("", payment("", transfer("RJCT", *reasons))))

    assert entry[3] == "AC01 One. Two. Three."


def known(*amounts: int, rejected=(), closed=False) -> KnownBatch:
    return KnownBatch(
        number=3,
        currency="EUR",
        payouts=tuple(
            BatchPayout(
                reference=f"PAYOUT-{number}",
                amount=amount,
                is_open=not closed and number not in rejected,
                is_rejected=number in rejected,
            )
            for number, amount in enumerate(amounts, start=1)
        ),
    )


def sum_line(
    amount: str, *, count: int | None = None, name: str = BATCH, head=OUT
) -> Entry:
    number = "" if count is None else f"<NbOfTxs>{count}</NbOfTxs>"
    btch = f"<Btch><PmtInfId>{name}</PmtInfId>{number}</Btch>"
    _, [entry] = read_answer(statement(booking(head, "", amount=amount, btch=btch)))
    return entry


THREE = "Batch 3, 3 payouts, €100.00: sum equal."
OFFER = "If this is its booking, choose Confirm all as paid on the page of the batch."


@each(
    ("_case", "line", "batch", "names", "said", "reason"),
    [
        (
            "sum and number",
            sum_line("100.00", count=3),
            known(5_000, 4_000, 1_000),
            ["PAYOUT-1", "PAYOUT-2", "PAYOUT-3"],
            *("paid", THREE),
        ),
        (
            "sum alone",
            sum_line("100.00"),
            known(5_000, 4_000, 1_000),
            ["PAYOUT-1", "PAYOUT-2", "PAYOUT-3"],
            *("paid", THREE),
        ),
        (
            "less the rejected",
            sum_line("90.00", count=2),
            known(5_000, 4_000, 1_000, rejected=[3]),
            ["PAYOUT-1", "PAYOUT-2"],
            *("paid", "Batch 3, 2 payouts, €90.00: sum equal."),
        ),
        (
            "another sum",
            sum_line("99.99", count=3),
            known(5_000, 4_000, 1_000),
            [BATCH],
            "unclear",
            "Batch 3 is of 3 payouts, €100.00, the file says 3 payouts, 99.99 EUR.",
        ),
        (
            "another number",
            sum_line("100.00", count=2),
            known(5_000, 4_000, 1_000),
            [BATCH],
            "unclear",
            "Batch 3 is of 3 payouts, €100.00, the file says 2 payouts, 100.00 EUR.",
        ),
        (
            "the sum came back, marked",
            sum_line("90.00", head=BACK + family("RRTN")),
            known(5_000, 4_000),
            ["PAYOUT-1", "PAYOUT-2"],
            *("returned", BY_BANK),
        ),
        (
            "the sum came in, unmarked",
            sum_line("90.00", head=BACK),
            known(5_000, 4_000),
            ["PAYOUT-1", "PAYOUT-2"],
            *("unclear", UNMARKED),
        ),
    ],
)
def test_booked_sum_of_a_batch_is_its_payouts(line, batch, names, said, reason):
    lines = entries_of_batch(line, batch)

    assert [row.reference for row in lines] == names
    assert {(row.said, row.reason) for row in lines} == {(said, reason)}


@each(
    ("_case", "line", "batches", "said", "reason"),
    [
        (
            "an open batch of this sum",
            sum_line("100.00", count=2, name="BANKS-OWN"),
            [known(6_000, 4_000), known(6_000, 3_000)],
            *("unclear", f"The sum equals batch 3, 2 payouts, €100.00. {OFFER}"),
        ),
        (
            "no batch of this sum",
            sum_line("1.00", name="X"),
            [known(6_000)],
            "paid",
            "",
        ),
        (
            "another number",
            sum_line("60.00", count=9, name="X"),
            [known(6_000)],
            *("paid", ""),
        ),
        (
            "nothing of it is open",
            sum_line("60.00", name="X"),
            [known(6_000, closed=True)],
            *("paid", ""),
        ),
        (
            "money that came in",
            sum_line("60.00", name="X", head=BACK + RETURN + family("RRTN")),
            [known(6_000)],
            *("returned", BY_BANK),
        ),
    ],
)
def test_sum_that_names_nothing_is_offered_where_a_batch_fits(
    line, batches, said, reason
):
    offered = offered_batches(line, batches)

    assert (offered.said, offered.reason) == (said, reason)
