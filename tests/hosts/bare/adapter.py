"""The adapter of the bare host: Django's users, and orders of one column."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError

from affiliates.adapter import HostAdapter
from affiliates.contracts import (
    Client,
    ClientDetails,
    ClientRegistration,
    GuestRegistration,
    Order,
    OrderConversion,
    PreparedConversion,
    RegisteredClient,
    RegistrationCompletion,
    WalletCredit,
)
from affiliates.core.ids import new_id
from affiliates.errors import InvalidInput, NotFound, StateConflict
from tests.hosts.bare.models import BareCredit, BareOrder, Profile


class BareAdapter(HostAdapter):
    def register_client(
        self, registration: ClientRegistration, *, now: datetime
    ) -> RegisteredClient:
        if get_user_model().objects.filter(email=registration.email).exists():
            raise InvalidInput("email_taken", "Taken.", field="email")
        user = get_user_model().objects.create_user(
            username=str(new_id()),
            email=registration.email,
            password=registration.password,
        )
        Profile.objects.create(user=user, brand_id=registration.brand_id)
        return _registered(user)

    def register_guest(
        self, registration: GuestRegistration, *, now: datetime
    ) -> RegisteredClient:
        user = get_user_model().objects.create_user(
            username=str(new_id()), email=registration.email
        )
        Profile.objects.create(user=user, brand_id=registration.brand_id, is_guest=True)
        return _registered(user)

    def complete_registration(
        self, completion: RegistrationCompletion, *, now: datetime
    ) -> RegisteredClient:
        profile = Profile.objects.select_for_update().get(user_id=completion.client_id)
        if not profile.is_guest:
            raise StateConflict("already_complete", "Complete already.")
        profile.user.email = completion.email
        profile.user.set_password(completion.password)
        profile.user.save(update_fields=["email", "password"])
        profile.is_guest = False
        profile.save(update_fields=["is_guest"])
        return _registered(profile.user)

    def get_client(self, client_id: str) -> Client | None:
        if not _is_key(client_id):
            return None
        user = (
            get_user_model().objects.filter(pk=client_id, profile__isnull=False).first()
        )
        return None if user is None else _client(user)

    def client_details(
        self, client_ids: Collection[str]
    ) -> Mapping[str, ClientDetails]:
        ids = [one for one in client_ids if _is_key(one)]
        known = get_user_model().objects.filter(pk__in=ids, profile__isnull=False)
        return {
            str(user.pk): ClientDetails(email=user.email, name=user.get_full_name())
            for user in known
        }

    def find_clients(
        self, text: str, *, brand_id: int | None = None, limit: int = 50
    ) -> Sequence[str]:
        known = get_user_model().objects.filter(
            email__icontains=text, profile__isnull=False
        )
        if brand_id is not None:
            known = known.filter(profile__brand_id=brand_id)
        return [str(pk) for pk in known.values_list("pk", flat=True)[:limit]]

    def prepare_conversion(
        self, conversion: OrderConversion, *, now: datetime
    ) -> PreparedConversion:
        order = _locked_order(conversion)
        if order.is_empty:
            raise InvalidInput("basket_empty", "Put something into the basket first.")
        client = _client(order.client)
        return PreparedConversion(
            order=Order(
                order_ref=conversion.order_ref,
                brand_id=client.brand_id,
                client=client,
                created_at=order.created_at,
                client_paid_before=order.client_paid_before,
                coupon_codes=(order.coupon_code,) if order.coupon_code else (),
            ),
            invoice_ref=f"invoice-{order.pk}",
            converted_at=order.converted_at or now,
            host_state=order,
        )

    def finish_conversion(self, prepared: PreparedConversion) -> Mapping[str, object]:
        order: BareOrder = prepared.host_state
        if order.converted_at is None:
            order.converted_at = prepared.converted_at
            order.save(update_fields=["converted_at"])
        return {"id": prepared.invoice_ref, "order_id": prepared.order_ref}

    def is_service_active(self, order_ref: str, *, brand_id: int) -> bool | None:
        if not order_ref.isdecimal():
            return None
        order = BareOrder.objects.filter(
            pk=order_ref, client__profile__brand_id=brand_id
        ).first()
        return None if order is None else order.is_service_active

    def credit_wallet(self, credit: WalletCredit, *, now: datetime) -> str:
        if not Profile.objects.filter(user_id=credit.client_id).exists():
            raise NotFound
        entry, _ = BareCredit.objects.get_or_create(
            payout_ref=credit.payout_ref,
            defaults={"client_id": credit.client_id, "amount": credit.amount},
        )
        return f"credit-{entry.pk}"

    def invoice_numbers(
        self, invoice_refs: Collection[str], *, brand_id: int
    ) -> Mapping[str, str]:
        keys = {ref.removeprefix("invoice-"): ref for ref in invoice_refs}
        known = BareOrder.objects.filter(
            pk__in=filter(str.isdecimal, keys), client__profile__brand_id=brand_id
        )
        return {keys[str(pk)]: f"INV-{pk}" for pk in known.values_list("pk", flat=True)}


def _locked_order(conversion: OrderConversion) -> BareOrder:
    if not conversion.order_ref.isdecimal():
        raise NotFound
    locked = BareOrder.objects.select_for_update(no_key=True)
    order = locked.filter(
        pk=conversion.order_ref, client_id=conversion.client_id
    ).first()
    if order is None:
        raise NotFound
    return order


def _registered(user: Any) -> RegisteredClient:
    return RegisteredClient(
        client=_client(user), data={"id": str(user.pk), "email": user.email}
    )


def _client(user: Any) -> Client:
    return Client(
        id=str(user.pk),
        brand_id=user.profile.brand_id,
        email=user.email,
        is_guest=user.profile.is_guest,
    )


def _is_key(client_id: str) -> bool:
    """Whether it is of the kind of the users' keys: numbers here, UUIDs in another host."""
    try:
        get_user_model()._meta.pk.to_python(client_id)
    except ValidationError:
        return False
    return True
