"""POST /api/operator/events: up to a hundred events, each answered for itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe
from affiliates.api.http.errors import ErrorSerializer
from affiliates.api.http.parsers import JSONParser
from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import answer_of, read
from affiliates.contrib.events_api.api.base import TAGS, OperatorViewSet, brand_key_of
from affiliates.contrib.events_api.api.shapes import EventsSerializer, read_event
from affiliates.contrib.events_api.events import EARNING, report
from affiliates.contrib.events_api.rules import SIGNATURE_HEADERS, BrandScope, answered
from affiliates.contrib.events_api.services import hold_above_cap, require_signature
from affiliates.errors import AffiliatesError

MAX_BYTES = 1_048_576


class EventsParser(JSONParser):
    max_bytes = MAX_BYTES

    def examine(self, body: bytes, context: Mapping[str, Any]) -> None:
        request: Request = context["request"]
        key = brand_key_of(request)
        require_signature(key, headers=request.headers, body=body)


class ResultSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField(help_text="The event's place, from 0.")
    status = serializers.IntegerField(help_text="200, or that of the refusal.")
    cookie = serializers.CharField(
        help_text="How the referral cookie was read: absent, usable or unusable. Empty "
        "for an event without one, and for a refused one."
    )
    errors = ErrorSerializer(many=True, help_text="Empty if it was accepted.")  # type: ignore[assignment]  # shadows DRF's property


class ResultsSerializer(serializers.Serializer[Any]):
    results = ResultSerializer(many=True)


class EventsViewSet(OperatorViewSet):
    scope = BrandScope.EVENTS_WRITE
    parser_classes = (EventsParser,)

    @describe(
        operation_id="report_events",
        tags=TAGS,
        summary="Report what happened in your billing system",
        request=EventsSerializer,
        optional_headers=dict.fromkeys(
            SIGNATURE_HEADERS, "Of a key with signed bodies: see Standard Webhooks."
        ),
        responses={200: answer_of("EventResults", ResultsSerializer())},
        description=(
            "The events are applied in their order, each in a transaction of its own: a "
            "refused one has written nothing, and undoes no other. A repeat changes "
            "nothing and is answered as the first time, so send again what got no "
            "answer, or a status from 500 on."
        ),
    )
    def create(self, request: Request) -> Response:
        events = read(EventsSerializer, request.data)["events"]
        results = [
            {"index": index, **self._answer(event)}
            for index, event in enumerate(events)
        ]
        return Response({"data": {"results": results}})

    def _answer(self, event: Any) -> dict[str, Any]:
        try:
            # A moment of its own: by it the cap knows what this event made.
            cookie = self._report(event, now=utc_now())
        except Exception as error:  # noqa: BLE001 - one fault undoes no other event
            return self._refused(error)
        return {"status": 200, "cookie": cookie, "errors": []}

    @transaction.atomic
    def _report(self, event: Any, *, now: datetime) -> str:
        name, fields = read_event(event)
        key = brand_key_of(self.request)
        try:
            cookie = report(name, fields, brand_id=key.brand_id, now=now)
        except AffiliatesError as refusal:
            raise answered(refusal) from None
        if name in EARNING:
            names = ("order_ref", "invoice_ref", "refund_ref")
            hold_above_cap(key, **{ref: fields.get(ref, "") for ref in names}, now=now)
        return cookie

    def _refused(self, error: Exception) -> dict[str, Any]:
        """Answers in the words of a refused call."""
        handle = self.get_exception_handler()
        response = handle(error, self.get_exception_handler_context())
        errors = response.data["errors"]
        return {"status": response.status_code, "cookie": "", "errors": errors}
