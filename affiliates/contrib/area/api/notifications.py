"""/api/affiliate/notifications: an affiliate's e-mails and its choices of kinds."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import (
    Listing,
    OrderingField,
    Rows,
    SpanQuerySerializer,
    one_of,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.emails.kinds import KINDS, optional_kinds
from affiliates.emails.selectors import choices_of, emails_to
from affiliates.emails.services import set_choices
from affiliates.emails.types import EmailKind
from affiliates.program.models import Affiliate


class NotificationQuerySerializer(SpanQuerySerializer):
    """The days are those of queueing."""

    ordering = OrderingField("-created_at", "finished_at", "kind")
    kind = serializers.ChoiceField(
        choices=[one for one in EmailKind if not KINDS[one].is_for_staff],
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


class WantedField(serializers.BooleanField):
    """Accepts true and false only, no similar values."""

    def to_internal_value(self, data: Any) -> bool:
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class ChoicesRequestSerializer(serializers.Serializer[Any]):
    choices = serializers.DictField(
        child=WantedField(), help_text=f"By kind: {', '.join(optional_kinds())}."
    )


class ChoiceDataSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    about = serializers.CharField(source="label", help_text="When it is sent.")
    always = serializers.CharField(
        help_text="Why it cannot be switched off; empty where it can."
    )
    is_wanted = serializers.BooleanField()


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
CHOICES = answer_of("NotificationChoices", ChoiceDataSerializer(many=True))


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
        "get_notification_choices", "Which e-mails the affiliate is sent", CHOICES
    )
    def list(self, request: Request) -> Response:
        return Response({"data": choices_data(affiliate_of(request))})

    @described(
        "change_notification_choices",
        "Choose which e-mails are sent; those not named stay as they are",
        CHOICES,
        request=ChoicesRequestSerializer,
    )
    def partial_update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(ChoicesRequestSerializer, request.data)
        set_choices(affiliate.pk, fields["choices"], now=utc_now())
        return Response({"data": choices_data(affiliate)})


def choices_data(affiliate: Affiliate) -> Any:
    return ChoiceDataSerializer(choices_of(affiliate.pk), many=True).data


def notification_data(affiliate: Affiliate, email_id: int) -> dict[str, Any]:
    """The e-mail with its text. Raises NotFound for another affiliate's."""
    email = one_of(email_id, emails_to(affiliate.pk))
    return {**NotificationSerializer(email).data, "text": email.shown_text}
