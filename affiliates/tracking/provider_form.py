"""The form of a row with a provider's address, settings and encrypted credentials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from django import forms
from django.utils.text import capfirst
from django.views.decorators.debug import sensitive_variables

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import ModelForm
from affiliates.core.urls import parse_http_url
from affiliates.encrypted.columns import Credentials, SecretUnreadable
from affiliates.outbox.protocol import ConfigField, FieldKind, ProviderSettings

MAX_TEXT = 255
MAX_LONG_TEXT = 4000
MOVED = "Enter it again: what is stored goes to the host it was entered for alone."
STORED = "Stored, and shown to nobody. Leave empty to keep it."


class Configured(Protocol):
    """The part of a provider that its form shows."""

    code: ClassVar[str]
    address_help: ClassVar[str]
    default_address: ClassVar[str]

    @property
    def fields(self) -> Sequence[ConfigField]: ...


class ProviderForm(ModelForm):
    """``adapter`` is set by the class that ``form_for`` makes, the rest by a subclass.

    ``clean`` of a subclass keeps the settings that are to be stored as ``_cleaned``.
    """

    adapter: ClassVar[Any]
    credentials: ClassVar[Credentials]
    _cleaned: ProviderSettings

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stored = self._open()
        is_new = self.instance.pk is None
        if is_new:
            self.instance.provider = self.adapter.code
        # With view permission only, the form has no fields.
        if "address" in self.fields:
            self.fields["address"].help_text = self.adapter.address_help
            if is_new:
                self.fields["address"].initial = self.adapter.default_address
        for field in self.adapter.fields:
            self._describe(field, is_new=is_new)

    @sensitive_variables()
    def _open(self) -> Mapping[str, str]:
        """The stored credentials; none if they cannot be read."""
        try:
            return self.credentials.open(self.instance.secrets)
        except SecretUnreadable:
            return {}

    def _describe(self, setting: ConfigField, *, is_new: bool) -> None:
        field = self.fields.get(setting.name)
        if field is None:
            return
        if not setting.is_secret:
            stored = self.instance.config.get(setting.name, setting.default)
            field.initial = setting.default if is_new else stored
        elif setting.name in self._stored:
            field.required = False
            field.help_text = f"{setting.help} {STORED}"

    @sensitive_variables()
    def require_secrets_anew(self, values: dict[str, Any], address: str) -> None:
        """Requires secrets again for another host, so that it cannot capture them."""
        if not self._stored or _origin(self.instance.address) == _origin(address):
            return
        for field in self.adapter.fields:
            if field.name in self._stored and not values[field.name]:
                self.add_error(field.name, MOVED)

    @sensitive_variables()
    def settings(
        self, values: dict[str, Any], parameters: tuple[str, ...] = ()
    ) -> ProviderSettings:
        """What was entered, with the stored credentials where none were."""
        secrets = {
            field.name: values[field.name] or self._stored.get(field.name, "")
            for field in self.adapter.fields
            if field.is_secret
        }
        return ProviderSettings(
            address=values["address"],
            parameters=parameters,
            values={
                field.name: values[field.name]
                for field in self.adapter.fields
                if not field.is_secret
            },
            secrets={name: secret for name, secret in secrets.items() if secret},
        )

    @sensitive_variables()
    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc] # Django's own hook, untyped
        if not self.errors:
            self.instance.config = dict(self._cleaned.values)
            self.instance.secrets = self.credentials.seal(self._cleaned.secrets)


def form_for(form: type[ProviderForm], adapter: Configured) -> Any:
    """The form of this provider's rows."""
    fields: dict[str, Any] = {
        field.name: _form_field(field) for field in adapter.fields
    }
    return type("FormOfProvider", (form,), {**fields, "adapter": adapter})


def _origin(address: str) -> str:
    url = parse_http_url(address)
    return address if url is None else url.origin


def _form_field(field: ConfigField) -> forms.Field:
    common: dict[str, Any] = {
        "label": capfirst(field.label),
        "help_text": field.help,
        "required": field.is_required,
    }
    if field.is_secret:
        return forms.CharField(
            **common,
            max_length=MAX_TEXT,
            widget=widgets.Password(attrs={"autocomplete": "new-password"}),
        )
    match field.kind:
        case FieldKind.SWITCH:
            return forms.BooleanField(
                **{**common, "required": False}, widget=widgets.Switch
            )
        case FieldKind.CHOICE:
            return forms.ChoiceField(
                **common, choices=field.choices, widget=widgets.Select
            )
        case FieldKind.LONG_TEXT:
            return forms.CharField(
                **common, max_length=MAX_LONG_TEXT, widget=widgets.Textarea
            )
    return forms.CharField(**common, max_length=MAX_TEXT, widget=widgets.TextInput)
