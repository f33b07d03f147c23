"""The form of an integration: the common fields and the provider's own."""

from __future__ import annotations

from typing import Any, ClassVar

from django.views.decorators.debug import sensitive_variables

from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.core.network import check_address
from affiliates.core.redirects import REDIRECT_PARAMETER
from affiliates.core.urls import first_parameter, parse_http_url
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import (
    ConfigError,
    TrackingAdapter,
    split_names,
)
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.tracking.networks import YOURS
from affiliates.tracking.provider_form import ProviderForm


class IntegrationForm(ProviderForm):
    adapter: ClassVar[TrackingAdapter]
    credentials = CREDENTIALS

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
        if "parameters" in self.fields and self.instance.pk is None:
            names = self.adapter.default_parameters
            self.fields["parameters"].initial = ", ".join(names)

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
            names = split_names(values["parameters"])
            self._cleaned = self.adapter.clean(self.settings(values, names))
        except ConfigError as error:
            for name, fault in error.faults.items():
                self.add_error(name if name in self.fields else None, fault)
        else:
            values["address"] = self._cleaned.address
            values["parameters"] = ", ".join(self._cleaned.parameters)
            self._require_names_of_its_own(brand)
            self.require_secrets_anew(values, self._cleaned.address)
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
