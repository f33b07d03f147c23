from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html

from affiliates.admin_tools.base import ModelAdmin
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.brands.drawing import Picture
from affiliates.brands.forms import PictureField
from affiliates.brands.images import picture_url
from affiliates.program.creative_models import Creative
from affiliates.program.services import save_creative


class CreativeForm(ModelForm):
    upload = PictureField(label="Image", required=False)


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
        """A saved image stays, since sites show it: another is a new creative."""
        of_image = ("shown", "size", "created") if obj else ("upload",)
        return (
            ("Creative", {"fields": ("brand", "name", "text", "is_active")}),
            ("Image", {"fields": of_image}),
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: sites show its image. Turn it off instead."""
        return False

    def save_model(
        self, request: HttpRequest, obj: Creative, form: Any, change: bool
    ) -> None:
        picture: Picture | None = form.cleaned_data.get("upload")
        save_creative(obj, picture=picture)

    @admin.display(description="Size")
    def size(self, creative: Creative) -> str:
        if not creative.image:
            return "Text"
        return f"{creative.width} × {creative.height} pixels"

    @admin.display(description="Image")
    def shown(self, creative: Creative) -> str:
        url = picture_url(creative.image)
        if url is None:
            return "None"
        return format_html(
            '<img src="{}" alt="{}" width="{}" height="{}">',
            *(url, creative.text, creative.width, creative.height),
        )
