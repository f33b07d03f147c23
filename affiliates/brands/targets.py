"""Where a brand or a link sends its visitors: what an address must look like, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from affiliates.brands.links import (
    LINK_PLACE,
    has_link_path,
    is_link_page,
    names_somebody,
)
from affiliates.core.domains import DomainEntry
from affiliates.core.redirects import (
    MAX_TARGET_LENGTH,
    REDIRECT_PARAMETER,
    RedirectReason,
    judge_target,
)
from affiliates.core.urls import first_parameter, origin_host_port, parse_http_url

_SIGN_OUT = re.compile(r"/(?:log|sign)[-_]?(?:out|off)/?$", re.IGNORECASE)

_ADVICE = {
    RedirectReason.TOO_LONG: gettext_noop("Use at most {most} characters."),
    RedirectReason.FORBIDDEN_CHARACTER: gettext_noop(
        "Leave out spaces, backslashes and invisible characters; "
        "inside an address a space is written %20."
    ),
    RedirectReason.HAS_CREDENTIALS: gettext_noop(
        "Leave out the user name and the password."
    ),
    RedirectReason.BAD_HOST: gettext_noop(
        "Write a plain host: letters, digits, hyphens and dots, "
        "or an IP address such as 127.0.0.1."
    ),
    RedirectReason.HTTPS_REQUIRED: gettext_noop(
        "This brand redirects to https only: begin with https://."
    ),
}
_WHOLE_ADDRESS = gettext_noop(
    "Write the whole address, beginning with https:// or http://, "
    "such as https://shop.example.com/plans."
)


def canonical_target(
    text: str,
    *,
    link_parameter: str,
    require_https: bool,
    integration_parameters: Sequence[str] = (),
) -> str:
    """Returns the stored form of the target that an operator typed, on any host.

    The target is the final page: it may name neither an affiliate nor a redirect.
    ``integration_parameters`` name an affiliate of the brand's tracking integration.
    Raises ValueError with a message for the operator.
    """
    url = parse_http_url(text)
    own_host: list[DomainEntry] = []
    if url is not None:
        host, port = origin_host_port(url)
        own_host = [DomainEntry(host=host, port=port, is_redirect_target=True)]
    judged = judge_target(
        text, visit_url=None, domains=own_host, require_https=require_https
    )
    # A space that somebody typed is a slip.
    reason = RedirectReason.FORBIDDEN_CHARACTER if " " in text else judged.reason
    if judged.url is None or url is None or not reason.is_permitted:
        advice = _(_ADVICE.get(reason, _WHOLE_ADDRESS))
        raise ValueError(advice.format(most=MAX_TARGET_LENGTH))
    for name in (REDIRECT_PARAMETER, link_parameter, *integration_parameters):
        if first_parameter(url, name) is not None:
            raise ValueError(parameter_fault(name))
    if is_link_page(url) or has_link_path(url.pathname + url.hash):
        raise ValueError(
            _(
                "Write the page that visitors are to see: an address under {path} is "
                "an affiliate link itself."
            ).format(path=f"{LINK_PLACE}/")
        )
    if names_somebody(url, parameter=link_parameter):
        raise ValueError(parameter_fault(link_parameter))
    if _SIGN_OUT.search(url.pathname):
        raise ValueError(
            _("This page signs visitors out: choose a page that they can read.")
        )
    return judged.url


def parameter_fault(name: str) -> str:
    return _(
        "Leave out the parameter '{name}': a visit to this address would be read as "
        "one through a link."
    ).format(name=name)


def is_permitted(target: str, *, domains: Sequence[DomainEntry]) -> bool:
    """Whether the target leads to one of these domains."""
    judged = judge_target(target, visit_url=None, domains=domains, require_https=False)
    return judged.url is not None


def host_of(target: str) -> str:
    """Host, with its port if it has one, as an operator would enter it as a domain."""
    url = parse_http_url(target)
    return "" if url is None else url.host
