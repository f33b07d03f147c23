"""Asks for the erasing of a person, and agrees to it: two persons of staff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.text import capfirst

from affiliates.admin_tools.base import ReadOnlyAdmin, action, requires
from affiliates.admin_tools.columns import column, moment, row_column
from affiliates.admin_tools.confirmation import (
    AsksFirst,
    Listing,
    Question,
    answer_of,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.forms import reason_field
from affiliates.admin_tools.theme import register_page
from affiliates.privacy.admin import (
    AffiliateDataPage,
    ClientDataPage,
    account_of,
    person_of_account,
)
from affiliates.privacy.erasure.models import MAX_REASON, Erasure
from affiliates.privacy.erasure.selectors import changed_rows, obstacles_to, person_of
from affiliates.privacy.erasure.services import agree, ask, withdraw
from affiliates.privacy.selectors import Subject
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral

EFFECT = (
    "What is personal is emptied or deleted; the books stay under the number of the "
    "account. It cannot be undone. Export the data first if the person wants it."
)
NOT_SETTLED = "Settle this first."
ASKED = "Asked. Somebody else must agree to it, under Erasures."


class ErasureReasonForm(forms.Form):
    reason = reason_field(
        "Such as: asked by e-mail on 3 May. Name no person: it is kept.",
        max_length=MAX_REASON,
    )


def _listing(subject: Subject) -> Listing:
    """Lists the rows that an erasure would change, and any obstacles to it."""
    changes = changed_rows(subject, of_host=True)
    obstacles = obstacles_to(subject)
    count = sum(len(change.keys) for change in changes)
    return Listing(
        columns=("What", "Rows", "What becomes of them"),
        rows=[
            [_words_for(change.declared.name), f"{len(change.keys):,}", change.act]
            for change in changes
        ],
        summary=" ".join(obstacles) or f"{count:,} rows are changed.",
        is_possible=not obstacles,
    )


class ErasesPerson(AsksFirst):
    user_of: Any

    has_erase_person_permission = requires("affiliates.erase_person")

    @action(
        description="Erase personal data…",
        url_path="erase",
        permissions=["erase_person"],
    )
    def erase_person(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row = self.row_of(request, object_id)
        return self.ask_for_erasure(request, self.user_of(row), row)

    def ask_for_erasure(
        self, request: HttpRequest, user: Any, row: Any = None
    ) -> HttpResponse:
        """``row`` is the page to which Cancel leads. Of staff nothing is erased."""
        if user is None:
            raise Http404
        subject, email = person_of_account(request, user)
        brand = subject.brand
        if brand is None:
            raise Http404
        form = ErasureReasonForm(answer_of(request))
        question = Question(
            title=f"Ask to erase what is stored of {email or user}?",
            button="Ask for it",
            paragraphs=[EFFECT],
            form=form,
            listing=lambda: _listing(subject),
            nothing=NOT_SETTLED,
            row=row,
        )

        def write() -> str:
            ask(
                brand=brand,
                accounts=[str(user.pk)],
                email=email,
                reason=form.cleaned_data["reason"],
                asked_by_id=request.user.pk,
                now=timezone.now(),
            )
            return ASKED

        return self.ask_or_do(request, question, write)


@register_page(Affiliate)
class AffiliateErasurePage(ErasesPerson, AffiliateDataPage):
    actions_detail: ClassVar = (*AffiliateDataPage.actions_detail, "erase_person")

    def get_urls(self) -> list[URLPattern]:
        """With a page for any account, for a host's own pages to link to."""
        view = self.admin_site.admin_view(self.erase_account)
        name = "affiliates_erase_account"
        return [path("erase/<str:user_id>/", view, name=name), *super().get_urls()]

    def erase_account(self, request: HttpRequest, user_id: str) -> HttpResponse:
        if not self.has_erase_person_permission(request):
            raise PermissionDenied
        return self.ask_for_erasure(request, account_of(request, user_id))


@register_page(ClientReferral)
class ClientErasurePage(ErasesPerson, ClientDataPage):
    actions_detail: ClassVar[tuple[str, ...]] = (
        *ClientDataPage.actions_detail,
        "erase_person",
    )


def _agree(chosen: Chosen, answers: Any) -> str:
    for pk in chosen.ids:
        agree(erasure_id=pk, agreed_by_id=chosen.actor_id, now=timezone.now())
    return "Erased."


def _withdraw(chosen: Chosen, answers: Any) -> HttpResponse:
    for pk in chosen.ids:
        withdraw(erasure_id=pk)
    chosen.report("Withdrawn: nothing is erased.", is_success=True)
    return HttpResponseRedirect(chosen.page.page_of())


def _waiting(rows: Any) -> Any:
    return rows.filter(done_at=None)


AGREE = StaffDecision(
    name="agree",
    permission="erase",
    title="Erase what is stored of a person?",
    details=lambda chosen: {
        "title": f"Erase what is stored of {_name_of(chosen.row)}?"
    },
    button="Erase",
    paragraphs=[EFFECT],
    listing=lambda chosen: _listing(_person(chosen)),
    waiting=_waiting,
    is_open=lambda row: row.done_at is None,
    nothing=NOT_SETTLED,
    write=_agree,
)
WITHDRAW = StaffDecision(
    name="withdraw",
    permission="erase",
    title="Withdraw {rows}?",
    button="Withdraw",
    paragraphs=["Nothing is erased. It can be asked for again."],
    waiting=_waiting,
    is_open=lambda row: row.done_at is None,
    write=_withdraw,
)


def _person(chosen: Chosen) -> Subject:
    row = chosen.row
    return person_of(row.brand, row.accounts, row.email)


def _name_of(row: Erasure) -> str:
    return row.email or ", ".join(row.accounts)


def _counted(changed: Mapping[str, Mapping[str, int]]) -> str:
    return ", ".join(
        f"{_words_for(name)}: "
        + " and ".join(f"{count:,} {act}" for act, count in done.items())
        for name, done in changed.items()
    )


def _words_for(name: str) -> str:
    """The name itself of a table whose app was removed since."""
    try:
        names = apps.get_model(name)._meta.verbose_name_plural
    except LookupError:
        return name
    return capfirst(str(names))


@register_page(Erasure)
class ErasureAdmin(Decides, ReadOnlyAdmin):
    about = (
        "What is stored of a person is erased when two persons of staff agree. Ask for "
        "it on the page of the affiliate or the client."
    )
    list_display = ("id", "brand", "person", "reason", "asked_by", "asked", "done")
    list_filter = ("brand", "done_at")
    list_select_related = ("brand", "asked_by", "agreed_by")
    asked = column("asked_at", "Asked", show=moment, ordering="asked_at")
    done = column("done_at", "Done", show=moment, ordering="done_at")
    person = row_column("Person", lambda row: _name_of(row))
    changed_rows = row_column("Changed rows", lambda row: _counted(row.changed))
    nothing_yet = "Nobody has asked for it yet."
    fields = (
        *("brand", "person", "reason", "asked_by", "asked"),
        *("agreed_by", "done", "changed_rows"),
    )
    actions_detail: ClassVar = ("agree", "withdraw")
    agree = AGREE.on_row("Erase…")
    withdraw = WITHDRAW.on_row("Withdraw…")

    has_erase_permission = requires("affiliates.erase_person")
