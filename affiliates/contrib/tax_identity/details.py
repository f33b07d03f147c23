"""The details of an identity: checked when given, encrypted at rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from babel import Locale
from django.utils.translation import to_locale
from stdnum import get_cc_module
from stdnum.eu import vat as eu_vat
from stdnum.exceptions import ValidationError as InvalidNumber

from affiliates.contrib.tax_identity.rules import PayeeKind, UsClassification
from affiliates.core.tables.cells import trimmed, without_unseen
from affiliates.encrypted.columns import Purpose
from affiliates.errors import InvalidInput, limited_text, required_text

MAX_NAME = 140
MAX_ADDRESS = 500
MAX_NUMBER = 40
NUMBERS = ("tax_number", "vat_id")
UNITED_STATES = "US"
# VAT IDs of Greece begin with EL; those of Northern Ireland, which VIES knows, with XI.
EU_PREFIXES = frozenset(
    {"gr": "EL"}.get(state, state.upper()) for state in eu_vat.MEMBER_STATES
)
# CLDR also has two letters for groups of countries, parts of some, and tests.
_OTHER_CODES = "AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ"

IDENTITIES = Purpose(b"affiliates.tax_identity.v1")

Details = dict[str, str]


@cache
def country_names(language: str) -> dict[str, str]:
    """The names of the countries of ISO 3166 in their order, by alpha-2 code."""
    names: Any = Locale.parse(to_locale(language)).territories
    codes = {code for code in names if len(code) == 2 and code.isalpha()}  # noqa: PLR2004 - alpha-2
    countries = sorted(codes - {*_OTHER_CODES.split()}, key=names.__getitem__)
    return {code: names[code] for code in countries}


def check_details(values: Mapping[str, str]) -> Details:
    """The given values as they are stored. Raises InvalidInput that names the field."""
    address = map(trimmed, values.get("address", "").splitlines())
    country = _choice(values, "country", country_names("en"))
    details = {
        "name": required_text(values.get("name", ""), field="name", most=MAX_NAME),
        "address": required_text(
            "\n".join(filter(None, address)), field="address", most=MAX_ADDRESS
        ),
        "country": country,
        "kind": _choice(values, "kind", PayeeKind.values),
        **{field: _number(values, field, country) for field in NUMBERS},
        "us_classification": _choice(values, "us_classification", UsClassification)
        if country == UNITED_STATES
        else "",
    }
    for field, text in details.items():
        if not text.replace("\n", "").isprintable():
            raise InvalidInput("invalid", "Leave out control characters.", field=field)
    return details


def unchecked_numbers(details: Mapping[str, str]) -> list[str]:
    """The fields of the given numbers whose form python-stdnum does not know."""
    return [
        field
        for field in NUMBERS
        if details.get(field) and not _checks(field, details[field], details["country"])
    ]


def is_for_vies(details: Mapping[str, str]) -> bool:
    vat_id = details["vat_id"]
    return vat_id[:2] in EU_PREFIXES and bool(eu_vat.is_valid(vat_id))


def hint_of(details: Mapping[str, str]) -> str:
    """The part that all staff may see: "DE …5976"."""
    number = details["vat_id"] or details["tax_number"]
    return f"{details['country']} …{number[-4:]}" if number else details["country"]


def _choice(values: Mapping[str, str], field: str, choices: Collection[str]) -> str:
    value = values.get(field, "")
    if value not in choices:
        code = "invalid_choice" if value else "required"
        raise InvalidInput(code, "Choose one that is listed.", field=field)
    return value


def _number(values: Mapping[str, str], field: str, country: str) -> str:
    """Without a check for the country, the number stays as it was given."""
    number = limited_text(trimmed(values.get(field, "")), field=field, most=MAX_NUMBER)
    if field == "vat_id":
        number = _prefixed(number, country)
    checks = _checks(field, number, country) if number else []
    for check in checks:
        try:
            normal = check(number)
        except InvalidNumber:
            continue
        # Some drop the country's letters, which statements should have.
        return number if number.endswith(normal) else normal
    if checks:
        raise InvalidInput(
            f"invalid_{field}",
            "This number is not valid. Look for a mistyped or missing digit.",
            field=field,
        )
    return number


def _prefixed(vat_id: str, country: str) -> str:
    """VAT IDs of the European Union begin with the country's letters."""
    number = without_unseen(vat_id).upper()
    prefix = "EL" if country == "GR" else country
    if number.startswith("GR"):
        number = f"EL{number[2:]}"
    is_bare = bool(number) and number[:2] not in EU_PREFIXES
    return f"{prefix}{number}" if is_bare and prefix in EU_PREFIXES else number


def _checks(field: str, number: str, country: str) -> list[Callable[[str], str]]:
    """One of them must accept the number: a Swiss business may have a German VAT ID."""
    if field == "tax_number":
        modules: list[Any] = [get_cc_module(country, "tin")]
    elif number[:2] in EU_PREFIXES:
        modules = [eu_vat, get_cc_module(country, "vat")]
    else:
        modules = [get_cc_module(country, "vat")]
    return [module.validate for module in modules if module]
