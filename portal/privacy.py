"""The portal's part of the table of personal data, and that of the packages it uses."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, make_password
from django.db.models import Q

from affiliates.extending import (
    Ground,
    Kept,
    Key,
    Keys,
    Person,
    Receiver,
    Use,
    declare_personal_data,
)

ACCOUNT = Use(
    person=Person.CLIENT,
    why="To keep the client's account",
    ground=Ground.CONTRACT,
    kept=Kept(text="As long as the account exists"),
)
ORDER = Use(
    person=Person.CLIENT,
    why="To sell, to invoice and to be paid",
    ground=Ground.CONTRACT,
    kept=Kept(
        text="{count} years: as long as the operator's law requires for books",
        setting="keep_books_years",
    ),
    receivers=(Receiver.BANK,),
    stays=True,
)
ACCESS = Use(
    person=Person.CLIENT,
    why="To let nobody else into the account",
    ground=Ground.CONTRACT,
    kept=Kept(text="Until it is changed, or its session or token has ended"),
    is_secret=True,
)
SAFETY = Use(
    person=Person.VISITOR,
    why="To stop the guessing of passwords",
    ground=Ground.INTEREST,
    kept=Kept(text="Until the login succeeds, or an operator deletes it"),
)
ACT = Use(
    person=Person.STAFF,
    why="To show who of staff did what",
    ground=Ground.INTEREST,
    kept=Kept(text="As long as the row it belongs to"),
)

OF_CLIENT = {Person.CLIENT: {"client": Key.USER}}
OF_USER = {Person.CLIENT: {"user": Key.USER}}
OF_INVOICE = {Person.CLIENT: {"invoice__client": Key.USER}}
LOGIN = "username ip_address user_agent http_accept path_info"


def _without_password(user: Any) -> str:
    password: str = user.password
    is_usable = not password.startswith(UNUSABLE_PASSWORD_PREFIX)
    return make_password(None) if is_usable else password


def _entries_on(keys: Keys) -> Q:
    named = [str(one) for one in keys[Key.USER]]
    return Q(content_type__app_label="portal", object_id__in=named)


def _tries_at(keys: Keys) -> Q | None:
    """Matches login attempts at clients' addresses; axes stores brand and address."""
    tries = [Q(username__iendswith=f":{one}") for one in keys[Key.EMAIL]]
    return reduce(or_, tries) & ~Q(username__startswith=":") if tries else None


declare_personal_data(
    "portal.User",
    {ACCOUNT: "email firstname lastname", ACCESS: "password"},
    of={Person.CLIENT: {"pk": Key.USER}},
    leaves={
        "email": lambda user: f"{user.pk}@erased.invalid",
        "password": _without_password,
        "is_active": lambda user: False,
    },
)
declare_personal_data("portal.User_groups", {ACT: "user"})
declare_personal_data("portal.User_user_permissions", {ACT: "user"})
declare_personal_data(
    "portal.PasswordReset",
    {ACCOUNT: "email"},
    of={Person.CLIENT: {"email": Key.EMAIL}},
    deletes={Person.CLIENT},
    other="origin language",
)
declare_personal_data(
    "portal.WalletEntry",
    {ORDER: "client reason reference"},
    of=OF_CLIENT,
    other="currency",
)
declare_personal_data(
    "portal.Order",
    {ORDER: "client ended_reason"},
    of=OF_CLIENT,
    other="currency affiliate_code",
)
declare_personal_data(
    "portal.OrderItem", of={Person.CLIENT: {"order__client": Key.USER}}
)
declare_personal_data(
    "portal.PaymentDetails",
    {ORDER: "client", ACCOUNT: "label"},
    of=OF_CLIENT,
    other="gateway",
)
declare_personal_data(
    "portal.Invoice", {ORDER: "client number"}, of=OF_CLIENT, other="gateway"
)
declare_personal_data(
    "portal.InvoiceLine",
    {ORDER: "description"},
    of=OF_INVOICE,
    other="product_ref tld",
)
for name in ("Payment", "Refund"):
    declare_personal_data(
        f"portal.{name}", {ORDER: "reference"}, of=OF_INVOICE, other="gateway"
    )
# Signed messages of a gateway, cut to what names the invoice and the payment.
declare_personal_data(
    "portal.PaymentEvent",
    {ORDER: "event_id body"},
    other="gateway failure failure_detail",
)

declare_personal_data(
    "portal.AuthToken",
    {ACCESS: "user digest token_key"},
    of=OF_USER,
    deletes={Person.CLIENT},
)
declare_personal_data(
    "portal.OpenSession",
    {ACCOUNT: "user user_agent", ACCESS: "session_key session_data"},
    of=OF_USER,
    deletes={Person.CLIENT},
)
declare_personal_data("sessions.Session", {ACCESS: "session_key session_data"})
OF_DEVICE = {Person.CLIENT: {"device__user": Key.USER}}
for name, columns, found in (
    ("otp_totp.TOTPDevice", "user name key", OF_USER),
    ("otp_static.StaticDevice", "user name", OF_USER),
    ("otp_static.StaticToken", "token", OF_DEVICE),
):
    declare_personal_data(name, {ACCESS: columns}, of=found, deletes={Person.CLIENT})
# Somebody tried the address: not always its owner.
for name, columns in {
    "AccessAttempt": f"{LOGIN} get_data post_data",
    "AccessFailureLog": LOGIN,
    "AccessLog": f"{LOGIN} session_hash",
}.items():
    declare_personal_data(
        f"axes.{name}",
        {SAFETY: columns},
        shared={Person.CLIENT: _tries_at},
        deletes={Person.CLIENT},
    )
declare_personal_data("axes.AccessAttemptExpiration")
# A changed client is named by the address.
declare_personal_data(
    "admin.LogEntry",
    {ACT: "user object_repr change_message"},
    shared={Person.CLIENT: _entries_on},
    leaves={"object_repr": lambda row: "", "change_message": lambda row: ""},
    other="object_id",
)
for name, other in {
    "auth.Group": "name",
    "auth.Group_permissions": "",
    "auth.Permission": "name codename",
    "contenttypes.ContentType": "app_label model",
    "portal.Coupon": "code",
    "portal.InvoiceCounter": "",
    "portal.Product": "sku name description tld",
}.items():
    declare_personal_data(name, other=other)
