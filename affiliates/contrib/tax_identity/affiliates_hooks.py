"""Registers the requirement, the payee, the page of the area and personal data."""

from __future__ import annotations

from django.urls import path
from django.utils.translation import gettext_lazy as _

from affiliates.admin_tools.leaving import LEAVING, Leaving
from affiliates.api.registry import ROUTES
from affiliates.brands.roles import FINANCE, Work, register
from affiliates.contrib.area.sections import MONEY, MORE_PAGES
from affiliates.contrib.tax_identity import services
from affiliates.contrib.tax_identity.api import TaxIdentityViewSet
from affiliates.contrib.tax_identity.details import IDENTITIES
from affiliates.contrib.tax_identity.models import TaxIdentity, ViesAnswer
from affiliates.contrib.tax_identity.pages import IdentityChangePage, IdentityPage
from affiliates.contrib.tax_identity.selectors import (
    missing_identity,
    payee_on_statement,
)
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.encrypted.columns import register_column
from affiliates.payouts.requirements.registry import PAYEES, REQUIREMENTS
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Ground, Key, Person, Receiver, Use
from affiliates.privacy.uses import ACT, BOOKS
from affiliates.verification.seals import SEALED

__all__ = ["services"]

register_column("affiliates_tax_identity.TaxIdentity", "details", purpose=IDENTITIES)
REQUIREMENTS.append(missing_identity)
PAYEES.append(payee_on_statement)
ROUTES.append(
    path(
        "api/affiliate/tax_identity",
        TaxIdentityViewSet.as_view({"get": "retrieve", "put": "update"}),
        name="affiliate_tax_identity",
    )
)
MONEY["tax_identity"] = _("Who is paid")
MORE_PAGES += [
    path("identity", IdentityPage.as_view(), name="tax_identity"),
    path("identity/change", IdentityChangePage.as_view(), name="tax_identity_change"),
]
SEALED |= {
    TaxIdentity: "affiliate__brand_id",
    ViesAnswer: "identity__affiliate__brand_id",
}
RECORDED_MODELS["affiliates_tax_identity.IdentityTerms"] = "brand"
for permission in ("add_taxidentity", "change_identityterms"):
    LEAVING[f"affiliates_tax_identity.{permission}"] = Leaving.MONEY
register(
    "affiliates_tax_identity",
    {FINANCE: Work(configures=("identityterms",), does=("add_taxidentity",))},
)

PAYEE = Use(
    Person.AFFILIATE,
    _("To state who is paid, as tax law asks for"),
    Ground.DUTY,
    BOOKS,
    (Receiver.TAX,),
)
declare(
    "affiliates_tax_identity.IdentityTerms", other="needed_from countries own_vat_id"
)
declare(
    "affiliates_tax_identity.TaxIdentity",
    {PAYEE: "details hint", ACT: "entered_by"},
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    opens={"details": IDENTITIES.open},
)
declare("affiliates_tax_identity.ViesAnswer", other="reference")
