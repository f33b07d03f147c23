"""What staff do with a file: upload it, import it, withdraw it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from affiliates.admin_tools.base import OnlyWhatIsPossible, action
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
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
IMPORT = ["import"]


def kinds_for(user: Any) -> list[ImportKind]:
    return [one for one, name in PERMISSIONS.items() if user.has_perm(name)]


class ImportActions(OnlyWhatIsPossible, AsksFirst):
    def has_import_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return bool(kinds_for(request.user))

    def is_possible(self, row: ImportFile, path: str) -> bool:
        if path == "import":
            return row.can_be_confirmed
        return row.state in (ImportState.UPLOADED, ImportState.CHECKED)

    @action(description="Import a file", url_path="upload", permissions=IMPORT)
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
            return self._work_at(file)

        return self.ask_or_do(request, question, write)

    @action(description="Import", url_path="import", permissions=IMPORT)
    def confirm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        file = self._file_of(request, object_id)
        form = ConfirmForm(answer_of(request)) if file.bad_count else None
        question = Question(
            title=f"Import {file}?",
            paragraphs=[
                "All of these rows are imported, or none. No e-mail is sent, and no "
                "webhook is told."
            ],
            facts=counts_of(file),
            button="Import",
            form=form,
            row=file,
        )

        def write() -> HttpResponse:
            confirmed = confirm_import(
                file_id=file.pk,
                leaves_out_bad=bool(form and form.cleaned_data["leaves_out_bad"]),
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            return self._work_at(confirmed)

        return self.ask_or_do(request, question, write)

    @action(description="Withdraw", url_path="withdraw", permissions=IMPORT)
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        file = self._file_of(request, object_id)
        question = Question(
            title=f"Withdraw {file}?",
            paragraphs=["What is in it is forgotten. Nothing of it was imported."],
            button="Withdraw",
            row=file,
        )

        def write() -> str:
            withdraw_import(file_id=file.pk, now=timezone.now())
            return f"{file} is withdrawn."

        return self.ask_or_do(request, question, write)

    def _file_of(self, request: HttpRequest, object_id: str) -> ImportFile:
        file: ImportFile = self.row_of(request, object_id)
        if ImportKind(file.kind) not in kinds_for(request.user):
            raise PermissionDenied
        return file

    def _work_at(self, file: ImportFile) -> HttpResponse:
        """A short file is not worth waiting for the worker."""
        if file.line_count <= MAX_LINES_AT_ONCE:
            work_at(file, clock=timezone.now)
        return HttpResponseRedirect(self.page_of(file))


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
