from __future__ import annotations

import pytest

from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts import details
from affiliates.payouts.providers.registry import PROVIDERS
from tests.cases import each
from tests.factories.payouts import GIVEN, IBAN

BANK, PAYPAL = "bank", "paypal"
OFFLINE, WALLET = "offline", "wallet"
OTHER_KEY = "7:" + "B" * 43 + "="
KEY = "1:" + "A" * 43 + "="


@pytest.mark.parametrize(
    ("_case", "written"),
    [
        ("plain", IBAN),
        ("groups", "DE89 3704 0044 0532 0130 00"),
        ("small", "de89370400440532013000"),
        ("around", f"  {IBAN} "),
        ("zero-width around", f"\u200b{IBAN}\ufeff"),
        ("direction around", f"\u202a{IBAN}\u202c"),
        ("no-break blanks", IBAN[:4] + "\u00a0" + IBAN[4:8] + "\u202f" + IBAN[8:]),
        ("soft hyphen", f"{IBAN[:8]}\u00ad{IBAN[8:]}"),
    ],
)
def test_iban_is_kept_without_spaces(_case, written):
    given = {
        "account_holder": "\u200e Ada Lovelace ",
        "iban": written,
        "email": "ignored",
    }

    assert PROVIDERS[BANK].check(given) == {
        "account_holder": "Ada Lovelace",
        "iban": IBAN,
    }


@each(
    ("code", "iban"),
    [
        ("required", ""),
        ("required", "   "),
        ("invalid_iban", "DE88370400440532013000"),
        ("invalid_iban", "DE8937040044053201300"),
        ("invalid_iban", "DE893704004405320130000"),
        ("invalid_iban", "XX89370400440532013000"),
        ("invalid_iban", "IBAN"),
        ("invalid_iban", "DE"),
        ("invalid_iban", "０" * 22),
        ("invalid_iban", "=1+1"),
        ("not_sepa", "TR330006100519786457841326"),
        ("not_sepa", "AE070331234567890123456"),
        ("max_length", "D" * 51),
        ("invalid", "DE89\x00370400440532013000"),
    ],
)
def test_iban_that_is_none_is_refused(code, iban):
    with pytest.raises(InvalidInput) as refused:
        PROVIDERS[BANK].check({"account_holder": "Ada", "iban": iban})

    assert (refused.value.code, refused.value.field) == (code, "iban")


@each(
    ("code", "kind", "given", "field"),
    [
        ("required", BANK, {"iban": IBAN}, "account_holder"),
        ("max_length", BANK, {"account_holder": "a" * 71}, "account_holder"),
        ("invalid_account_holder", BANK, {"account_holder": "☃ ☃"}, "account_holder"),
        ("invalid", BANK, {"account_holder": "Ada\nLovelace"}, "account_holder"),
        ("required", PAYPAL, {}, "email"),
        ("invalid_email", PAYPAL, {"email": "nobody"}, "email"),
        ("invalid_email", PAYPAL, {"email": "=cmd@example.org"}, "email"),
        ("invalid_email", PAYPAL, {"email": "+49@example.org"}, "email"),
        ("invalid_email", PAYPAL, {"email": "-a@example.org"}, "email"),
        ("max_length", PAYPAL, {"email": "a" * 250 + "@b.de"}, "email"),
        ("required", OFFLINE, {"agreement": " "}, "agreement"),
        ("max_length", OFFLINE, {"agreement": "a" * 256}, "agreement"),
    ],
)
def test_other_details_that_cannot_be_used_are_refused(code, kind, given, field):
    with pytest.raises(InvalidInput) as refused:
        PROVIDERS[kind].check(given)

    assert (refused.value.code, refused.value.field) == (code, field)


@pytest.mark.parametrize(
    ("kind", "hint"),
    [(BANK, "DE… 3000"), (PAYPAL, "p…@example.org"), (WALLET, ""), (OFFLINE, "")],
)
def test_hint_shows_little(kind, hint):
    assert PROVIDERS[kind].hint(GIVEN[kind]) == hint


def test_details_are_stored_encrypted_and_read_again():
    token = details.ACCOUNTS.seal(GIVEN[BANK])

    assert IBAN not in token
    assert details.ACCOUNTS.seal(GIVEN[BANK]) != token
    assert details.ACCOUNTS.open(token) == GIVEN[BANK]


def test_key_that_is_gone_is_said(settings):
    token = details.ACCOUNTS.seal(GIVEN[BANK])
    settings.AFFILIATES_SECRET_KEYS = OTHER_KEY

    with pytest.raises(StateConflict) as refused:
        details.ACCOUNTS.open(token)

    assert refused.value.code == "details_unreadable"


def test_rotated_key_still_reads(settings):
    token = details.ACCOUNTS.seal(GIVEN[BANK])
    settings.AFFILIATES_SECRET_KEYS = f"{OTHER_KEY},{KEY}"

    assert details.ACCOUNTS.open(token) == GIVEN[BANK]


def test_same_account_has_the_same_fingerprint_whoever_gives_it():
    first = details.fingerprint_of(PAYPAL, {"email": "Ada@Example.org"})
    again = details.fingerprint_of(PAYPAL, {"email": "ada@example.org"})
    other = details.fingerprint_of(BANK, GIVEN[BANK])

    assert first == again != other
    assert len(first) == len(other) == 64
    assert details.fingerprint_of(WALLET, {}) == ""
