"""The program's public pages, and the ways to it: an application or an invitation."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.api.http.requests import address_of
from affiliates.api.http.throttles import caller_at, count_call
from affiliates.brands.selectors import client_area_of
from affiliates.contracts import Client
from affiliates.contrib.area.base import BrandPage, back_to, done_by
from affiliates.contrib.recruitment.forms import (
    ApplicationForm,
    ConfirmationForm,
    InvitedForm,
    StrangerForm,
)
from affiliates.contrib.recruitment.selectors import Offer, offer_of
from affiliates.contrib.recruitment.services.applications import (
    apply_as_stranger,
    confirm_application,
    unverified_application,
    verify_address,
)
from affiliates.contrib.recruitment.services.invitations import (
    accept_as_client,
    accept_as_stranger,
    open_invitation,
)
from affiliates.cookies import JOINED_EMAIL, referral_cookie
from affiliates.errors import NotFound
from affiliates.fraud.rules.mailboxes import mailbox_of
from affiliates.program.models import Affiliate
from affiliates.program.rules import CODE

MAX_USER_AGENT = 512


class PublicPage(BrandPage):
    """For everybody, where the brand has a program of its own."""

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        if not self.brand.terms.own_program:
            raise NotFound
        self.now: datetime = timezone.now()
        return super().answer(request, *args, **kwargs)

    def offer(self) -> Offer:
        return offer_of(self.brand.id, at=self.now)


class ProgramPage(PublicPage):
    template_name = "affiliates/area/program.html"
    title = _("Affiliate program")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(offer=self.offer(), by=came_by(request))


class LimitedPage(PublicPage):
    """Limits the number of forms sent from one network."""

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        caller = caller_at(address_of(request))
        if request.method == "POST" and count_call("application", caller) is not None:
            return self._ended(_("That was too often. Try again in an hour."), 429)
        try:
            return super().answer(request, *args, **kwargs)
        except NotFound as refused:
            is_used = refused.code == "link_used"
            return self._ended(gettext(refused.detail), 404, can_sign_in=is_used)

    def _ended(
        self, said: str | Promise, status: int, **context: Any
    ) -> HttpResponseBase:
        self.template_name = "affiliates/area/ended.html"  # type: ignore[misc] # of this answer
        return self.page(status=status, said=said, **context)


class ApplyPage(LimitedPage):
    template_name = "affiliates/area/apply.html"
    title = _("Apply to become an affiliate")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        offer = self.offer()
        return self.page(form=self._form(offer), offer=offer, by=came_by(request))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        offer = self.offer()
        form = self._form(offer, request.POST)
        if done_by(form, lambda _: self._apply(form)):
            return back_to("sent")
        return self.page(form=form, offer=offer, status=400)

    def _form(self, offer: Offer, data: Any = None) -> StrangerForm:
        return StrangerForm(
            data,
            now=self.now,
            questions=offer.questions,
            terms=offer.terms,
            by=came_by(self.request),
        )

    def _apply(self, form: StrangerForm) -> bool:
        """Answered alike for those who are told nothing: traps, and too many e-mails."""
        person = form.person()
        if not form.is_trapped and not _is_flooded(self.brand.id, person.email):
            apply_as_stranger(
                person,
                form.given(),
                brand_id=self.brand.id,
                site=client_area_of(self.request),
                now=self.now,
            )
        return True


class SentPage(PublicPage):
    template_name = "affiliates/area/sent.html"
    title = _("Check your mailbox")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page()


class JoinedPage(PublicPage):
    template_name = "affiliates/area/joined.html"
    title = _("Your account is ready")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page()


class ConfirmPage(LimitedPage):
    template_name = "affiliates/area/confirm.html"
    title = _("Confirm your application")

    def get(self, request: HttpRequest, token: str) -> HttpResponseBase:
        return self._ask(token, ConfirmationForm())

    def post(self, request: HttpRequest, token: str) -> HttpResponseBase:
        form = ConfirmationForm(request.POST)
        made = done_by(
            form,
            lambda values: confirm_application(
                token,
                brand_id=self.brand.id,
                referral_cookie=referral_cookie(request),
                user_agent=_user_agent(request),
                now=self.now,
                **values,
            ),
        )
        return _joined(request, made) if made else self._ask(token, form, status=400)

    def _ask(
        self, token: str, form: ConfirmationForm, status: int = 200
    ) -> HttpResponseBase:
        waiting = unverified_application(token, brand_id=self.brand.id, now=self.now)
        return self.page(form=form, application=waiting, status=status)


class VerifyPage(LimitedPage):
    """By a button: programs that look at e-mails open their links."""

    template_name = "affiliates/area/verify.html"
    title = _("Confirm your e-mail address")

    def get(self, request: HttpRequest, token: str) -> HttpResponseBase:
        return self.page()

    def post(self, request: HttpRequest, token: str) -> HttpResponseBase:
        verify_address(token, brand_id=self.brand.id, now=self.now)
        messages.success(request, gettext("Your e-mail address is confirmed."))
        return back_to("dashboard")


class InvitationPage(LimitedPage):
    template_name = "affiliates/area/invitation.html"
    title = _("You are invited")

    def get(self, request: HttpRequest, token: str) -> HttpResponseBase:
        return self._ask(token, self._form(self.offer()))

    def post(self, request: HttpRequest, token: str) -> HttpResponseBase:
        form = self._form(self.offer(), request.POST)
        client = client_of(request, self.brand.id)
        affiliate = done_by(form, lambda _: self._accept(token, form, client))
        if affiliate is None:
            return self._ask(token, form, status=400)
        return _joined(request, affiliate) if client is None else back_to("dashboard")

    def _form(self, offer: Offer, data: Any = None) -> ApplicationForm:
        is_known = client_of(self.request, self.brand.id) is not None
        form_class = ApplicationForm if is_known else InvitedForm
        return form_class(data, questions=offer.questions, terms=offer.terms)

    def _ask(
        self, token: str, form: ApplicationForm, status: int = 200
    ) -> HttpResponseBase:
        invitation = open_invitation(token, brand_id=self.brand.id, now=self.now)
        client = client_of(self.request, self.brand.id)
        return self.page(
            form=form,
            invitation=invitation,
            client=client,
            sign_in=redirect_to_login(self.request.get_full_path()).url,
            offer=self.offer(),
            status=status,
        )

    def _accept(
        self, token: str, form: ApplicationForm, client: Client | None
    ) -> Affiliate:
        if client is not None:
            return accept_as_client(token, client, form.given(), now=self.now)
        said = form.cleaned_data
        return accept_as_stranger(
            token,
            form.given(),
            brand_id=self.brand.id,
            firstname=said["firstname"],
            lastname=said["lastname"],
            password=said["password"],
            referral_cookie=referral_cookie(self.request),
            user_agent=_user_agent(self.request),
            now=self.now,
        )


def _joined(request: HttpRequest, affiliate: Affiliate) -> HttpResponseBase:
    """Leaves the new client's address to the host's login, in the session."""
    client = get_adapter().get_client(str(affiliate.user_id))
    request.session[JOINED_EMAIL] = client.email if client else ""
    return back_to("joined")


def client_of(request: HttpRequest, brand_id: int) -> Client | None:
    """The brand's client who is signed in, and no guest."""
    if not request.user.is_authenticated:
        return None
    client = get_adapter().get_client(str(request.user.pk))
    is_own = client is not None and client.brand_id == brand_id and not client.is_guest
    return client if is_own else None


def came_by(request: HttpRequest) -> str:
    """The recruiter's code in the address, "" if it cannot be a code."""
    code = request.GET.get("by", "").lower()
    return code if CODE.fullmatch(code) else ""


def _is_flooded(brand_id: int, email: str) -> bool:
    # Tags and dots would make any number of addresses of one mailbox.
    key = hashlib.sha256(f"{brand_id}:{mailbox_of(email)}".encode()).hexdigest()
    return count_call("application_email", key) is not None


def _user_agent(request: HttpRequest) -> str:
    return request.headers.get("User-Agent", "")[:MAX_USER_AGENT]
