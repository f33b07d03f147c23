"""Checks of a destination's details. Each raises InvalidInput that names the field."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from stdnum import bic as bics
from stdnum import iban as ibans
from stdnum.exceptions import ValidationError as InvalidNumber

from affiliates.core.tables.cells import trimmed, without_unseen
from affiliates.errors import InvalidInput
from affiliates.payouts.providers.protocol import DetailField

# Countries whose IBANs a SEPA credit transfer reaches (EPC409-09).
_SEPA_COUNTRIES = """
AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV
MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA
"""
SEPA_COUNTRIES = frozenset(_SEPA_COUNTRIES.split())


def required(values: Mapping[str, str], field: DetailField) -> str:
    """The field's text, without blanks at its ends."""
    text = trimmed(values.get(field.name, ""))
    if not text:
        raise InvalidInput("required", "This field is required.", field=field.name)
    if len(text) > field.most:
        raise InvalidInput(
            "max_length",
            _("At most {most} characters are kept.").format(most=field.most),
            field=field.name,
        )
    if not text.isprintable():
        raise InvalidInput("invalid", "Leave out control characters.", field=field.name)
    return text


def check_iban(value: str, *, field: str = "iban") -> str:
    """The IBAN without spaces, of a country that SEPA reaches."""
    try:
        iban: str = ibans.validate(without_unseen(value))
    except InvalidNumber:
        raise InvalidInput(
            "invalid_iban",
            "This is no valid IBAN. Look for a mistyped or missing digit.",
            field=field,
        ) from None
    if iban[:2] not in SEPA_COUNTRIES:
        raise InvalidInput(
            "not_sepa",
            _(
                "Accounts in {country} take no SEPA transfer. Choose another destination."
            ).format(country=iban[:2]),
            field=field,
        )
    return iban


def check_bic(value: str, *, field: str = "bic") -> str:
    try:
        bic: str = bics.validate(without_unseen(value))
    except InvalidNumber:
        raise InvalidInput(
            "invalid_bic", "A BIC has 8 or 11 letters and digits.", field=field
        ) from None
    return bic
