from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from affiliates.payouts.providers.registry import SENDERS
from affiliates.payouts.sending.decisions import wake

MAX_BYTES = 65_536


@csrf_exempt
@require_POST
def called_by_provider(request: HttpRequest, provider: str) -> HttpResponse:
    """Wakes the look-up of the batch that a provider's call names.

    Answers 204 to everything, so that the provider does not repeat what is not ours.
    """
    sender = SENDERS.get(provider)
    body = request.read(MAX_BYTES + 1)
    if sender and len(body) <= MAX_BYTES and (remote_id := sender.named_in(body)):
        wake(provider=provider, remote_id=remote_id, now=timezone.now())
    return HttpResponse(status=204)
