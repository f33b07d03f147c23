"""A bank for the demo: one page with a Pay button, which sends a signed webhook.

It exists only with ``DEMO_GATEWAY`` on. Nothing is special about its payments: they
take the way of every gateway.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from uuid import UUID

import ada_url
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views import View

from portal import gateways
from portal.billing import webhooks
from portal.billing.models import Invoice, InvoiceStatus
from portal.billing.rules import NoticeType
from portal.money import money_data

RETURN_PARAMETER = "return_url"
WEB_PROTOCOLS = frozenset({"http:", "https:"})


class DemoBankView(View):
    def get(self, request: HttpRequest, invoice_id: UUID) -> HttpResponse:
        return _page(request, _find_invoice(invoice_id))

    def post(self, request: HttpRequest, invoice_id: UUID) -> HttpResponse:
        invoice = _find_invoice(invoice_id)
        pay(invoice, now=timezone.now())
        target = permitted_return_url(request.GET.get(RETURN_PARAMETER, ""))
        if target is not None:
            return HttpResponseRedirect(target)
        return _page(request, _find_invoice(invoice_id))


def pay(invoice: Invoice, *, now: datetime) -> None:
    """Send the event that a real gateway would. Paying again repeats the same event."""
    secret = gateways.webhook_secret(gateways.DEMO)
    if secret is None:
        raise Http404
    event: dict[str, Any] = {
        "type": NoticeType.SUCCEEDED,
        "data": {
            "invoice_id": str(invoice.pk),
            "reference": f"demo-{invoice.pk}",
            **money_data(invoice.gross),
        },
    }
    body = json.dumps(event).encode()
    headers = webhooks.sign(
        secret=secret, event_id=f"demo-{invoice.pk}", body=body, now=now
    )
    webhooks.receive_webhook(gateway=gateways.DEMO, headers=headers, body=body, now=now)


def permitted_return_url(wanted: str) -> str | None:
    """The URL as a browser reads it, when it is on the storefront; else None."""
    try:
        url = ada_url.URL(wanted)
    except (ValueError, UnicodeError):
        return None
    # A blob: URL has the origin of the page that made it.
    if url.protocol not in WEB_PROTOCOLS or url.origin != settings.STOREFRONT_ORIGIN:
        return None
    return url.href


def _find_invoice(invoice_id: UUID) -> Invoice:
    if gateways.webhook_secret(gateways.DEMO) is None:
        raise Http404
    invoice = Invoice.objects.select_related("brand").filter(pk=invoice_id).first()
    if invoice is None:
        raise Http404
    return invoice


def _page(request: HttpRequest, invoice: Invoice) -> HttpResponse:
    context = {
        "invoice": invoice,
        "is_unpaid": invoice.status == InvoiceStatus.UNPAID,
        "return_url": permitted_return_url(request.GET.get(RETURN_PARAMETER, "")),
    }
    response = render(request, "demo/bank.html", context)
    # Where paying leads to.
    response.csp_sources = {"form-action": [settings.STOREFRONT_ORIGIN]}  # type: ignore[attr-defined] # for ContentPolicyMiddleware
    return response
