"""What the pages of the affiliate's area have in common.

They show what the affiliate's API answers, so that no two can differ, and change things
by the services that the API calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django import forms
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views import View

from affiliates.api.affiliate.lists import Listing
from affiliates.area.language import LANGUAGES, language_of
from affiliates.area.navigation import SECTIONS
from affiliates.brands.rules import BrandConfig
from affiliates.brands.selectors import brand_for_origin
from affiliates.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    StateConflict,
)
from affiliates.program.models import Affiliate
from affiliates.program.selectors import affiliate_of_client
from affiliates.recruitment.selectors import terms_to_accept

# Our own files and nothing else, on a page that nobody else may show inside theirs.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:{images}; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class BrandPage(View):
    """A page on a client area's host, for everybody: ``brand`` is whose host it is."""

    template_name: ClassVar[str]
    title: ClassVar[str | Promise]
    # Which entry of the navigation it stands under.
    section: ClassVar[str] = ""
    brand: BrandConfig
    affiliate: Affiliate | None = None
    # Addresses of uploaded pictures on it, whose storage may be on another host.
    pictures: Sequence[str] = ()

    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        try:
            self.brand = brand_for_origin(f"{request.scheme}://{request.get_host()}")
            with translation.override(language_of(request)):
                response = self.answer(request, *args, **kwargs)
        except (InvalidInput, NotAllowed, NotFound) as refused:
            raise Http404(refused.detail) from None
        policy = CONTENT_SECURITY_POLICY.format(images=_origins(self.pictures))
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Referrer-Policy", "same-origin")
        patch_cache_control(response, private=True, no_store=True)
        return response

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs)

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        shown = {
            "brand": self.brand,
            "affiliate": self.affiliate,
            "title": self.title,
            "section": self.section,
            "sections": SECTIONS,
            "languages": LANGUAGES,
            "unread_terms": self.affiliate and terms_to_accept(self.affiliate),
        }
        response = TemplateResponse(
            self.request, self.template_name, shown | context, status=status
        )
        # Now, while the time zone is the brand's.
        response.render()
        return response


def _origins(pictures: Sequence[str]) -> str:
    parts = [urlsplit(one) for one in pictures]
    origins = {f" {one.scheme}://{one.netloc}" for one in parts if one.netloc}
    return "".join(sorted(origins))


class AreaPage(BrandPage):
    """A page for the brand's signed-in affiliate, who is ``affiliate``."""

    affiliate: Affiliate

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        try:
            self.affiliate = affiliate_of_client(
                str(request.user.pk), origin_brand_id=self.brand.id
            )
        except NotAllowed:
            return redirect("affiliates_area:welcome")
        with timezone.override(self.affiliate.brand.zone()):
            try:
                return super().answer(request, *args, **kwargs)
            except InvalidInput as refused:
                return self._unreadable(refused)

    def rows(self, listing: Listing, **fixed: str) -> dict[str, Any]:
        """What the address asks of a list, with ``query`` for the links to other pages."""
        others = self.request.GET.copy()
        others.pop("page", None)
        found = listing.readable(self.affiliate, {**self.asked(), **fixed})
        return {**found, "query": others.urlencode()}

    def asked(self) -> dict[str, str]:
        """What the address asks for; a field left empty asks for nothing."""
        return {name: one for name, one in self.request.GET.dict().items() if one}

    def _unreadable(self, refused: InvalidInput) -> TemplateResponse:
        self.template_name = "affiliates/area/unreadable.html"  # type: ignore[misc] # of this answer
        self.title = _("That cannot be shown")  # type: ignore[misc] # of this answer
        return self.page(status=400, refused=_(refused.detail), path=self.request.path)


def done_by(
    form: forms.Form, service: Callable[[Mapping[str, Any]], Any]
) -> Any | None:
    """What the service answers to the form; None where either says no: in the form."""
    if not form.is_valid():
        return None
    try:
        return service(form.cleaned_data)
    except (InvalidInput, NotAllowed, StateConflict) as refused:
        field = refused.field if refused.field in form.fields else None
        form.add_error(field, _(refused.detail))
    except ValidationError as fault:
        found = getattr(fault, "message_dict", {None: fault.messages})
        for name, texts in found.items():
            field = name if name in form.fields else None
            form.add_error(field, [_(one) for one in texts])
    return None


def back_to(name: str, *arguments: Any) -> HttpResponseRedirect:
    return redirect(f"affiliates_area:{name}", *arguments)
