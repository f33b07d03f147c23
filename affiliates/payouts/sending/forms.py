"""The form of a payout account: its address and the settings of its provider."""

from __future__ import annotations

from typing import Any, ClassVar

from django.views.decorators.debug import sensitive_variables

from affiliates.conf import conf
from affiliates.core.network import check_address
from affiliates.outbox.protocol import ConfigError
from affiliates.payouts.providers.sender import PayoutSender
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending_models import PayoutAccount
from affiliates.tracking.provider_form import ProviderForm

TAKEN = "Another account of this brand pays the same way: switch that one off first."


class PayoutAccountForm(ProviderForm):
    adapter: ClassVar[PayoutSender]
    credentials = CREDENTIALS

    class Meta:
        model = PayoutAccount
        fields: ClassVar = ("brand", "is_active", "address")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.kind = self.adapter.kind

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
        self.require_secrets_anew(values, values["address"])
        self._require_no_other(values)
        if self.errors:
            return values
        try:
            self._cleaned = self.adapter.clean(self.settings(values))
        except ConfigError as error:
            for name, fault in error.faults.items():
                self.add_error(name if name in self.fields else None, fault)
        return values

    def _require_no_other(self, values: dict[str, Any]) -> None:
        brand = values.get("brand") or self.instance.brand
        others = PayoutAccount.objects.filter(
            brand=brand, kind=self.adapter.kind, is_active=True
        )
        if values["is_active"] and others.exclude(pk=self.instance.pk).exists():
            self.add_error("is_active", TAKEN)
