"""Actions of staff on a file: upload it, import it, withdraw it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from affiliates.admin_tools.base import action
from affiliates.admin_tools.confirmation import Question, answer_of
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.contrib.imports.files.rows import ImportKind, Source
from affiliates.contrib.imports.forms import ConfirmForm, UploadForm
from affiliates.contrib.imports.models import ImportFile, ImportState
from affiliates.contrib.imports.services import (
    MAX_LINES_AT_ONCE,
    confirm_import,
    keep_file,
    withdraw_import,
    work_at,
)

# Balances are postings: they take what a bonus takes.
PERMISSIONS = dict.fromkeys(ImportKind, "affiliates.add_affiliate") | {
    ImportKind.BALANCES: "affiliates.add_adjustment"
}


def kinds_for(user: Any) -> list[ImportKind]:
    return [source for source, name in PERMISSIONS.items() if user.has_perm(name)]


def counts_of(file: ImportFile) -> dict[str, str]:
    """In words, without what there is none of."""
    matched = "Ours already, by another name in other files of that system"
    counts = {
        "New": file.new_count,
        matched: file.matched_count,
        "Known, and left alone": file.same_count,
        "Bad": file.bad_count,
    }
    return {name: f"{count:,}" for name, count in counts.items() if count}


def _work_at(page: Any, file: ImportFile) -> HttpResponse:
    """A short file is not worth waiting for the worker."""
    if file.line_count <= MAX_LINES_AT_ONCE:
        work_at(file, clock=timezone.now)
    return HttpResponseRedirect(page.page_of(file))


def _confirm(chosen: Chosen, answers: Mapping[str, Any]) -> HttpResponse:
    confirmed = confirm_import(
        file_id=chosen.row.pk,
        leaves_out_bad=answers.get("leaves_out_bad", False),
        actor_id=chosen.actor_id,
        now=timezone.now(),
    )
    return _work_at(chosen.page, confirmed)


def _withdraw(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    withdraw_import(file_id=chosen.row.pk, now=timezone.now())
    return f"{chosen.row} is withdrawn."


CONFIRM = StaffDecision(
    name="import",
    permission="import",
    title="Import {rows}?",
    button="Import",
    paragraphs=[
        "All of these rows are imported, or none. No e-mail is sent, and no webhook is "
        "told."
    ],
    details=lambda chosen: {"facts": counts_of(chosen.row)},
    form=lambda chosen: ConfirmForm(chosen.data) if chosen.row.bad_count else None,
    is_open=lambda file: file.can_be_confirmed,
    write=_confirm,
)
WITHDRAW = StaffDecision(
    name="withdraw",
    permission="import",
    title="Withdraw {rows}?",
    button="Withdraw",
    paragraphs=["What is in it is forgotten. Nothing of it was imported."],
    is_open=lambda file: file.state in (ImportState.UPLOADED, ImportState.CHECKED),
    is_late=lambda file: already(file, ImportState(file.state)),
    write=_withdraw,
)


class ImportActions(Decides):
    def has_import_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(kinds_for(request.user))

    @action(description="Import a file", url_path="upload", permissions=["import"])
    def upload(self, request: HttpRequest) -> HttpResponse:
        kinds = kinds_for(request.user)
        form = UploadForm(answer_of(request), request.FILES or None, kinds=kinds)
        question = Question(
            title="Import a file of another system?",
            paragraphs=["You see what each row would do before anything is done."],
            button="Check it",
            form=form,
        )

        def write() -> HttpResponse:
            said = form.cleaned_data
            file = keep_file(
                brand_id=said["brand"].pk,
                kind=ImportKind(said["kind"]),
                source=Source(said["source"]),
                name=str(said["file"].name),
                content=said["file"].read(),
                options=form.options(said["brand"].zone()),
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            return _work_at(self, file)

        return self.ask_or_do(request, question, write)

    confirm = CONFIRM.on_row("Import")
    withdraw = WITHDRAW.on_row("Withdraw")

    def row_of(self, request: HttpRequest, object_id: str) -> Any:
        file = super().row_of(request, object_id)
        if ImportKind(file.kind) not in kinds_for(request.user):
            raise PermissionDenied
        return file
