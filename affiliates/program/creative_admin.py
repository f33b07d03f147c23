from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.html import format_html

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ModelAdmin
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.editing.translations import TranslationsField
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.brands.forms import DownloadField, PictureField
from affiliates.program.creative_models import MAX_TEXT, Creative
from affiliates.program.services import save_creative
from affiliates.uploads.files import FILES_TAKEN, MAX_FILE_BYTES
from affiliates.uploads.images import picture_url


class CreativeForm(ModelForm):
    translations = TranslationsField(max_length=MAX_TEXT, widget=widgets.TextInput)
    upload = PictureField(
        label="Image",
        required=False,
        help_text="For affiliates' sites: PNG, JPEG or WebP, at most 2 MB.",
    )
    download = DownloadField(
        label="File",
        required=False,
        help_text=f"For affiliates to download: {FILES_TAKEN}, at most "
        f"{MAX_FILE_BYTES // 1_000_000} MB.",
    )

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("upload") and values.get("download"):
            self.add_error("download", "Choose one: an image or a file.")
        return values


@register_page(Creative)
class CreativeAdmin(ModelAdmin):
    form = CreativeForm
    list_display = ("name", "brand", "text", "size", "is_active", "created")
    list_filter = ("is_active", "brand")
    list_select_related = ("brand",)
    ordering = ("-pk",)
    autocomplete_fields = ("brand",)
    search_fields = (search.exactly("name"),)
    search_parts = (search.containing("name", "text"),)
    search_help_text = "Name or text"
    readonly_fields = ("shown", "size", "created")
    fixed_once_saved = ("brand",)

    created = column("created_at", "Created", show=moment, ordering="id")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """A saved image or file stays: another is a new creative."""
        uploaded = ("shown", "size", "created") if obj else ("upload", "download")
        texts = ("brand", "name", "text", "translations", "is_active")
        return (
            ("Creative", {"fields": texts}),
            ("Image or file", {"fields": uploaded}),
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: sites show its image. Turn it off instead."""
        return False

    def save_model(
        self, request: HttpRequest, obj: Creative, form: Any, change: bool
    ) -> None:
        values = {} if change else form.cleaned_data
        save_creative(obj, upload=values.get("upload") or values.get("download"))

    @admin.display(description="Size")
    def size(self, creative: Creative) -> str:
        if creative.file:
            kind = creative.file.rpartition(".")[2].upper()
            return f"{kind}, {filesizeformat(creative.file_size or 0)}"
        if not creative.image:
            return "Text"
        return f"{creative.width} × {creative.height} pixels"

    @admin.display(description="Image or file")
    def shown(self, creative: Creative) -> str:
        url = picture_url(creative.image)
        if url is None:
            return creative.file_name or "None"
        return format_html(
            '<img src="{}" alt="{}" width="{}" height="{}">',
            *(url, creative.text, creative.width, creative.height),
        )
