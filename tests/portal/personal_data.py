"""A client and an affiliate in whom every field holds something of its own."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.contrib.stripe.models import (
    StripeEvent,
    StripeEventState,
    StripeInvoice,
    StripePayment,
)
from affiliates.core.ids import new_id
from affiliates.encrypted.addresses import AddressField
from affiliates.encrypted.columns import encrypted_columns
from affiliates.outbox.models.delivery import DeliveryAttempt, VisitorAlias
from affiliates.outbox.queue.rules import QueueState
from affiliates.privacy.registry import DeclaredModel, declared
from affiliates.privacy.types import Person
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from portal.billing.models import Payment, Refund
from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from portal.clients.open_sessions import OpenSession
from portal.clients.reset_requests import PasswordReset
from portal.clients.second_factor import renew_codes
from tests.append_only import unguarded
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    AffiliateNoteFactory,
    AffiliateTransferFactory,
    ClickFactory,
)
from tests.factories.announcements import AnnouncementFactory
from tests.factories.area import AffiliateKeyFactory, AreaLookFactory
from tests.factories.books import (
    AdjustmentFactory,
    CommissionEventFactory,
    CommissionFactory,
    CommissionLineFactory,
    DecisionOverrideFactory,
    PayoutEventFactory,
    PayoutFactory,
)
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.emails import EmailFactory
from tests.factories.fraud import FraudReviewFactory
from tests.factories.imports import ImportedRowFactory
from tests.factories.integrations import (
    DeliveryFactory,
    TrackingIntegrationFactory,
    WebhookFactory,
    external_fields,
)
from tests.factories.invoices import PayoutInvoiceFactory
from tests.factories.ledger import (
    NOW,
    ClientReferralFactory,
    InvoiceRefundFactory,
    OrderReferralFactory,
    SaleFactory,
    decision_of,
    touch_of,
)
from tests.factories.offers import OfferCodeFactory, OfferFactory
from tests.factories.payout_runs import (
    AnswerLineFactory,
    RunLineFactory,
    StatementFactory,
)
from tests.factories.plans import CouponCodeFactory
from tests.factories.portal import (
    ClientFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    WalletEntryFactory,
    convert_order,
)
from tests.factories.recruitment import (
    ApplicationFactory,
    InvitationFactory,
    UnverifiedApplicationFactory,
)
from tests.factories.tax_identity import TaxIdentityFactory

# What finds rows by other ways than a column's name in the table.
FINDS = {"auditlog.LogEntry": {"object_pk", "additional_data"}}


def make_client(affiliate: Affiliate, email: str) -> User:
    """A client sent by the affiliate, with an order that was paid and refunded.

    A member of staff must be there.
    """
    brand = affiliate.brand
    client = ClientFactory(brand=brand, email=email)
    integration = brand.integrations.filter(affiliate=None).first()
    integration = integration or TrackingIntegrationFactory(brand=brand)
    visitor = new_id()
    click = ClickFactory(affiliate=affiliate, id=new_id(), visitor_id=visitor)
    touch = external_fields(integration, NOW) | {"external_click_id": click.pk}
    touch["external_visitor_id"] = f"{email}-visitor"
    ClientReferralFactory(
        affiliate=affiliate,
        client=client,
        click_id=click.pk,
        visitor_id=visitor,
        **touch,
    )
    order = OrderFactory(client=client)
    OrderItemFactory(order=order)
    details = PaymentDetailsFactory(client=client)
    invoice = convert_order(
        order_id=order.pk,
        client_id=client.pk,
        payment_details_id=details.pk,
        now=NOW,
    )
    Payment(
        invoice=invoice,
        gateway="manual",
        reference=email,
        amount=invoice.gross,
        received_at=NOW,
    ).save()
    Refund(
        invoice=invoice,
        gateway="manual",
        reference=email,
        kind="refund",
        amount=invoice.gross,
        refunded_at=NOW,
    ).save()
    referral = OrderReferralFactory(
        brand=brand,
        client=client,
        order_ref=str(order.pk),
        invoice_ref=str(invoice.pk),
        made=decision_of(touch_of(click), now=NOW),
        **touch,
    )
    sale = SaleFactory(order_referral=referral)
    InvoiceRefundFactory(brand=brand, invoice_ref=sale.invoice_ref)
    FraudReviewFactory(sale=sale)
    staff = User.objects.get(is_staff=True)
    DecisionOverrideFactory(referral=referral, actor=staff)
    CommissionLineFactory(
        commission=CommissionFactory(sale=sale, affiliate=affiliate), receipt={}
    )
    delivery = DeliveryFactory(
        integration=integration,
        operation="sale",
        key=f"sale:{client.pk}",
        order_ref=sale.invoice_ref,
        visitor_ref=touch["external_visitor_id"],
        state=QueueState.SENT,
        next_at=None,
        finished_at=NOW,
    )
    DeliveryAttempt(
        delivery=delivery, number=1, operation="sale", started_at=NOW, duration_ms=1
    ).save()
    VisitorAlias(
        integration=integration,
        visitor_ref=touch["external_visitor_id"],
        remote_id=email,
        created_at=NOW,
    ).save()
    _sell_by_stripe(client, invoice_id=sale.invoice_ref)
    WalletEntryFactory(client=client)
    OpenSession(session_key=email, user=client, expire_date=NOW).save()
    PasswordReset(brand=brand, email=email, language="en", requested_at=NOW).save()
    Authenticator.objects.create(user=client, name="Phone", confirmed=True)
    renew_codes(client)
    return client


def _sell_by_stripe(client: User, *, invoice_id: str) -> None:
    ids = {"brand": client.brand, "invoice_id": invoice_id}
    StripeInvoice.objects.create(
        **ids, subscription_id=client.email, has_amount=True, created_at=NOW
    )
    StripePayment.objects.create(**ids, payment_id=client.email)
    StripeEvent.objects.create(
        brand=client.brand,
        event_id=client.email,
        type="checkout.session.completed",
        created_at=NOW,
        received_at=NOW,
        state=StripeEventState.REFUSED,
        payload={"client_reference_id": str(client.pk)},
    )


def make_affiliate(brand: Brand, email: str, other: Affiliate) -> Affiliate:
    """An affiliate who was invited, applied, earned and was paid."""
    user = ClientFactory(brand=brand, email=email)
    affiliate = AffiliateFactory(brand=brand, user=user)
    slug = email.partition("@")[0]
    AffiliateLinkFactory(affiliate=affiliate, slug=slug, slug_brand=brand)
    AffiliateNoteFactory(affiliate=affiliate)
    AffiliateDeparture(affiliate=affiliate, left_at=NOW, ended_at=NOW).save()
    AffiliateTransferFactory(source=affiliate, target=other)
    CouponCodeFactory(affiliate=affiliate)
    OfferCodeFactory(offer=OfferFactory(brand=brand), affiliate=affiliate)
    WebhookFactory(brand=brand, affiliate=affiliate)
    EmailFactory(brand=brand, affiliate=affiliate, recipient=email)
    announcement = AnnouncementFactory(brand=brand, to=[affiliate])
    announcement.recipients.update(opened={"0": NOW.isoformat()})
    commission = CommissionFactory(affiliate=affiliate)
    CommissionEventFactory(commission=commission)
    AdjustmentFactory(affiliate=affiliate)
    payout = PayoutFactory(affiliate=affiliate)
    PayoutEventFactory(payout=payout)
    StatementFactory(payout=payout, series__affiliate=affiliate)
    AffiliateKeyFactory(affiliate=affiliate)
    AreaLookFactory(affiliate=affiliate)
    MissingSaleClaimFactory(affiliate=affiliate)
    RunLineFactory(affiliate=affiliate)
    digest = f"{affiliate.pk:064x}"
    AnswerLineFactory(answer__brand=brand, answer__digest=digest, payout=payout)
    ApplicationFactory(affiliate=affiliate)
    UnverifiedApplicationFactory(brand=brand, email=email)
    InvitationFactory(brand=brand, email=email, affiliate=affiliate)
    ImportedRowFactory(affiliate=affiliate, key=email)
    TaxIdentityFactory(affiliate=affiliate)
    PayoutInvoiceFactory(payout=payout)
    return affiliate


Columns = Callable[[DeclaredModel, Person], Iterable[str]]
# Documents of which something stays when their person is erased.
SHAPES: dict[str, Callable[[str], Any]] = {
    "affiliates.InvoicePayment.lines": lambda said: [{"description": said}],
    "affiliates.CommissionLine.receipt": lambda said: {"line": {"description": said}},
}


# Rows that are found by a part of their document, which stays.
FOUND_WITHIN = {"affiliates_stripe.StripeEvent"}


class Canaries:
    """Writes a text that exists once into each of a person's columns of new rows."""

    def __init__(self, columns: Columns | None = None) -> None:
        self._number = 0
        self._columns = columns or columns_of

    def write(self, person: Person, make: Callable[[], Any]) -> dict[str, list[str]]:
        """The texts by column, of the rows that ``make`` makes."""
        found: dict[str, list[str]] = defaultdict(list)
        with _new_rows() as rows, unguarded():
            make()
        with unguarded():
            for one, made in rows:
                for name in self._columns(one, person):
                    for row in made:
                        found[f"{one.name}.{name}"].append(self._put(one, row, name))
        return found

    def _put(self, one: DeclaredModel, row: Any, name: str) -> str:
        field: Any = one.model._meta.get_field(name)
        if field.is_relation or isinstance(field, models.UUIDField):
            return str(getattr(row, field.attname))
        if name in ways_of(one) or name == "external_visitor_id":
            return str(getattr(row, name))
        self._number += 1
        # Neither upper nor lower case: constraints ask for either.
        text = value = f"77{self._number:010}"
        if isinstance(field, AddressField):
            text = value = f"10.{self._number // 256}.{self._number % 256}.0/24"
        elif name in one.opens:
            columns = {(at.label, at.name): at for at in encrypted_columns()}
            content = json.dumps({"iban": text}).encode()
            value = columns[one.name, name].purpose.encrypt(content)
        elif isinstance(field, models.JSONField):
            kept = getattr(row, name) if one.name in FOUND_WITHIN else {}
            shape = SHAPES.get(
                f"{one.name}.{name}", lambda said: {**kept, "said": said}
            )
            value = shape(text)
        one.model._base_manager.filter(pk=row.pk).update(**{name: value})
        return text


def columns_of(one: DeclaredModel, person: Person) -> list[str]:
    """Those that a person of this kind must get."""
    if not any(person.owns(who) for who in one.of):
        return []
    return [
        name
        for name, use in one.uses()
        if person.owns(use.person)
        and not use.is_secret
        and name not in FINDS.get(one.name, ())
    ]


def ways_of(one: DeclaredModel) -> set[str]:
    """Columns by which rows are found: they stay as they are."""
    ways = {name for way in one.of.values() if not callable(way) for name in way}
    return ways | {"email"}


@contextmanager
def _new_rows() -> Iterator[list[tuple[DeclaredModel, list[Any]]]]:
    before = {one.name: _keys(one) for one in declared()}
    rows: list[tuple[DeclaredModel, list[Any]]] = []
    yield rows
    for one in declared():
        new = _keys(one) - before[one.name]
        made = one.model._base_manager.filter(pk__in=new)
        rows.append((one, [row for row in made if not _is_of_others(row)]))


def _is_of_others(row: Any) -> bool:
    """Whether it is an entry of auditlog that no affiliate's page shows."""
    if not hasattr(row, "additional_data"):
        return False
    is_own = row.content_type.model == "affiliate"
    return not is_own and "affiliate" not in (row.additional_data or {})


def _keys(one: DeclaredModel) -> set[Any]:
    return set(one.model._base_manager.values_list("pk", flat=True))
