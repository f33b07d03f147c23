"""Fields that the admin's forms of several packages have."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import InlineFormSet
from affiliates.brands.models.brand import Brand
from affiliates.brands.targets import canonical_target, host_of, is_permitted
from affiliates.errors import InvalidInput, StateConflict
from affiliates.uploads.drawing import MAX_BYTES, TOO_LARGE, drawn_anew
from affiliates.uploads.files import MAX_FILE_BYTES, CheckedFile, checked_file

HOST_TWICE = "A host is here twice: keep one of the two rows."


class PictureField(forms.FileField):
    """An uploaded PNG, JPEG or WebP image, drawn anew."""

    widget = widgets.File

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if not file:
            return None
        # A page that asks first reads the form twice.
        file.seek(0)
        try:
            return self.checked(file)
        except (ValueError, InvalidInput, StateConflict) as refused:
            raise ValidationError(str(refused)) from None

    def checked(self, file: Any) -> Any:
        if file.size > MAX_BYTES:
            raise ValueError(TOO_LARGE)
        return drawn_anew(file.read())


class DownloadField(PictureField):
    """An uploaded file for others to download, checked by its content."""

    def checked(self, file: Any) -> CheckedFile:
        return checked_file(file.read(MAX_FILE_BYTES + 1), name=file.name)


class DomainFormSet(InlineFormSet):
    """The domains of a brand, checked together with the brand they are saved with."""

    def clean(self) -> None:
        for form in self.forms:
            if "host" in form.cleaned_data:
                # As stored, since two spellings of one host are a duplicate.
                form.cleaned_data["host"] = form.instance.host
        super().clean()
        if not any(self.errors):
            self._require_default_url_on_domains()

    def get_unique_error_message(self, unique_check: Any) -> str:
        """The host is all that is unique in a row."""
        return HOST_TWICE

    def _require_default_url_on_domains(self) -> None:
        brand: Brand = self.instance
        try:
            target = canonical_target(
                brand.default_redirect_url,
                link_parameter=brand.link_parameter,
                require_https=brand.require_https,
            )
        except ValueError:
            return  # The brand's own field reports it.
        entries = [
            form.instance.to_entry()
            for form in self.forms
            if form.cleaned_data.get("host") and not form.cleaned_data.get("DELETE")
        ]
        if not is_permitted(target, domains=entries):
            raise ValidationError(
                f"The default redirect URL leads to {host_of(target)}, which is no "
                "redirect target of this brand. Add this host here and tick "
                "'redirect target', or change the default redirect URL."
            )
