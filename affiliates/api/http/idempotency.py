"""Endpoints whose repeats are harmless: ``Idempotency-Key``, for ours and a host's.

Follows draft-ietf-httpapi-idempotency-key-header-07; decision 53 has the differences.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import origin_of, utc_now
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.idempotency import services
from affiliates.api.idempotency.rules import HEADER, parse_key
from affiliates.api.idempotency.types import KeyedRequest, StoredResponse
from affiliates.brands.selectors import origin_brand_id
from affiliates.db.transactions import request_transaction

Action = TypeVar("Action", bound=Callable[..., Response])


def answered_once(action: Action) -> Action:
    """Answers a repeat with the same Idempotency-Key as the first time, for a day.

    For the method of a view of the REST framework that reads JSON and answers with a
    Response. Its refusals are those of ``affiliates.errors``: the view needs our
    ``exception_handler``. Without the header nothing changes.
    """

    @wraps(action)
    def answer(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        if HEADER not in request.headers:
            return action(view, request, *args, **kwargs)
        keyed = _keyed(action, request, caller_id=_caller_id(view, request))
        with request_transaction():
            stored = services.begin(keyed, now=utc_now())
            if stored is not None:
                return _replay(stored)
            response = action(view, request, *args, **kwargs)
            if response.status_code < 400:
                services.keep(keyed, _to_store(request, response), now=utc_now())
            return response

    answer.is_answered_once = True  # type: ignore[attr-defined] # http/schema.py reads it
    return cast("Action", answer)


class EndsCredentialsViewSet(EndpointViewSet):
    """Its action ``create`` ends the credentials that its own repeat is sent with."""

    former_caller_id = ""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Accepts ended credentials with exactly the request that ended them."""
        try:
            super().initial(request, *args, **kwargs)
        except AuthenticationFailed:
            if HEADER not in request.headers:
                raise
            caller_id = kwargs["client_id"]
            keyed = _keyed(self.create, request, caller_id=caller_id)  # type: ignore[attr-defined]
            if not services.was_answered(keyed, now=utc_now()):
                raise
            self.check_throttles(request)
            self.former_caller_id = caller_id


def _caller_id(view: Any, request: Request) -> str:
    # A host may have None for an anonymous user.
    caller_id = getattr(request.user, "pk", None)
    return str(caller_id or getattr(view, "former_caller_id", ""))


def _keyed(
    action: Callable[..., Response], request: Request, *, caller_id: str
) -> KeyedRequest:
    return KeyedRequest(
        key=parse_key(request.headers[HEADER], is_anonymous=not caller_id),
        brand_id=origin_brand_id(origin_of(request)),
        endpoint=f"{action.__module__}.{action.__qualname__}",
        caller_id=caller_id,
        method=str(request.method),
        address=request.get_full_path(),
        body=request.data,
        credentials=request.headers.get("Authorization", ""),
    )


def _to_store(request: Request, response: Response) -> StoredResponse:
    """The data as the renderer writes them: a stored moment is text."""
    data = response.data
    if data is not None:
        data = json.loads(request.accepted_renderer.render(data))
    return StoredResponse(
        status=response.status_code,
        data=data,
        headers=dict(response.items()),
        cookies=[cookie.OutputString() for cookie in response.cookies.values()],
    )


def _replay(stored: StoredResponse) -> Response:
    response = Response(stored.data, status=stored.status, headers=stored.headers)
    for cookie in stored.cookies:
        response.cookies.load(cookie)
    return response
