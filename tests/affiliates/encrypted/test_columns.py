"""Every column that holds a secret is declared as encrypted, or is in the table below."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import models

from affiliates import APPS
from affiliates.encrypted.columns import Purpose, encrypted_columns
from tests.affiliates.verification.program import make_program

ROOT = Path(__file__).resolve().parents[3]
SECRET = re.compile(
    r"secret|token|passw|credential|(^|_)key$|recovery|digest|cookie|sealed|details"
)
TEXTS = (models.CharField, models.TextField, models.BinaryField, models.JSONField)
ENCRYPTED = re.compile(r"[0-9]{1,3}\.[A-Za-z0-9_-]{38,}")
DIGEST = "A digest, from which nobody finds its text."
KEY = "What identifies the row or its cause."
# Named like secrets, but not encrypted: why.
NOT_ENCRYPTED = {
    "affiliates.Adjustment.key": KEY,
    "affiliates.AttributionPolicyVersion.digest": DIGEST,
    "affiliates.Brand.old_addresses": "What becomes of addresses.",
    "affiliates.CallCount.key": KEY,
    "affiliates.Commission.reason_details": "Numbers of a sentence.",
    "affiliates.CommissionEvent.reason_details": "Numbers of a sentence.",
    "affiliates.CommissionPlanVersion.digest": DIGEST,
    "affiliates.ConfigChange.token": "Random, and tells of a change.",
    "affiliates.CouponCodeVersion.digest": DIGEST,
    "affiliates.Delivery.key": KEY,
    "affiliates.Email.key": KEY,
    "affiliates.LedgerPosting.key": KEY,
    "affiliates.OrderReferral.referral_cookie": "As it was sent: of the cookie keys.",
    "affiliates.PayoutBatch.digest": DIGEST,
    "affiliates.ProvedRange.digest": DIGEST,
    "affiliates.RetiredName.digest": DIGEST,
    "affiliates_area.AffiliateKey.digest": DIGEST,
    "affiliates_events_api.BrandKey.digest": DIGEST,
    "affiliates_claims.MissingSaleClaim.key": DIGEST,
    "affiliates_imports.ImportFile.digest": DIGEST,
    "affiliates_imports.ImportedRow.key": KEY,
    "affiliates_invoices.PayoutInvoice.digest": DIGEST,
    "affiliates_offers.OfferVersion.digest": DIGEST,
    "affiliates_payout_runs.PayoutAnswer.digest": DIGEST,
    "auth.User.password": DIGEST,
    "portal.AuthToken.digest": DIGEST,
    "portal.AuthToken.token_key": "The first characters, by which a token is looked up.",
    "otp_static.StaticToken.token": DIGEST,
    "portal.OpenSession.session_key": DIGEST,
    "portal.User.password": DIGEST,
    "sessions.Session.session_key": "Django looks a session up by it.",
}
# Their texts are given to a browser or a recipient, and stored nowhere.
NOT_STORED = {
    "affiliates.contrib.announcements.selectors.LINK",
    "affiliates.contrib.area.looks.services._HANDOVER",
    "affiliates.contrib.area.looks.services._LOOK",
    "affiliates.emails.links._UNSUBSCRIBE",
}


def test_a_column_that_is_named_like_a_secret_is_encrypted_or_explained():
    named = {
        f"{model._meta.label}.{field.name}"
        for model in _tables()
        for field in model._meta.concrete_fields
        if isinstance(field, TEXTS)
        and (SECRET.search(field.name) or "ncrypted" in field.help_text)
    }

    assert named - _registered() - NOT_ENCRYPTED.keys() == set()


def test_every_registered_column_exists_and_may_be_long_enough():
    for column in encrypted_columns():
        field = column.model._meta.get_field(column.name)
        assert isinstance(field, (models.CharField, models.TextField))
        assert (field.max_length or 80) >= 80


def test_every_purpose_of_the_code_is_that_of_a_registered_column():
    """A text can only be encrypted for a purpose."""
    missing = [app for app in APPS if not apps.is_installed(app)]
    purposes = {
        f"{module}.{name}"
        for package in ("affiliates", "portal")
        for path in (ROOT / package).rglob("*.py")
        for module in [".".join(path.relative_to(ROOT).with_suffix("").parts)]
        for name in re.findall(
            r"^(\w+) = Purpose\(", path.read_text("utf-8"), re.MULTILINE
        )
        if any(module.startswith(f"{one.name}.") for one in apps.get_app_configs())
        and not any(module.startswith(f"{app}.") for app in missing)
    }
    registered = {column.purpose for column in encrypted_columns()}

    left = {name for name in purposes if _purpose(name) not in registered}

    assert left == {name for name in NOT_STORED if name in purposes}


def test_nothing_else_in_the_code_encrypts():
    users = {
        path.relative_to(ROOT).as_posix()
        for package in ("affiliates", "portal")
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"cryptography|core\.secrets\.encryption", path.read_text("utf-8"))
    }

    assert users == {
        # Alike for a week, so that rows can be compared: by the code's own fields.
        "affiliates/encrypted/addresses.py",
        "affiliates/core/secrets/encryption.py",
        "affiliates/core/secrets/sealing.py",
        "affiliates/encrypted/columns.py",
        "affiliates/encrypted/selectors.py",
        "affiliates/encrypted/services.py",
        # Fingerprints alone.
        "affiliates/payouts/details.py",
        "affiliates/program/slug_models.py",
    }


@pytest.mark.django_db
def test_no_other_column_of_a_program_in_which_everything_happened_is_encrypted():
    make_program()

    found = {
        f"{model._meta.label}.{field.name}"
        for model in _tables()
        for field in model._meta.concrete_fields
        if isinstance(field, TEXTS)
        for value in model._base_manager.values_list(field.name, flat=True)[:100]
        if isinstance(value, str) and ENCRYPTED.fullmatch(value)
    }

    assert "affiliates.PayoutDestination.details" in found
    assert found - _registered() == set()


def _tables() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if not model._meta.proxy]


def _registered() -> set[str]:
    return {
        f"{column.model._meta.concrete_model._meta.label}.{column.name}"
        for column in encrypted_columns()
    }


def _purpose(path: str) -> Purpose:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
