"""Which numbers are taken, which refused, and which cannot be checked."""

from __future__ import annotations

import pytest

from affiliates.contrib.tax_identity.details import (
    check_details,
    country_names,
    hint_of,
    is_for_vies,
    unchecked_numbers,
)
from affiliates.errors import InvalidInput
from tests.cases import each

GIVEN = {
    "name": "Ada Lovelace",
    "address": "Hauptstr. 1\n10115 Berlin",
    "country": "DE",
    "kind": "business",
}


def checked(**changes):
    return check_details({**GIVEN, **changes})


@each(
    ("country", "given", "stored", "asked"),
    [
        ("DE", "DE136695976", "DE136695976", True),
        ("DE", " de 136 695 976 ", "DE136695976", True),
        ("DE", "136695976", "DE136695976", True),
        ("GR", "094259216", "EL094259216", True),
        ("GR", "GR094259216", "EL094259216", True),
        ("FR", "DE136695976", "DE136695976", True),
        ("GB", "XI432525179", "XI432525179", True),
        ("GB", "GB 980 7806 84", "GB980780684", False),
        ("CH", "CHE-107.787.577 IVA", "CHE107787577IVA", False),
        ("CH", "DE136695976", "DE136695976", True),
        ("US", "", "", False),
        ("BO", "1234567-8", "1234567-8", False),
    ],
)
def test_a_vat_id_is_stored_in_one_form(country, given, stored, asked):
    details = checked(country=country, vat_id=given, us_classification="llc")

    assert (details["vat_id"], is_for_vies(details)) == (stored, asked)


@each(
    ("country", "number", "stored", "unchecked"),
    [
        ("US", "123-45-6789", "123456789", []),
        ("DE", "12/345/67890", "12/345/67890", ["tax_number"]),
        ("AT", "59-119/9013", "591199013", []),
        ("DE", "", "", []),
    ],
)
def test_a_tax_number_is_checked_where_its_form_is_known(
    country, number, stored, unchecked
):
    details = checked(country=country, tax_number=number, us_classification="llc")

    assert details["tax_number"] == stored
    assert unchecked_numbers(details) == unchecked


@each(
    ("changes", "code", "field"),
    [
        ({"vat_id": "DE136695977"}, "invalid_vat_id", "vat_id"),
        ({"vat_id": "136695977"}, "invalid_vat_id", "vat_id"),
        ({"country": "CH", "vat_id": "CHE-1"}, "invalid_vat_id", "vat_id"),
        ({"vat_id": "DE" + "1" * 40}, "max_length", "vat_id"),
        (
            {"country": "US", "us_classification": "llc", "tax_number": "12"},
            "invalid_tax_number",
            "tax_number",
        ),
        ({"country": "US"}, "required", "us_classification"),
        ({"country": "US", "us_classification": "x"}, "invalid_choice", "us_classification"),
        ({"country": "EU"}, "invalid_choice", "country"),
        ({"country": "de"}, "invalid_choice", "country"),
        ({"country": ""}, "required", "country"),
        ({"kind": "club"}, "invalid_choice", "kind"),
        ({"name": " "}, "required", "name"),
        ({"name": "Ada\x00"}, "invalid", "name"),
        ({"name": "a" * 141}, "max_length", "name"),
        ({"address": "\n"}, "required", "address"),
        ({"address": "a" * 501}, "max_length", "address"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_its_field(changes, code, field):
    with pytest.raises(InvalidInput) as refused:
        checked(**changes)

    assert (refused.value.code, refused.value.field) == (code, field)


def test_an_address_keeps_its_lines_without_blanks():
    details = checked(address="  Hauptstr. 1 \r\n\r\n10115 Berlin\n")

    assert details["address"] == "Hauptstr. 1\n10115 Berlin"


def test_a_classification_is_of_the_united_states_alone():
    assert checked(us_classification="llc")["us_classification"] == ""
    assert checked(country="US", us_classification="llc")["us_classification"] == "llc"


@each(
    ("changes", "hint"),
    [
        ({"vat_id": "DE136695976"}, "DE …5976"),
        ({"tax_number": "12/345/67890"}, "DE …7890"),
        ({}, "DE"),
    ],
)
def test_a_hint_shows_the_end_of_a_number(changes, hint):
    assert hint_of(checked(**changes)) == hint


def test_countries_are_those_of_iso_3166_and_kosovo():
    names = country_names("de")

    assert len(names) == 250
    assert (names["DE"], names["XK"]) == ("Deutschland", "Kosovo")
