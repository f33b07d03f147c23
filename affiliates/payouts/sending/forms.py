"""The form of a payout account: its address and the settings of its provider."""

from __future__ import annotations

from typing import Any, ClassVar

from django.views.decorators.debug import sensitive_variables

from affiliates.admin_tools.forms import ModelForm
from affiliates.conf import conf
from affiliates.core.network import check_address
from affiliates.core.urls import parse_http_url
from affiliates.errors import StateConflict
from affiliates.outbox.protocol import ConfigError, ProviderSettings
from affiliates.payouts.providers.sender import PayoutSender
from affiliates.payouts.sending.secrets import decrypt, encrypt
from affiliates.payouts.sending_models import PayoutAccount
from affiliates.tracking.forms import MOVED, STORED, form_field

TAKEN = "Another account of this brand pays the same way: switch that one off first."


class PayoutAccountForm(ModelForm):
    """``sender`` is set by the class that ``form_for`` makes."""

    sender: ClassVar[PayoutSender]

    class Meta:
        model = PayoutAccount
        fields: ClassVar = ("brand", "is_active", "address")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stored = self._stored_secrets()
        is_new = self.instance.pk is None
        if is_new:
            self.instance.provider = self.sender.code
            self.instance.kind = self.sender.kind
        # With view permission only, the form has no fields.
        if "address" in self.fields:
            self.fields["address"].help_text = self.sender.address_help
            if is_new:
                self.fields["address"].initial = self.sender.default_address
        for setting in self.sender.fields:
            field = self.fields.get(setting.name)
            if field is None:
                continue
            if not setting.is_secret:
                stored = self.instance.config.get(setting.name, setting.default)
                field.initial = setting.default if is_new else stored
            elif setting.name in self._stored:
                field.required = False
                field.help_text = f"{setting.help} {STORED}"

    @sensitive_variables()
    def _stored_secrets(self) -> dict[str, str]:
        try:
            return decrypt(self.instance.secrets)
        except StateConflict:
            return {}

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if self.errors:
            return values
        try:
            check_address(values["address"], allowed_hosts=conf.tracking_allowed_hosts)
        except ValueError as error:
            self.add_error("address", str(error))
            return values
        self._require_secrets_anew(values)
        self._require_no_other(values)
        if self.errors:
            return values
        try:
            self._cleaned = self.sender.clean(self._settings(values))
        except ConfigError as error:
            for name, fault in error.faults.items():
                self.add_error(name if name in self.fields else None, fault)
        return values

    @sensitive_variables()
    def _require_secrets_anew(self, values: dict[str, Any]) -> None:
        """Requires secrets again for another host, so that it cannot capture them."""
        before, now = map(parse_http_url, (self.instance.address, values["address"]))
        if not self._stored or (before and now and before.origin == now.origin):
            return
        for name in self._stored:
            if name in self.fields and not values[name]:
                self.add_error(name, MOVED)

    def _require_no_other(self, values: dict[str, Any]) -> None:
        brand = values.get("brand") or self.instance.brand
        others = PayoutAccount.objects.filter(
            brand=brand, kind=self.sender.kind, is_active=True
        )
        if values["is_active"] and others.exclude(pk=self.instance.pk).exists():
            self.add_error("is_active", TAKEN)

    @sensitive_variables()
    def _settings(self, values: dict[str, Any]) -> ProviderSettings:
        secrets = {
            field.name: values[field.name] or self._stored.get(field.name, "")
            for field in self.sender.fields
            if field.is_secret
        }
        return ProviderSettings(
            address=values["address"],
            parameters=(),
            values={
                field.name: values[field.name]
                for field in self.sender.fields
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


def form_for(sender: PayoutSender) -> type[PayoutAccountForm]:
    """The form of this provider's accounts."""
    fields = {field.name: form_field(field) for field in sender.fields}
    return type("SenderForm", (PayoutAccountForm,), {**fields, "sender": sender})
