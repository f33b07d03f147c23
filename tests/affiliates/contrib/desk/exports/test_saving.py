"""What a list shows, saved as CSV and XLSX."""

from __future__ import annotations

import csv
from decimal import Decimal
from io import BytesIO, StringIO

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools import exports
from affiliates.admin_tools.naming import page_name
from affiliates.program.models import Affiliate
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory, AffiliateLinkFactory
from tests.factories.ledger import NOW
from tests.factories.program import make_program

openpyxl = pytest.importorskip("openpyxl")


def url_of(model: str, file_format: str = "csv", query: str = "") -> str:
    return reverse(page_name(model, "export"), args=[file_format]) + f"?{query}"


def body_of(response) -> bytes:
    return b"".join(response.streaming_content)


def rows_of(response) -> list[list[str]]:
    text = body_of(response).decode("utf-8-sig")
    return list(csv.reader(StringIO(text, newline="")))


@pytest.fixture
def affiliates(brand, host):
    return [
        AffiliateFactory(
            brand=brand,
            user=host.client(brand, email=f"{code}@example.com"),
            code=code,
            status=status,
        )
        for code, status in [("ada", "active"), ("bob", "pending"), ("cy", "active")]
    ]


def test_file_has_the_columns_of_the_list_in_its_order(admin_client, affiliates):
    response = admin_client.get(url_of("affiliate", query="o=1"))

    header, *rows = rows_of(response)
    page = admin.site._registry[Affiliate]
    assert len(header) == len(page.get_list_display(response.wsgi_request))
    assert [row[0] for row in rows] == ["ada", "bob", "cy"]
    assert response["Content-Type"] == "text/csv; charset=utf-8"


@each(
    ("query", "codes"),
    [
        ("status__exact=active", ["cy", "ada"]),
        ("q=bob", ["bob"]),
        ("o=-1", ["cy", "bob", "ada"]),
        ("p=7", ["cy", "bob", "ada"]),
        ("q=nobody", []),
    ],
)
def test_rows_are_those_that_the_list_finds(query, codes, admin_client, affiliates):
    _, *rows = rows_of(admin_client.get(url_of("affiliate", query=query)))

    assert [row[0] for row in rows] == codes


def test_unknown_filter_leads_back_to_the_list(admin_client, brand):
    response = admin_client.get(url_of("affiliate", query="colour=red"))

    assert response.status_code == 302


def test_money_is_a_number_beside_its_currency(admin_client, affiliate):
    make_program(affiliate, now=NOW)

    header, *rows = rows_of(admin_client.get(url_of("accountbalance")))

    place = header.index("Balance")
    assert header[place + 1] == "Balance: currency"
    found = {row[header.index("Account")]: row[place : place + 2] for row in rows}
    assert found["Program expense"] == ["-58.00", "EUR"]


def test_sheet_has_numbers_and_times(admin_client, affiliate):
    make_program(affiliate, now=NOW)

    response = admin_client.get(url_of("ledgerposting", "xlsx"))

    sheet = openpyxl.load_workbook(BytesIO(body_of(response))).active
    header, first, *_ = sheet.iter_rows(values_only=True)
    row = dict(zip(header, first, strict=True))
    assert isinstance(row["Amount"], int | float)
    assert row["Amount: currency"] == "EUR"
    assert row["Posted"] == timezone.localtime(NOW).replace(tzinfo=None)


@each("sign", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_text_is_no_formula(sign):
    assert exports._cell(f"{sign}1+1") == f"'{sign}1+1"


@each(
    ("value", "cell"),
    [
        (Decimal("-5.00"), Decimal("-5.00")),
        (-5, -5),
        ("-", None),
        (None, None),
        (True, "yes"),
    ],
)
def test_other_cells_stay_what_they_are(value, cell):
    assert exports._cell(value) == cell


def test_formula_in_a_name_is_neutralised_in_both(admin_client, affiliate):
    AffiliateLinkFactory(affiliate=affiliate, name='=HYPERLINK("http://evil")')

    [_, row] = rows_of(admin_client.get(url_of("affiliatelink")))
    sheet = openpyxl.load_workbook(
        BytesIO(body_of(admin_client.get(url_of("affiliatelink", "xlsx"))))
    ).active

    assert row[0] == '\'=HYPERLINK("http://evil")'
    assert sheet["A2"].value == '\'=HYPERLINK("http://evil")'
    assert sheet["A2"].data_type == "s"


def test_every_list_can_be_saved(admin_client, affiliate):
    make_program(affiliate, now=NOW)
    pages = [
        page
        for page in admin.site._registry.values()
        if isinstance(page, exports.Exportable)
    ]

    for page in pages:
        name = f"admin:{page.opts.app_label}_{page.opts.model_name}_export"
        response = admin_client.get(reverse(name, args=["csv"]))
        assert response.status_code == 200, name
        assert rows_of(response)[0], name
    assert len(pages) > 20


def test_list_shows_the_way_to_its_files(admin_client, affiliate):
    page = admin_client.get(
        reverse("admin:affiliates_affiliate_changelist") + "?status__exact=active"
    ).content.decode()

    assert 'href="export/csv/?status__exact=active"' in page
    assert 'href="export/xlsx/?status__exact=active"' in page


def test_who_may_not_look_gets_no_file(admin_client, admin_user, affiliate):
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])
    admin_user.user_permissions.add(
        Permission.objects.get(codename="view_affiliatelink")
    )

    assert admin_client.get(url_of("affiliate")).status_code == 403
    assert admin_client.get(url_of("affiliatelink")).status_code == 200
