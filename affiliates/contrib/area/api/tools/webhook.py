"""/api/affiliate/webhook: the affiliate's own address, notified of its events."""

from __future__ import annotations

from typing import Any

from django.db.models import F, OuterRef, Subquery
from django.views.decorators.debug import sensitive_variables
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import described_as
from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import TextField, answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    affiliate_of,
    described,
)
from affiliates.outbox.models.delivery import DeliveryAttempt
from affiliates.outbox.models.integration import MAX_ADDRESS
from affiliates.outbox.types import KINDS
from affiliates.program.models import Affiliate
from affiliates.program.webhooks import rotate_webhook_secret, send_test, set_webhook
from affiliates.webhooks.announce import OWN_DATA
from affiliates.webhooks.models import AffiliateWebhook
from affiliates.webhooks.services import forget_webhook_of

SHOWN_DELIVERIES = 20
EVENTS = [str(kind) for kind in OWN_DATA]


class WebhookRequestSerializer(serializers.Serializer[Any]):
    address = TextField(
        max_length=MAX_ADDRESS,
        trim_whitespace=False,
        help_text="https, a public name, no ? or #.",
    )
    events = serializers.MultipleChoiceField(
        choices=EVENTS, required=False, default=set, help_text="None: all of them."
    )
    is_active = serializers.BooleanField(default=True)


class WebhookDeliverySerializer(serializers.Serializer[Any]):
    id = serializers.CharField(
        source="payload.message_id", help_text="The header webhook-id."
    )
    event = serializers.CharField(source="payload.type")
    created_at = MomentField()
    state = serializers.CharField(
        help_text="waiting, sending, retry (is sent again), unclear (it may have "
        "arrived), sent, failed (the receiver answered 410), given_up or not_sent."
    )
    attempts = serializers.IntegerField(source="attempt_count")
    status_code = serializers.IntegerField(
        allow_null=True, help_text="Of the last answer; null where there was none."
    )
    next_at = MomentField(allow_null=True)


class WebhookDataSerializer(serializers.Serializer[Any]):
    address = serializers.CharField()
    events = serializers.SerializerMethodField(help_text="None: all of them.")
    is_active = serializers.BooleanField()
    end = serializers.CharField(
        help_text="Why it is off: gone (the receiver answered 410), failing (it accepted "
        "nothing for three days), suspended, left or staff; else empty."
    )
    deliveries = serializers.SerializerMethodField(
        help_text=f"The last {SHOWN_DELIVERIES}."
    )

    def get_events(self, webhook: AffiliateWebhook) -> list[str]:
        return sorted(webhook.config.get(KINDS, ()))

    @described_as(WebhookDeliverySerializer(many=True))
    def get_deliveries(self, webhook: AffiliateWebhook) -> Any:
        attempts = DeliveryAttempt.objects.filter(delivery=OuterRef("pk"))
        last = attempts.order_by("-number").values("status_code")
        own = webhook.deliveries.annotate(status_code=Subquery(last[:1]))
        # `+ 0` keeps the planner from scanning every affiliate's rows.
        shown = own.order_by((F("pk") + 0).desc())[:SHOWN_DELIVERIES]
        return WebhookDeliverySerializer(shown, many=True).data


class NewWebhookDataSerializer(WebhookDataSerializer):
    secret = serializers.CharField(
        help_text="What a new one is signed with, shown this once; else empty."
    )


class SecretDataSerializer(serializers.Serializer[Any]):
    secret = serializers.CharField(help_text="Shown this once.")


WEBHOOK = answer_of(
    "AffiliateWebhook",
    WebhookDataSerializer(allow_null=True, help_text="Null: there is none."),
)


class WebhookViewSet(AffiliateViewSet):
    """Accepts no key: the finder of a lost key must not receive later events."""

    @described(
        "get_webhook",
        "The affiliate's webhook",
        WEBHOOK,
        description=(
            "Null without one, otherwise its address, its events and the last "
            "20 deliveries."
        ),
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": webhook_data(affiliate_of(request))})

    @sensitive_variables()
    @described(
        "set_webhook",
        "Say where events are sent from now on",
        answer_of("NewAffiliateWebhook", NewWebhookDataSerializer()),
        request=WebhookRequestSerializer,
        description=(
            "The secret is in the answer that creates the webhook, once. Fields "
            "that are left out get their defaults."
        ),
    )
    def update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(WebhookRequestSerializer, request.data)
        _, secret = set_webhook(
            affiliate_id=affiliate.pk,
            address=fields["address"],
            kinds=sorted(fields["events"]),
            is_active=fields["is_active"],
            now=utc_now(),
        )
        return Response({"data": {**webhook_data(affiliate), "secret": secret}})

    @described(
        "remove_webhook",
        "Forget address and secret, at once",
        WEBHOOK,
        description="No event is sent afterwards. A repeat changes nothing.",
    )
    def destroy(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        forget_webhook_of(affiliate.pk)
        return Response({"data": webhook_data(affiliate)})

    @sensitive_variables()
    @described(
        "rotate_webhook_secret",
        "Make a new secret; for a day the earlier one signs too",
        answer_of("WebhookSecret", SecretDataSerializer()),
        request=None,
        description="Take the new secret into the receiver within that day.",
    )
    def rotate(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        secret = rotate_webhook_secret(affiliate_id=affiliate.pk, now=utc_now())
        return Response({"data": {"secret": secret}})

    @described(
        "test_webhook",
        "Have a ping sent as events are; 409 while one is on its way",
        WEBHOOK,
        request=None,
        description="The deliveries of the webhook show how the receiver answered.",
    )
    def test(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        send_test(affiliate_id=affiliate.pk, now=utc_now())
        return Response({"data": webhook_data(affiliate)})


def webhook_data(affiliate: Affiliate) -> Any:
    """None if there is no webhook."""
    webhook = AffiliateWebhook.objects.filter(affiliate=affiliate).first()
    return webhook and WebhookDataSerializer(webhook).data
