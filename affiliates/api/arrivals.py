"""Tracks visits to a client area whose pages the host renders, without a script."""

from __future__ import annotations

import logging
from typing import Any

from asgiref.sync import sync_to_async
from django.core.exceptions import DisallowedHost
from django.db import Error
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from rest_framework.exceptions import APIException

from affiliates.api.http.requests import address_of, utc_now
from affiliates.api.http.throttles import caller_at, count_call
from affiliates.api.visits import AffiliateLinkVisitViewSet, read_visit
from affiliates.brands.links import LINK_WORD
from affiliates.brands.selectors import brand_of_page, site_of
from affiliates.conf import conf
from affiliates.cookies import referral_cookie, set_referral_cookie
from affiliates.db.deadlines.deadline import DatabaseAway, Deadline
from affiliates.errors import AffiliatesError
from affiliates.telemetry.stacks import stack_of
from affiliates.visits.consent.rules import Consent, awaits_consent
from affiliates.visits.rules import VisitAnswer
from affiliates.visits.services import is_arrival, read_visit_url, track_visit

# Sent by browsers for a page that a person opens; not by old ones and robots.
NAVIGATION = {"HTTP_SEC_FETCH_MODE": "navigate", "HTTP_SEC_FETCH_DEST": "document"}

CONSENT = {True: Consent.GRANTED, False: Consent.DENIED, None: Consent.NOT_ASKED}

logger = logging.getLogger(__name__)


class ReferralCookieMiddleware(MiddlewareMixin):
    """Tracks an arrival inside the request for the page, and sets the cookie with it.

    An arrival is defined as in ``referral.js``, as far as a server sees it: it does not
    see the part after a ``#``. One that awaits the visitor's decision keeps its address,
    for the page to be opened again with it. Other pages are left unchanged, and a fault
    breaks none. The cookie is read by ``affiliates.cookies.referral_cookie``.
    """

    get_response: Any

    def has_consent(self, request: HttpRequest) -> bool | None:
        """Whether the visitor agreed, None if that is not known.

        A subclass may ask the host's own cookie. Called for every page, it makes no query.
        """
        return None

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self._answer_async(request)
        arrived = self._arrive(request) if self._may_track(request) else None
        if arrived is None:
            return self.get_response(request)
        answer, redirect = arrived
        return _keep(request, redirect or self.get_response(request), answer)

    async def _answer_async(self, request: HttpRequest) -> Any:
        arrived = None
        if self._may_track(request):
            arrived = await sync_to_async(self._arrive)(request)
        if arrived is None:
            return await self.get_response(request)
        answer, redirect = arrived
        return _keep(request, redirect or await self.get_response(request), answer)

    def _may_track(self, request: HttpRequest) -> bool:
        return _is_navigation(request) and (
            _may_name_somebody(request) or self._withdraws(request)
        )

    def _withdraws(self, request: HttpRequest) -> bool:
        return bool(referral_cookie(request)) and self.has_consent(request) is False

    def _arrive(
        self, request: HttpRequest
    ) -> tuple[VisitAnswer, HttpResponseBase | None] | None:
        """Returns the visit's answer, and its target unless that is this page."""
        try:
            with Deadline(conf.visit_deadline_seconds):
                page, answer = self._track(request)
        except (AffiliatesError, APIException, DisallowedHost):
            return None  # No client area's page, or what a visit may not be.
        except (DatabaseAway, Error) as fault:
            logger.warning("An arrival was not recorded: %s", stack_of(fault))
            return None
        if answer is None:
            return None
        target = answer.redirect_url
        if target.partition("#")[0] == page:
            return answer, None
        return answer, HttpResponseRedirect(target)

    def _track(self, request: HttpRequest) -> tuple[str, VisitAnswer | None]:
        brand = brand_of_page(request)
        url = read_visit_url(site_of(request) + request.get_full_path())
        consent = CONSENT[self.has_consent(request)]
        if awaits_consent(consent, brand=brand) or not (
            is_arrival(url, brand=brand) or self._withdraws(request)
        ):
            return url.href, None
        body = {
            "visit_url": url.href,
            "referrer_url": request.headers.get("Referer", ""),
            "user_agent": request.headers.get("User-Agent", ""),
            "referral_cookie": referral_cookie(request),
            **({"consent": consent} if consent else {}),
        }
        scope = AffiliateLinkVisitViewSet.throttle_scope
        address = address_of(request)
        if count_call(scope, caller_at(address)) is not None:
            return url.href, None  # Opened too often.
        visit = read_visit(body, request, address=address)
        return url.href, track_visit(brand=brand, visit=visit, now=utc_now())


def _is_navigation(request: HttpRequest) -> bool:
    return request.method == "GET" and all(
        request.META.get(name, value) == value for name, value in NAVIGATION.items()
    )


def _may_name_somebody(request: HttpRequest) -> bool:
    """Called for every request of the host, so it makes no query."""
    return bool(request.META.get("QUERY_STRING") or LINK_WORD in request.path.lower())


def _keep(
    request: HttpRequest, response: HttpResponseBase, answer: VisitAnswer
) -> HttpResponseBase:
    set_referral_cookie(
        request,
        response,
        value=answer.referral_cookie,
        max_age=answer.referral_cookie_max_age,
    )
    return response
