"""/api/affiliate/notifications: an affiliate's e-mails and its choices of kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.adapter import get_adapter
from affiliates.api.descriptions import described_as
from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    OrderingField,
    PageQuerySerializer,
    SpanQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import (
    Listing,
    Rows,
    one_of,
    page_answer,
    whole_list,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.core.money import decimal_text
from affiliates.emails.choices.services import set_choices
from affiliates.emails.kinds import KINDS, optional_kinds
from affiliates.emails.links import page_path
from affiliates.emails.models import Email
from affiliates.emails.selectors import amounts_of, choices_of, emails_to
from affiliates.emails.types import EmailDelivery, EmailKind
from affiliates.program.models import Affiliate


class NotificationQuerySerializer(SpanQuerySerializer):
    """The days are those of queueing."""

    ordering = OrderingField("-created_at", "finished_at", "kind")
    kind = serializers.ChoiceField(
        choices=[kind for kind in EmailKind if not KINDS[kind].is_for_staff],
        required=False,
    )


class NotifiedAmountSerializer(serializers.Serializer[Any]):
    amount = serializers.SerializerMethodField()
    currency = serializers.CharField()

    def get_amount(self, money: Mapping[str, Any]) -> str:
        return decimal_text(money["amount"], money["currency"])


class NotifiedPageSerializer(serializers.Serializer[Any]):
    label = serializers.CharField(  # type: ignore[assignment] # shadows DRF's
        help_text="What one sees there."
    )
    path = serializers.CharField(help_text="On the client area's host.")


class NotificationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField(help_text="As in the choices.")
    status = serializers.CharField(
        source="state",
        help_text="sent, unclear (it may have arrived), failed or given_up.",
    )
    subject = serializers.CharField(help_text="Empty: it is no longer kept.")
    created_at = MomentField()
    finished_at = MomentField(help_text="When it was sent, or given up.")
    amounts = serializers.SerializerMethodField(
        help_text="The figure of the e-mail, in each currency."
    )
    invoice = serializers.SerializerMethodField(
        help_text="The invoice's number, of a sale and its commission."
    )
    payout = serializers.SerializerMethodField(help_text="Its number, of a payout.")
    page = serializers.SerializerMethodField(
        help_text="The page of what it is about; null: it is no longer known."
    )

    @described_as(NotifiedAmountSerializer(many=True))
    def get_amounts(self, email: Email) -> Any:
        return NotifiedAmountSerializer(amounts_of(email), many=True).data

    def get_invoice(self, email: Email) -> str:
        ref = (email.facts or {}).get("invoice", "")
        return str(self.context["invoices"].get(ref, ref))

    def get_payout(self, email: Email) -> int | None:
        number: int | None = (email.facts or {}).get("payout")
        return number

    @described_as(NotifiedPageSerializer(allow_null=True))
    def get_page(self, email: Email) -> dict[str, str] | None:
        if not email.kind or email.facts is None:
            return None
        kind = EmailKind(email.kind)
        path = page_path(kind, email.facts)
        label = str(KINDS[kind].button.label)
        return {"label": label, "path": path} if path else None


class ChoicesRequestSerializer(serializers.Serializer[Any]):
    choices = serializers.DictField(
        child=serializers.ChoiceField(choices=EmailDelivery.choices),
        help_text=f"By kind: {', '.join(optional_kinds())}.",
    )


class ChoiceDataSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    about = serializers.CharField(source="label", help_text="When it is sent.")
    always = serializers.CharField(
        help_text="Why it cannot be switched off; empty where it can."
    )
    delivery = serializers.CharField(
        help_text="at_once, daily or weekly (in a digest), or never."
    )
    deliveries = serializers.ListField(
        child=serializers.CharField(),
        help_text="Those to choose from, the default first.",
    )


def _invoices_of(affiliate: Affiliate, emails: Sequence[Email]) -> dict[str, Any]:
    """The context of the shape: the numbers of all invoices at once."""
    refs = {(email.facts or {}).get("invoice", "") for email in emails} - {""}
    numbers = get_adapter().invoice_numbers(refs, brand_id=affiliate.brand_id)
    return {"invoices": numbers}


def _file_row(row: Mapping[str, Any]) -> dict[str, Any]:
    amounts = [f"{money['amount']} {money['currency']}" for money in row["amounts"]]
    page = row["page"] or {"label": "", "path": ""}
    return {**row, "amounts": amounts, "page": page}


NOTIFICATIONS = Listing(
    name="notifications",
    # A page of subjects does not need the texts.
    rows=lambda affiliate, query: Rows(
        own=[emails_to(affiliate.pk).defer("text", "html", "values")],
        prepare=partial(_invoices_of, affiliate),
    ),
    shape=NotificationSerializer,
    query=NotificationQuerySerializer,
    size=20,
    moment="created_at",
    file_row=_file_row,
)
CHOICES = page_answer("NotificationChoices", "choices", ChoiceDataSerializer)


class NotificationViewSet(AffiliateViewSet):
    # The subjects contain amounts.
    scopes: ClassVar = {"list": Scope.MONEY}

    list = NOTIFICATIONS.view(
        "list_notifications",
        "The e-mails that the affiliate was sent, newest first",
        answer="Notifications",
        description="Subject and state of each e-mail, without its text.",
    )


class NotificationChoicesViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.MONEY}

    @described(
        "get_notification_choices",
        "Which e-mails the affiliate is sent",
        CHOICES,
        parameters=[PageQuerySerializer],
        description=(
            "For each kind of e-mail: when it is sent, and the choices that the "
            "kind offers."
        ),
    )
    def list(self, request: Request) -> Response:
        return _choices(request, affiliate_of(request))

    @described(
        "change_notification_choices",
        "Choose when e-mails are sent; kinds not named stay as they are",
        CHOICES,
        request=ChoicesRequestSerializer,
        description=(
            "If one kind cannot be chosen or does not offer the value, the "
            "answer is 400 and nothing changes."
        ),
    )
    def partial_update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(ChoicesRequestSerializer, request.data)
        set_choices(affiliate.pk, fields["choices"], now=utc_now())
        return _choices(request, affiliate)


def _choices(request: Request, affiliate: Affiliate) -> Response:
    choices, query = choices_data(affiliate), request.query_params.dict()
    return Response({"data": whole_list("choices", choices, query)})


def choices_data(affiliate: Affiliate) -> Any:
    return ChoiceDataSerializer(choices_of(affiliate.pk), many=True).data


def notification_data(affiliate: Affiliate, email_id: int) -> dict[str, Any]:
    """The e-mail with its text. Raises NotFound for another affiliate's."""
    email = one_of(email_id, emails_to(affiliate.pk))
    context = _invoices_of(affiliate, [email])
    data = NotificationSerializer(email, context=context).data
    return {**data, "text": email.shown_text}
