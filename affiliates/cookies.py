"""The referral cookie in the host's own requests and responses.

``referral.js``, a proxy of the host's and ``ReferralCookieMiddleware`` all set the same
cookie: for the client area's own domain, and readable by the pages' scripts.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from affiliates.conf import conf

# The session's key of the e-mail address of a client who has just joined the program: a
# login form may begin with it.
JOINED_EMAIL = "affiliates_joined_email"


def referral_cookie(request: HttpRequest) -> str | None:
    """The value for ``host_events``: the one sent with the request, if any."""
    return request.COOKIES.get(conf.cookie_name) or None


def set_referral_cookie(
    request: HttpRequest,
    response: HttpResponseBase,
    *,
    value: str | None,
    max_age: int | None,
) -> None:
    """Sets the cookie that a visit returned; without a value, deletes it.

    Browsers keep it for all of ``max_age``, in seconds: Safari limits only cookies set
    by scripts to seven days. No cache may store such a response.
    """
    name, domain = conf.cookie_name, conf.cookie_domain
    if value:
        response.set_cookie(
            name,
            value,
            max_age=max_age,
            domain=domain,
            secure=request.is_secure(),
            samesite="Lax",
        )
    elif name in request.COOKIES:
        response.delete_cookie(name, domain=domain, samesite="Lax")
    response["Cache-Control"] = "private, no-store"
