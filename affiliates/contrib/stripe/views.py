"""The webhook of a brand's Stripe account."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from affiliates.conf import conf
from affiliates.contrib.stripe.reading import Unreadable
from affiliates.contrib.stripe.services import receive_event
from affiliates.contrib.stripe.signature import HEADER, is_signed
from affiliates.errors import NotFound

MAX_BYTES = 1_000_000


@csrf_exempt
@require_POST
def receive(request: HttpRequest, brand_id: int) -> HttpResponse:
    """Answers 200 once the event is stored; another status makes Stripe repeat it."""
    now, body = timezone.now(), request.read(MAX_BYTES + 1)
    secrets = conf.stripe_secrets.get(brand_id, ())
    header = request.headers.get(HEADER, "")
    if len(body) > MAX_BYTES or not is_signed(body, header, secrets, now=now):
        return HttpResponse(status=400)
    try:
        receive_event(brand_id=brand_id, event=json.loads(body), now=now)
    except (ValueError, RecursionError, Unreadable):
        return HttpResponse(status=400)
    except NotFound:
        return HttpResponse(status=404)
    return HttpResponse(status=200)
