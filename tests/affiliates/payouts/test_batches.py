"""The files that PayPal and banks are given."""

from __future__ import annotations

import csv
import sys
from datetime import date, timedelta
from io import StringIO
from pathlib import Path

import pytest
import sepaxml
import xmlschema

from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.models import PayoutBatch
from affiliates.payouts.providers.bank import (
    MAX_CENTS,
    SCHEMA,
    BankTransfer,
    transfer_text,
)
from affiliates.payouts.providers.paypal import PayPalFile
from affiliates.payouts.providers.protocol import Payer, Transfer
from affiliates.payouts.selectors import batch_file, export_groups
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.destinations import change_destination
from tests.affiliates.payouts.looking import steps_of
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import IBAN, OTHER_IBAN, OWN_ACCOUNT
from tests.races import at_once, needs_postgresql

BANK = "bank"
SCHEMAS = Path(sepaxml.__file__).parent / "schemas"
NAMESPACE = {"p": f"urn:iso:std:iso:20022:tech:xsd:{SCHEMA}"}


@pytest.fixture
def own_account(terms):
    for name, value in OWN_ACCOUNT.items():
        setattr(terms, name, value)
    terms.save()


@pytest.fixture
def other(brand, host):
    return AffiliateFactory(
        brand=brand, user=host.client(brand, email="other@example.com")
    )


def row_of(text: str, *, amount: int = 1, currency: str = "EUR") -> list[str]:
    """The one row of PayPal's file."""
    transfer = Transfer(
        reference="P-1",
        amount=amount,
        currency=currency,
        details={"email": "a@b.de"},
        text=text,
    )
    payer = Payer(brand="Demo", name="", iban="", bic="")
    day = date(2026, 3, 1)
    [cells] = rows_of(
        PayPalFile().write([transfer], payer=payer, day=day, reference="BATCH-1")
    )
    return cells


def export(*payouts, staff, now):
    return export_batch(
        payout_ids=[payout.pk for payout in payouts], actor_id=staff.pk, now=now
    )


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text)))


def document(text: str):
    """The file, once its schema has accepted it."""
    schema = xmlschema.XMLSchema(SCHEMAS / f"{SCHEMA}.xsd")
    schema.validate(text)
    return xmlschema.XMLResource(text).root


def test_paypal_gets_a_row_for_each_recipient(approved, other, brand, staff, now):
    first, second = approved(amount=7_512), approved(owner=other)

    batch = export(first, second, staff=staff, now=now)

    assert rows_of(batch_file(batch).text) == [
        [
            "partner@example.org",
            amount,
            "EUR",
            f"PAYOUT-{payout.pk}",
            f"Affiliate payout {payout.pk} of {brand}",
            "PAYPAL",
        ]
        for payout, amount in [(first, "75.12"), (second, "100.00")]
    ]
    assert (batch.kind, batch.currency, batch.brand) == ("paypal", "EUR", brand)
    assert (batch.exported_at, batch.exported_by_id) == (now, staff.pk)
    for payout in (first, second):
        payout.refresh_from_db()
        assert (payout.status, payout.batch) == ("exported", batch)
        assert steps_of(payout)[-1] == ("approved", "exported")


def test_file_is_the_same_at_each_download(
    approved, affiliate, staff, now, own_account
):
    payout = approved(BANK)
    batch = export(payout, staff=staff, now=now)
    first = batch_file(batch)

    change_destination(
        affiliate_id=affiliate.pk,
        kind=BANK,
        values={"account_holder": "Another", "iban": OTHER_IBAN},
        now=now + timedelta(days=1),
    )

    assert batch_file(PayoutBatch.objects.get()) == first
    assert first.name == f"payouts-{batch.pk}-bank-EUR.xml"
    assert first.content_type == "application/xml"


def test_file_is_kept_encrypted(approved, staff, now, own_account):
    export(approved(BANK), staff=staff, now=now)

    assert IBAN not in PayoutBatch.objects.get().content


def test_file_whose_key_is_gone_is_said(approved, staff, now, settings):
    batch = export(approved(), staff=staff, now=now)
    settings.AFFILIATES_SECRET_KEYS = "7:" + "B" * 43 + "="

    with pytest.raises(StateConflict) as refused:
        batch_file(batch)

    assert refused.value.code == "details_unreadable"


def test_bank_gets_a_file_that_its_schema_accepts(
    approved, other, brand, staff, now, own_account
):
    first, second = approved(BANK, amount=7_512), approved(BANK, owner=other)

    batch = export(first, second, staff=staff, now=now)

    root = document(batch_file(batch).text)

    def texts(path: str) -> list[str]:
        return [one.text for one in root.iterfind(f".//p:{path}", NAMESPACE)]

    assert batch.reference == f"BATCH-{batch.pk}-20260301120000"
    assert texts("MsgId") + texts("PmtInfId") == [batch.reference] * 2
    assert texts("CtrlSum") == ["175.12", "175.12"]
    assert texts("NbOfTxs") == ["2", "2"]
    assert texts("InstdAmt") == ["75.12", "100.00"]
    assert texts("EndToEndId") == [f"PAYOUT-{one.pk}" for one in (first, second)]
    assert texts("ReqdExctnDt/p:Dt") == ["2026-03-01"]
    assert texts("Dbtr/p:Nm") == ["Demo Hosting GmbH"]
    assert texts("DbtrAcct//p:IBAN") == ["DE02120300000000202051"]
    assert texts("BICFI") == ["BYLADEM1001"]
    assert texts("Cdtr/p:Nm") == ["Juergen Mueller Soehne"] * 2
    assert texts("CdtrAcct//p:IBAN") == [IBAN] * 2
    assert texts("Ustrd")[0] == f"Affiliate payout {first.pk} of {brand}"


def test_schema_accepts_the_largest_and_smallest_and_odd_names():
    transfers = [
        Transfer(
            reference=f"PAYOUT-{number}",
            amount=cents,
            currency="EUR",
            details={"account_holder": name, "iban": IBAN},
            text="x",
        )
        for number, (name, cents) in enumerate(
            [
                ("A", 1),
                ("Ж" * 70, MAX_CENTS),
                ("<b>&amp;</b>", 99),
                ("'; -- /x//y/", 100),
            ]
        )
    ]
    payer = Payer(brand="Demo", name="Ö" * 70, iban=IBAN, bic="COBADEFFXXX")

    text = BankTransfer().write(
        transfers, payer=payer, day=date(2026, 3, 1), reference="BATCH-1-20260301120000"
    )

    root = document(text)
    amounts = [one.text for one in root.iterfind(".//p:InstdAmt", NAMESPACE)]
    assert amounts == ["0.01", "999999999.99", "0.99", "1.00"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Jürgen Müller & Söhne", "Juergen Mueller Soehne"),
        ("Ju\u0308rgen Groß", "Juergen Gross"),
        ("Übel Ärger Öl", "Uebel Aerger Oel"),
        ("MÜLLER GROẞ Ü", "MUELLER GROSS Ue"),
        ("ÖBB", "OEBB"),
        ("José Žižek", "Jose Zizek"),
        ("ÄÄÄ" * 30, "AEAEAE" * 11 + "AEAE"),
        ("O'Neill-Smith, Ltd.", "O'Neill-Smith, Ltd."),
        ("中文", "Zhong Wen"),
        ("☃", ""),
        ("/a//b/", "a/b"),
        ("=1+1", "1+1"),
        ("x" * 90, "x" * 70),
    ],
)
def test_text_is_what_every_bank_passes_on(text, plain):
    assert transfer_text(text) == plain


@pytest.mark.parametrize(
    ("amount", "currency", "cell"),
    [(1234, "JPY", "1234"), (1234, "KWD", "1.234"), (5, "EUR", "0.05")],
)
def test_amounts_have_the_decimals_of_their_currency(amount, currency, cell):
    assert row_of("n", amount=amount, currency=currency)[1] == cell


def test_yen_is_paid_without_decimals(approved, staff, now):
    batch = export(approved(amount=5_000, currency="JPY"), staff=staff, now=now)

    assert rows_of(batch_file(batch).text)[0][1:3] == ["5000", "JPY"]


@pytest.mark.parametrize("start", ["=", "-", "\n", "＝"])
def test_no_cell_is_a_formula(start):
    cells = row_of(f'{start}HYPERLINK("https://evil.example")')

    assert cells[4].startswith(f"'{start}")
    assert [cell for cell in cells if cell[0] in "=+-@\t\r\n＝"] == []


def test_quotes_and_commas_stay_in_their_cell():
    assert row_of('a,"b"\nc')[4] == 'a,"b"\nc'


def test_payouts_are_grouped_as_files_hold_them(
    approved, requested, other, host, staff, now
):
    elsewhere = BrandFactory(client_area="other.example.net")
    stranger = AffiliateFactory(
        brand=elsewhere, user=host.client(elsewhere, email="s@example.com")
    )
    euro, euro_too = approved(), approved(owner=other)
    dollar = approved(currency="USD")
    foreign = approved(owner=stranger)
    waiting = requested(currency="GBP")
    wallet = approved("wallet", currency="SEK")
    chosen = [one.pk for one in (euro, euro_too, dollar, foreign, waiting, wallet)]

    assert export_groups(chosen) == [
        [euro.pk, euro_too.pk],
        [dollar.pk],
        [foreign.pk],
    ]


@pytest.mark.parametrize(
    ("_case", "code", "make"),
    [
        ("nothing", "no_single_file", lambda approved, other: []),
        (
            "two currencies",
            "no_single_file",
            lambda approved, other: [approved(), approved(currency="USD")],
        ),
        (
            "two kinds",
            "no_single_file",
            lambda approved, other: [approved(), approved(BANK, owner=other)],
        ),
        (
            "wallet",
            "not_exported",
            lambda approved, other: [approved("wallet")],
        ),
    ],
)
def test_what_no_file_can_hold_is_refused(
    approved, other, staff, now, _case, code, make
):
    payouts = make(approved, other)

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        export(*payouts, staff=staff, now=now)

    assert refused.value.code == code


def test_one_that_is_not_approved_stops_the_file(
    approved, requested, other, staff, now
):
    payouts = [approved(), requested(owner=other)]

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export(*payouts, staff=staff, now=now)

    assert refused.value.code == "payout_not_approved"


def test_exported_one_is_not_exported_again(approved, staff, now):
    payout = approved()
    export(payout, staff=staff, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export(payout, staff=staff, now=now)

    assert refused.value.code == "payout_not_approved"


def test_bank_file_needs_the_brands_own_account(approved, staff, now):
    payout = approved(BANK)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export(payout, staff=staff, now=now)

    assert refused.value.code == "no_own_account"


def test_bank_file_without_its_extra_says_what_to_install(
    approved, staff, now, own_account, monkeypatch
):
    monkeypatch.setitem(sys.modules, "sepaxml", None)
    payout = approved(BANK)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export(payout, staff=staff, now=now)

    assert refused.value.code == "no_payout_files"
    assert "pip install 'affiliates[payout-files]'" in refused.value.detail


def test_transfer_beyond_what_a_file_holds_is_refused(
    approved, staff, now, own_account
):
    payout = approved(BANK, amount=MAX_CENTS + 1)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export(payout, staff=staff, now=now)

    assert refused.value.code == "amount_too_large"


@pytest.mark.parametrize("to", ["paypal", BANK])
def test_destination_that_cannot_be_read_is_named_by_its_payout(
    approved, other, staff, now, own_account, settings, to
):
    readable_later = approved(to)
    settings.AFFILIATES_SECRET_KEYS = "7:" + "B" * 43 + "="
    readable = approved(to, owner=other)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        export(readable, readable_later, staff=staff, now=now)

    assert refused.value.code == "details_unreadable"
    assert refused.value.detail.startswith(
        f"Payout {readable_later.pk}: What is stored cannot be read"
    )


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_exports_at_once_one_makes_a_file(approved, staff, now):
    payout = approved()

    def act(_):
        try:
            return export(payout, staff=staff, now=now).pk
        except StateConflict as error:
            return error.code

    answers = at_once(8, act)

    assert answers.count("payout_not_approved") == 7
    assert PayoutBatch.objects.count() == 1
