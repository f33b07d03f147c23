"""What exports of other systems are read as, and that the page says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from affiliates.contrib.imports.files.columns import COLUMNS, EXPORTS, REQUIRED
from affiliates.contrib.imports.files.parsing import parse
from affiliates.contrib.imports.files.rows import (
    AffiliateRow,
    BalanceRow,
    ClientRow,
    ImportKind,
    LinkRow,
    Named,
    NamedBy,
    OrderRow,
    ParseOptions,
    Source,
    UnreadableFile,
)
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.contrib.imports.files.test_reading import read, refusal_of
from tests.cases import each

PAGE = (Path(__file__).parents[5] / "docs/imports.md").read_text("utf-8")
WHMCS = """\
"id";"date";"clientid";"visitors";"paytype";"payamount";"onetime";"balance";"withdrawn"
"7";"2019-05-01";"1204";"88";"percentage";"15.00";"0";"1234.50";"0.00"
"""
PAP = """\
[[COMMISSIONS]]
!TRANSID,!USERID,!RSTATUS,!RTYPE,!DATEINSERTED,!ORDERID,!TOTALCOST,!TIER,client_email
aa,11111111,A,S,2024-03-09 12:00:01,900,120.00,1,kim@example.com
bb,11111111,A,C,2024-03-09 12:00:02,,0,1,
cc,22222222,A,S,2024-03-09 12:00:01,900,120.00,2,
dd,11111111,D,S,2024-03-09 12:00:01,901,120.00,1,
[[AFFILIATES]]
!USERID,!REFID,!USERNAME,!FIRSTNAME,!LASTNAME,!STATUS,!DATEINSERTED,!DELETED,!NOTE
11111111,Anna,anna@example.com,Anna,Ö,A,2020-01-01 00:00:00,N,
22222222,,bob@example.com,Bob,B,D,2020-01-01 00:00:00,N,"two
lines"
33333333,,carl@example.com,Carl,C,A,2020-01-01 00:00:00,Y,
[[PAYOUTOPTIONS]]
!USERID,!NAME,!VALUE
11111111,a,b
"""
REWARDFUL = """\
stripe_customer_id,first_name,last_name,email,paypal_email,token,client_email
cus_1,Adam,Jones,adam@example.com,,adam,kim@example.com
"""
TAPFILIATE = """\
external_id,amount,created_at,affiliate_email,program,currency,customer_id
900,12.50,2024-03-09T12:00:01+01:00,adam@example.com,main,EUR,17
"""


def parsed(
    content: str, kind: ImportKind, source: Source, **options: str
) -> list[object]:
    rows = [row for row in read(content, kind, source) if not row.is_skipped]
    return [parse(kind, row, ParseOptions(**options)) for row in rows]


def by_id(value: str) -> Named:
    return Named(NamedBy.ID, value)


def by_email(name: str) -> Named:
    return Named(NamedBy.EMAIL, f"{name}@example.com")


@each(
    ("kind", "content", "source", "row"),
    [
        (
            ImportKind.AFFILIATES,
            WHMCS,
            Source.WHMCS,
            AffiliateRow(client=by_id("1204"), old_id="7"),
        ),
        (
            ImportKind.LINKS,
            WHMCS,
            Source.WHMCS,
            LinkRow(affiliate=by_id("7"), name="7", old_code="7"),
        ),
        (
            ImportKind.BALANCES,
            WHMCS,
            Source.WHMCS,
            BalanceRow(
                affiliate=by_id("7"), amount=123_450, currency="EUR", reason="moved"
            ),
        ),
        (
            ImportKind.AFFILIATES,
            REWARDFUL,
            Source.REWARDFUL,
            AffiliateRow(
                client=by_email("adam"),
                code="adam",
            ),
        ),
        (
            ImportKind.LINKS,
            REWARDFUL,
            Source.REWARDFUL,
            LinkRow(affiliate=by_email("adam"), name="adam", old_code="adam"),
        ),
        (
            ImportKind.CLIENTS,
            REWARDFUL,
            Source.REWARDFUL,
            ClientRow(client=by_email("kim"), affiliate=by_email("adam")),
        ),
    ],
)
def test_exports(kind, content, source, row):
    assert parsed(content, kind, source, currency="EUR", reason="moved") == [row]


def test_affiliates_of_a_native_file_of_post_affiliate_pro():
    rows = read(PAP, ImportKind.AFFILIATES, Source.PAP)

    assert [(row.number, row.is_skipped) for row in rows] == [
        (9, False),
        (10, False),
        (11, True),
    ]
    assert parsed(PAP, ImportKind.AFFILIATES, Source.PAP) == [
        AffiliateRow(
            client=by_email("anna"),
            code="anna",
            old_id="11111111",
        ),
        AffiliateRow(
            client=by_email("bob"),
            old_id="22222222",
            status=AffiliateStatus.SUSPENDED,
        ),
    ]


def test_a_link_of_post_affiliate_pro_is_by_its_userid():
    links = parsed(PAP, ImportKind.LINKS, Source.PAP)

    assert [link.old_code for link in links] == ["11111111", "22222222"]


def test_only_sales_of_post_affiliate_pro_are_orders():
    [order] = parsed(PAP, ImportKind.ORDERS, Source.PAP, currency="EUR")

    assert isinstance(order, OrderRow)
    assert (order.order_ref, order.affiliate, order.client, order.net) == (
        "900",
        by_id("11111111"),
        by_email("kim"),
        12_000,
    )


def test_orders_of_tapfiliate():
    [order] = parsed(TAPFILIATE, ImportKind.ORDERS, Source.TAPFILIATE)

    assert isinstance(order, OrderRow)
    assert (order.client, order.net, order.currency) == (by_id("17"), 1_250, "EUR")
    assert order.placed_at.isoformat() == "2024-03-09T11:00:01+00:00"


def test_a_file_without_the_section_is_refused():
    content = PAP.partition("[[AFFILIATES]]")[0]

    error = refusal_of(content, ImportKind.AFFILIATES, Source.PAP)

    assert (error.code, error.params) == ("no_section", {"name": "AFFILIATES"})


def test_what_an_export_lacks_is_called_as_the_export_calls_it():
    with pytest.raises(UnreadableFile) as refused:
        read("id,visitors\n", ImportKind.AFFILIATES, Source.WHMCS)

    assert refused.value.error.params == {"names": "email, clientid"}


@each("kind", ImportKind)
def test_columns_are_described(kind):
    part = PAGE.partition(f"\n### {kind.label}\n")[2].partition("\n##")[0]
    rows = re.findall(r"^\| `(\w+)`([^|]*) \|", part, re.MULTILINE)
    needed = {column for group in REQUIRED[kind] for column in group}

    assert tuple(name for name, _ in rows) == COLUMNS[kind]
    assert {name for name, mark in rows if "*" in mark} == needed
    [example] = re.findall(r"```csv\n(.*?)```", part, re.DOTALL)
    rows_of_example = parsed(example, kind, Source.OWN)
    assert rows_of_example
    assert not any(isinstance(row, tuple) for row in rows_of_example)


@each("source", [one for one in Source if one is not Source.OWN])
def test_columns_of_exports_are_described(source):
    part = PAGE.partition(f"\n### {source.label}\n")[2].partition("\n##")[0]
    rows = re.findall(r"^\| ([\w ]+) \| `(\w+)` \| `(\w+)` \|$", part, re.MULTILINE)
    described = {(kind, column): theirs for kind, column, theirs in rows}

    assert described == {
        (kind.label, column): theirs
        for (of, kind), export in EXPORTS.items()
        for column, theirs in export.headings.items()
        if of is source
    }
