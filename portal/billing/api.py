from __future__ import annotations

from functools import partial

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.schema import data_of, read
from portal.api.throttles import BasketThrottle
from portal.api.views import PortalView
from portal.billing import selectors, services, webhooks
from portal.billing.serializers import (
    AccountCreditSerializer,
    InvoiceDetailSerializer,
    PaymentEventSerializer,
    PayWithCreditSerializer,
    WebhookSerializer,
)
from portal.clients import credit
from portal.clients.tokens import client_of
from portal.orders.serializers import PageQuerySerializer

describe = partial(extend_schema, tags=["Billing"])
WEBHOOK_HEADERS = [
    OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.HEADER, required=True)
    for name in (
        webhooks.ID_HEADER,
        webhooks.TIMESTAMP_HEADER,
        webhooks.SIGNATURE_HEADER,
    )
]


class BodyTooLarge(APIException):
    status_code = 413
    default_detail = f"Send at most {webhooks.MAX_EVENT_BYTES} bytes."
    default_code = "body_too_large"


class InvoicesView(PortalView):
    @describe(
        operation_id="list_invoices",
        summary="Invoices of the token's client, the newest first, 50 a page",
        parameters=[PageQuerySerializer],
        responses={200: data_of(InvoiceDetailSerializer, many=True)},
        description=(
            "Initial invoices and renewals, each with its lines and what is "
            "left to pay."
        ),
    )
    def get(self, request: Request) -> Response:
        query = read(PageQuerySerializer, request.query_params.dict())
        invoices = selectors.list_invoices(client=client_of(request), **query)
        return Response({"data": InvoiceDetailSerializer(invoices, many=True).data})


class InvoiceView(PortalView):
    @describe(
        operation_id="get_invoice",
        summary="An invoice of the token's client",
        responses={200: data_of(InvoiceDetailSerializer)},
        description=(
            "With the address of the payment page, or what to transfer to which "
            "account."
        ),
    )
    def get(self, request: Request, invoice_id: str) -> Response:
        invoice = selectors.get_invoice(
            client=client_of(request), invoice_id=invoice_id
        )
        return Response({"data": InvoiceDetailSerializer(invoice).data})


class PayWithCreditView(PortalView):
    throttle_classes = (BasketThrottle,)

    @describe(
        operation_id="pay_invoice_with_credit",
        summary="Pay an invoice of the token's client with its account credit",
        request=PayWithCreditSerializer,
        responses={200: data_of(InvoiceDetailSerializer)},
        description="All of the invoice or nothing: 409 if the credit is too small.",
    )
    def post(self, request: Request, invoice_id: str) -> Response:
        client = client_of(request)
        invoice = selectors.get_invoice(client=client, invoice_id=invoice_id)
        services.pay_with_credit(invoice_id=invoice.pk, now=timezone.now())
        invoice = selectors.get_invoice(client=client, invoice_id=invoice_id)
        return Response({"data": InvoiceDetailSerializer(invoice).data})


class AccountCreditView(PortalView):
    @describe(
        operation_id="get_account_credit",
        summary="The account credit of the token's client",
        responses={200: data_of(AccountCreditSerializer)},
        description="The balance in each currency and the latest movements.",
    )
    def get(self, request: Request) -> Response:
        client_id = client_of(request).pk
        account = {
            "balances": credit.balances_of(client_id),
            "entries": credit.recent_entries_of(client_id),
        }
        return Response({"data": AccountCreditSerializer(account).data})


class WebhookView(PortalView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @describe(
        operation_id="receive_payment_webhook",
        summary="A payment gateway's signed message (Standard Webhooks)",
        parameters=WEBHOOK_HEADERS,
        request=WebhookSerializer,
        responses={200: data_of(PaymentEventSerializer)},
        description=(
            "Stored before it is believed. A message that was sent before is "
            "answered alike and changes nothing."
        ),
    )
    def post(self, request: Request, gateway: str) -> Response:
        event = webhooks.receive_webhook(
            gateway=gateway,
            headers=request.headers,
            body=_read_body(request),
            now=timezone.now(),
        )
        return Response({"data": PaymentEventSerializer(event).data})


def _read_body(request: Request) -> bytes:
    """The bytes as they were signed, no more than an event may have."""
    if request.stream is None:
        return b""
    body: bytes = request.stream.read(webhooks.MAX_EVENT_BYTES + 1)
    if len(body) > webhooks.MAX_EVENT_BYTES:
        raise BodyTooLarge
    return body
