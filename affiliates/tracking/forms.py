"""The form of an integration: the common fields and the provider's own."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.utils.text import capfirst
from django.views.decorators.debug import sensitive_variables

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import ModelForm
from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.core.network import check_address
from affiliates.core.redirects import REDIRECT_PARAMETER
from affiliates.core.urls import first_parameter, parse_http_url
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import (
    ConfigError,
    ConfigField,
    FieldKind,
    ProviderSettings,
    TrackingAdapter,
    split_names,
)
from affiliates.outbox.secrets import SecretsUnreadable, decrypt, encrypt
from affiliates.tracking.networks import YOURS

MAX_TEXT = 255
MAX_LONG_TEXT = 4000
MOVED = "Enter it again: what is stored goes to the host it was entered for alone."
STORED = "Stored, and shown to nobody. Leave empty to keep it."


class IntegrationForm(ModelForm):
    """``adapter`` is set by the class that ``form_for`` makes."""

    adapter: ClassVar[TrackingAdapter]

    class Meta:
        model = TrackingIntegration
        fields: ClassVar = (
            "brand",
            "is_active",
            "address",
            "parameters",
            "ambiguous_sales",
            "requests_per_second",
            "click_max_age_days",
            "sale_max_age_days",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stored = self._stored_secrets()
        is_new = self.instance.pk is None
        if is_new:
            self.instance.provider = self.adapter.code
        self._describe_common_fields(is_new=is_new)
        for field in self.adapter.fields:
            self._describe(field, is_new=is_new)

    @sensitive_variables()
    def _stored_secrets(self) -> dict[str, str]:
        try:
            return decrypt(self.instance.secrets)
        except SecretsUnreadable:
            return {}

    def _describe_common_fields(self, *, is_new: bool) -> None:
        # With view permission only, the form has no fields.
        if "address" in self.fields:
            self.fields["address"].help_text = self.adapter.address_help
            if is_new:
                self.fields["address"].initial = self.adapter.default_address
        if "parameters" in self.fields and is_new:
            names = self.adapter.default_parameters
            self.fields["parameters"].initial = ", ".join(names)

    def _describe(self, one: ConfigField, *, is_new: bool) -> None:
        field = self.fields.get(one.name)
        if field is None:
            return
        if not one.is_secret:
            stored = self.instance.config.get(one.name, one.default)
            field.initial = one.default if is_new else stored
        elif one.name in self._stored:
            field.required = False
            field.help_text = f"{one.help} {STORED}"

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        self._require_own_values(values)
        if self.errors:
            return values
        brand = values.get("brand") or self.instance.brand
        if values["is_active"]:
            self._require_no_other(brand)
        try:
            check_address(values["address"], allowed_hosts=conf.tracking_allowed_hosts)
        except ValueError as error:
            self.add_error("address", str(error))
            return values
        try:
            self._cleaned = self.adapter.clean(self._settings(values))
        except ConfigError as error:
            for name, fault in error.faults.items():
                self.add_error(name if name in self.fields else None, fault)
        else:
            values["address"] = self._cleaned.address
            values["parameters"] = ", ".join(self._cleaned.parameters)
            self._require_names_of_its_own(brand)
            self._require_secrets_anew(values)
        return values

    def _require_own_values(self, values: dict[str, Any]) -> None:
        """Refuses what a network's settings leave to be entered."""
        for name, value in list(values.items()):
            if left := YOURS.search(str(value)):
                self.add_error(name, f"Replace {left[0]} by your own number or name.")

    def _require_no_other(self, brand: Brand) -> None:
        """Refuses a second tracker: a visit is matched with one."""
        active = TrackingIntegration.trackers.filter(brand=brand, is_active=True)
        other = active.exclude(pk=self.instance.pk).first()
        if other is not None:
            self.add_error(
                "is_active",
                f"{other} is switched on: switch that one off first. What waits for it "
                "is then given up, and can be replayed while it is on.",
            )

    def _require_names_of_its_own(self, brand: Brand) -> None:
        """Refuses parameter names with another use: a visit must have one meaning."""
        landing = parse_http_url(brand.default_redirect_url)
        for name in self.adapter.parameters_of(self._cleaned):
            fault = ""
            if name == REDIRECT_PARAMETER:
                fault = "'redirect' names where a visit is to lead: take another name."
            elif name == brand.link_parameter:
                fault = (
                    f"'{name}' is the parameter of the brand's own links: take another "
                    "name, or change that of the brand first."
                )
            elif landing is not None and first_parameter(landing, name) is not None:
                fault = (
                    f"The brand's default redirect URL has the parameter '{name}': "
                    "leave it out there first."
                )
            if fault:
                is_listed = name in self._cleaned.parameters
                self.add_error("parameters" if is_listed else None, fault)

    @sensitive_variables()
    def _require_secrets_anew(self, values: dict[str, Any]) -> None:
        """Requires secrets again for another host, so that it cannot capture them."""
        if not self._stored or _origin(self.instance.address) == _origin(
            self._cleaned.address
        ):
            return
        for field in self.adapter.fields:
            if field.name in self._stored and not values[field.name]:
                self.add_error(field.name, MOVED)

    @sensitive_variables()
    def _settings(self, values: dict[str, Any]) -> ProviderSettings:
        secrets = {
            field.name: values[field.name] or self._stored.get(field.name, "")
            for field in self.adapter.fields
            if field.is_secret
        }
        return ProviderSettings(
            address=values["address"],
            parameters=split_names(values["parameters"]),
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
            self.instance.secrets = encrypt(self._cleaned.secrets)


def _origin(address: str) -> str:
    url = parse_http_url(address)
    return address if url is None else url.origin


def form_for(adapter: TrackingAdapter) -> type[IntegrationForm]:
    """The form of this provider's integrations."""
    fields: dict[str, Any] = {field.name: form_field(field) for field in adapter.fields}
    return type("ProviderForm", (IntegrationForm,), {**fields, "adapter": adapter})


def form_field(field: ConfigField) -> forms.Field:
    """The form's field for a setting of a provider."""
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
