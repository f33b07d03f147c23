"""/api/affiliate/notifications: an affiliate's e-mails and its choices of kinds."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

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
from affiliates.emails.choices.services import set_choices
from affiliates.emails.kinds import KINDS, optional_kinds
from affiliates.emails.selectors import choices_of, emails_to
from affiliates.emails.types import EmailDelivery, EmailKind
from affiliates.program.models import Affiliate


class NotificationQuerySerializer(SpanQuerySerializer):
    """The days are those of queueing."""

    ordering = OrderingField("-created_at", "finished_at", "kind")
    kind = serializers.ChoiceField(
        choices=[kind for kind in EmailKind if not KINDS[kind].is_for_staff],
        required=False,
    )


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


NOTIFICATIONS = Listing(
    name="notifications",
    # A page of subjects does not need the texts.
    rows=lambda affiliate, query: Rows(
        own=[emails_to(affiliate.pk).defer("text", "html", "values")]
    ),
    shape=NotificationSerializer,
    query=NotificationQuerySerializer,
    size=20,
    moment="created_at",
)
CHOICES = page_answer("NotificationChoices", "choices", ChoiceDataSerializer)


class NotificationViewSet(AffiliateViewSet):
    # The subjects contain amounts.
    scopes: ClassVar = {"list": Scope.MONEY}

    list = NOTIFICATIONS.view(
        "list_notifications",
        "The e-mails that the affiliate was sent, newest first",
        answer="Notifications",
    )


class NotificationChoicesViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.MONEY}

    @described(
        "get_notification_choices",
        "Which e-mails the affiliate is sent",
        CHOICES,
        parameters=[PageQuerySerializer],
    )
    def list(self, request: Request) -> Response:
        return _choices(request, affiliate_of(request))

    @described(
        "change_notification_choices",
        "Choose when e-mails are sent; kinds not named stay as they are",
        CHOICES,
        request=ChoicesRequestSerializer,
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
    return {**NotificationSerializer(email).data, "text": email.shown_text}
