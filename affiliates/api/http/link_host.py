"""Answers all requests to the link hosts of brands."""

from __future__ import annotations

import logging
from typing import Any

from asgiref.sync import sync_to_async
from django.core.exceptions import DisallowedHost
from django.db import Error
from django.http import (
    HttpRequest,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.utils.deprecation import MiddlewareMixin

from affiliates.api.http.requests import address_of
from affiliates.api.http.throttles import caller_at, count_call
from affiliates.brands.selectors import brand_of_link_host, site_of
from affiliates.conf import conf
from affiliates.db.deadlines.deadline import DatabaseAway, Deadline
from affiliates.errors import AffiliatesError
from affiliates.program.short_links import short_link_target
from affiliates.telemetry.stacks import stack_of
from affiliates.visits.services import read_visit_url

METHODS = ("GET", "HEAD")
THROTTLE_SCOPE = "visit"

logger = logging.getLogger(__name__)


class LinkHostMiddleware(MiddlewareMixin):
    """Put it first: nothing else of the host is for these requests.

    It sets no cookie and records no click: the script of the page that it leads to does.
    """

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self._answer_async(request)
        return _answer(request) or self.get_response(request)

    async def _answer_async(self, request: HttpRequest) -> Any:
        response = await sync_to_async(_answer)(request)
        return response or await self.get_response(request)


def _answer(request: HttpRequest) -> HttpResponseBase | None:
    try:
        with Deadline(conf.visit_deadline_seconds):
            brand = brand_of_link_host(request)
            if brand is None:
                return None
            if request.method not in METHODS:
                return HttpResponseNotAllowed(METHODS)
            if count_call(THROTTLE_SCOPE, caller_at(address_of(request))) is not None:
                return HttpResponseRedirect(brand.default_redirect_url)
            url = read_visit_url(site_of(request) + request.get_full_path())
            return HttpResponseRedirect(short_link_target(url, brand=brand))
    except (AffiliatesError, DisallowedHost):
        return None
    except (DatabaseAway, Error) as fault:
        logger.warning("A short link was not looked up: %s", stack_of(fault))
        return None
