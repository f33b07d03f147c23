"""Files of other systems as they are imported, and what each of their rows became."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.imports.files.rows import ImportKind, Source
from affiliates.db.records import Record, staff_field
from affiliates.db.seals import SealField
from affiliates.program.models import Affiliate

MAX_NAME = 100
# Of a row's key: an order's reference and what tells it from others.
MAX_IMPORT_KEY = 255
MAX_ERROR_CODE = 40


class ImportState(models.TextChoices):
    UPLOADED = "uploaded", "Being checked"
    CHECKED = "checked", "Checked"
    CONFIRMED = "confirmed", "Being imported"
    DONE = "done", "Imported"
    FAILED = "failed", "Failed"
    WITHDRAWN = "withdrawn", "Withdrawn"

    @property
    def is_waiting(self) -> bool:
        """For the worker."""
        return self in (ImportState.UPLOADED, ImportState.CONFIRMED)


class ImportFile(Record):
    """A file of another system: checked, confirmed by a person, imported whole.

    ``content`` is emptied when nothing is left to do with it. ``matched_count`` are
    affiliates that were ours already and of whom the file says what they were called.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField("of", max_length=20, choices=ImportKind.choices)
    source = models.CharField("system", max_length=20, choices=Source.choices)
    name = models.CharField("file", max_length=MAX_NAME)
    content = models.TextField(
        blank=True, editable=False, help_text="The file, encrypted: it names people."
    )
    digest = models.CharField("SHA-256", max_length=64)
    options = models.JSONField(default=dict)
    state = models.CharField(
        max_length=20, choices=ImportState.choices, default=ImportState.UPLOADED
    )
    leaves_out_bad = models.BooleanField("bad rows left out", default=False)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    line_count = models.PositiveIntegerField("lines")
    done_count = models.PositiveIntegerField("looked at", default=0)
    new_count = models.PositiveIntegerField("new", default=0)
    matched_count = models.PositiveIntegerField("matched", default=0)
    same_count = models.PositiveIntegerField("known", default=0)
    bad_count = models.PositiveIntegerField("bad", default=0)
    uploaded_at = models.DateTimeField()
    uploaded_by = staff_field()
    checked_at = models.DateTimeField(null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    confirmed_by = staff_field()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "import"
        indexes = [
            models.Index(
                fields=["id"],
                name="import_for_the_worker",
                condition=Q(state__in=[ImportState.UPLOADED, ImportState.CONFIRMED]),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_written(self) -> bool:
        """All of its rows are, and what follows from them is being done."""
        return self.state == ImportState.CONFIRMED and not self.content

    @property
    def can_be_confirmed(self) -> bool:
        return self.state == ImportState.CHECKED and bool(
            self.new_count + self.matched_count
        )


class ImportFault(Record):
    """An error in a row of a file at its last check: a code with its values."""

    file = models.ForeignKey(
        ImportFile, on_delete=models.CASCADE, related_name="faults"
    )
    row_number = models.PositiveIntegerField("row")
    column = models.CharField(max_length=40, blank=True)
    code = models.CharField(max_length=MAX_ERROR_CODE)
    params = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"Row {self.row_number} of {self.file}"


class ImportedRow(Record):
    """A row that was imported, by what the system left called it. Only ever added.

    It is deleted with its affiliate, so a mistakenly imported affiliate can be imported
    again after deletion.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=20, choices=ImportKind.choices)
    key = models.CharField(max_length=MAX_IMPORT_KEY)
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.CASCADE, related_name="imported_rows"
    )
    file = models.ForeignKey(ImportFile, on_delete=models.PROTECT, related_name="rows")
    row_number = models.PositiveIntegerField("row")
    seal = SealField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "kind", "key"], name="row_is_imported_once"
            )
        ]

    def __str__(self) -> str:
        return self.key
