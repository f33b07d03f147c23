"""Shared parts of the pages of the affiliate's area.

The pages show the answers of the affiliate's API, so that both always agree, and make
changes through the services that the API calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware, get_token
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control
from django.utils.decorators import decorator_from_middleware, method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from affiliates.adapter import get_adapter
from affiliates.brands.rules import BrandConfig
from affiliates.brands.selectors import brand_of_page
from affiliates.conf import conf
from affiliates.contrib.area.api.lists import Listing
from affiliates.contrib.area.htmx import answer_to_htmx, htmx_script
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.area.looks.services import look_of, note_page
from affiliates.contrib.area.sections import ACCOUNT_PAGES, SECTIONS
from affiliates.contrib.recruitment.selectors import terms_to_accept
from affiliates.core.content_policy import HEADER as CSP_HEADER
from affiliates.core.content_policy import content_policy
from affiliates.core.language import LANGUAGES, first_of_ours
from affiliates.errors import InvalidInput, NotAllowed, NotFound, StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.selectors import affiliate_of_client
from affiliates.uploads.images import picture_origins, picture_url

LOOK_COOKIE = "affiliates_look"
SAFE_METHODS = ("GET", "HEAD")
LOOK_HAS_ENDED = gettext_lazy(
    "It ends after 15 minutes, or as soon as you may not look any more. Look again from "
    "the affiliate's page in the admin."
)
NOT_CHECKED = gettext_lazy(
    "Nothing was saved: your browser did not send the cookie that protects this form. "
    "Allow cookies for this site, go back, load the page again and repeat the last step."
)
NO_SUCH_PAGE = gettext_lazy(
    "The address may be mistyped, or what it led to belongs to somebody else."
)
NOT_SHOWN = gettext_lazy("This page is hidden while you look.")
NOT_CHANGED = gettext_lazy("Nothing can be changed while you look.")


class FormCheck(CsrfViewMiddleware):
    """Marks a form that fails the check, for ``BrandPage`` to refuse in its own words."""

    def _reject(self, request: HttpRequest, reason: str) -> None:
        request.has_failed_check = True  # type: ignore[attr-defined] # for BrandPage


# The host's middleware may be missing, or would answer with a page of its own.
@method_decorator([csrf_exempt, decorator_from_middleware(FormCheck)], name="dispatch")
class BrandPage(View):
    """A page on a client area's host, for everybody: ``brand`` is whose host it is."""

    template_name: ClassVar[str]
    title: ClassVar[str | Promise]
    # Which entry of the navigation it stands under.
    section: ClassVar[str] = ""
    brand: BrandConfig
    language: str
    affiliate: Affiliate | None = None
    # Addresses of pictures on it, which may be on another host of the brand.
    pictures: Sequence[str] = ()
    # Whether staff who look at the area as ``look`` says see it.
    is_shown_in_looks: ClassVar[bool] = False
    look: AreaLook | None = None

    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        try:
            self.brand = brand_of_page(request)
        except (InvalidInput, NotAllowed, NotFound) as refused:
            raise Http404(refused.detail) from None
        asked = translation.get_language_from_request(request)
        self.language = first_of_ours(asked, settings.LANGUAGE_CODE)
        with translation.override(self.language):
            response = self._answer_in_frame(request, *args, **kwargs)
        response = answer_to_htmx(request, response, frame=self.frame)
        policy = content_policy(
            more={"img-src": picture_origins(*self.pictures)},
            report_uri=conf.csp_report_uri,
        )
        response.headers.setdefault(CSP_HEADER, policy)
        response.headers.setdefault("Referrer-Policy", "same-origin")
        patch_cache_control(response, private=True, no_store=True)
        return response

    def _answer_in_frame(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Answers errors with a page of the area too."""
        if getattr(request, "has_failed_check", False):
            return self.plain(_("Please try again"), NOT_CHECKED)
        try:
            return self.answer_or_refuse(request, *args, **kwargs)
        except (Http404, InvalidInput, NotAllowed, NotFound):
            return self.plain(_("This page does not exist"), NO_SUCH_PAGE, status=404)

    def answer_or_refuse(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Where a look opens something, and nowhere else; so it is also where it is
        refused. A middleware could be left out of the host's settings: this cannot."""
        cookie = request.COOKIES.get(look_cookie(request))
        if not cookie:
            return self.answer(request, *args, **kwargs)
        now = timezone.now()
        self.look = look_of(cookie, brand_id=self.brand.id, now=now)
        if self.look is None:
            return without_look(
                request, self.plain(_("The look has ended"), LOOK_HAS_ENDED)
            )
        self.affiliate = self.look.affiliate
        with timezone.override(self.affiliate.zone()):
            if request.method not in SAFE_METHODS:
                return self.plain(_("You are only looking"), NOT_CHANGED)
            if not self.is_shown_in_looks:
                return self.plain(_("You are only looking"), NOT_SHOWN)
            note_page(self.look, request.path)
            return self.answer(request, *args, **kwargs)

    @property
    def frame(self) -> str:
        """Whose page it is, in which look and language: what stands around its parts."""
        code = self.affiliate.code if self.affiliate else ""
        look = self.look.pk if self.look else ""
        return f"{code} {look} {self.language}"

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        return self.respond(request, *args, **kwargs)

    def respond(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """By the method of the request."""
        return super().dispatch(request, *args, **kwargs)

    def plain(
        self, title: str, said: str | Promise, *, status: int = 403
    ) -> TemplateResponse:
        """A sentence instead of the page."""
        self.template_name = "affiliates/area/look.html"  # type: ignore[misc] # of this answer
        self.title = title  # type: ignore[misc] # of this answer
        return self.page(status=status, said=said)

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        shown: dict[str, Any] = {
            "brand": self.brand,
            "logo": picture_url(self.brand.logo),
            "affiliate": self.affiliate,
            "htmx": self.affiliate and htmx_script(),
            "frame": self.frame,
            "title": self.title,
            "section": self.section,
            "sections": SECTIONS,
            "account_pages": ACCOUNT_PAGES,
            "languages": LANGUAGES,
            "unread_terms": self.affiliate and terms_to_accept(self.affiliate),
        }
        if self.look is not None:
            shown |= _while_looking(self.request, self.look)
        elif self.affiliate is not None:
            shown["host_pages"] = get_adapter().account_pages()
        response = TemplateResponse(
            self.request, self.template_name, shown | context, status=status
        )
        # Now, while the time zone is the affiliate's.
        response.render()
        return response


def _while_looking(request: HttpRequest, look: AreaLook) -> dict[str, Any]:
    """No form but End has a token: left open, no page sends anything afterwards.

    Messages wait for whom they are for: the client who is signed in here, if any.
    """
    return {
        "look": look,
        "end_token": get_token(request),
        "csrf_token": "none",
        "messages": (),
    }


def look_cookie(request: HttpRequest) -> str:
    """Its name: with https one that no other host of the domain can set."""
    return f"__Host-{LOOK_COOKIE}" if request.is_secure() else LOOK_COOKIE


def without_look(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    response.delete_cookie(look_cookie(request), samesite="Lax")
    return response


class AreaPage(BrandPage):
    """A page for the brand's signed-in affiliate, who is ``affiliate``."""

    affiliate: Affiliate
    is_shown_in_looks = True

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        if self.look is None:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            try:
                self.affiliate = affiliate_of_client(
                    str(request.user.pk), origin_brand_id=self.brand.id
                )
            except NotAllowed:
                return redirect("affiliates_area:welcome")
        with timezone.override(self.affiliate.zone()):
            try:
                return super().answer(request, *args, **kwargs)
            except InvalidInput as refused:
                return self._unreadable(refused)

    def rows(self, listing: Listing, **fixed: str) -> dict[str, Any]:
        """The list that the address requests, always as ``rows``, with ``query`` for
        the links to other pages."""
        others = self.request.GET.copy()
        others.pop("page", None)
        page = listing.readable(self.affiliate, {**self.asked(), **fixed})
        return {**page, "rows": page[listing.name], "query": others.urlencode()}

    def asked(self) -> dict[str, str]:
        """Returns the query parameters without the empty ones."""
        return {name: value for name, value in self.request.GET.dict().items() if value}

    def _unreadable(self, refused: InvalidInput) -> TemplateResponse:
        self.template_name = "affiliates/area/unreadable.html"  # type: ignore[misc] # of this answer
        self.title = _("That cannot be shown")  # type: ignore[misc] # of this answer
        return self.page(status=400, refused=_(refused.detail), path=self.request.path)


def done_by(
    form: forms.Form, service: Callable[[Mapping[str, Any]], Any]
) -> Any | None:
    """Returns the service's result, or None with errors in the form if refused."""
    if not form.is_valid():
        return None
    try:
        return service(form.cleaned_data)
    except (InvalidInput, NotAllowed, StateConflict) as refused:
        field = refused.field if refused.field in form.fields else None
        form.add_error(field, _(refused.detail))
    except ValidationError as fault:
        messages_by_field = getattr(fault, "message_dict", {None: fault.messages})
        for name, texts in messages_by_field.items():
            field = name if name in form.fields else None
            form.add_error(field, [_(text) for text in texts])
    return None


def back_to(name: str, *arguments: Any) -> HttpResponseRedirect:
    return redirect(f"affiliates_area:{name}", *arguments)
