"""QR codes of an affiliate's addresses, and the sub-ids that an address may carry."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from affiliates.contrib.area.api.promotion.links import link_data, link_of
from affiliates.contrib.area.base import AreaPage
from affiliates.errors import NotFound
from affiliates.visits.rules import MAX_SUB_ID, SUB_IDS

HAS_QR_CODES = find_spec("segno") is not None


class SubIdForm(forms.Form):
    """One field for each sub-id that a click keeps."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in SUB_IDS:
            self.fields[name] = forms.CharField(
                label=name, required=False, max_length=MAX_SUB_ID
            )

    def given(self) -> dict[str, str]:
        """Returns the valid sub-ids, without the empty ones."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


class QrCode(AreaPage):
    """The link's address as a picture, for print."""

    def get(self, request: HttpRequest, link_id: int) -> HttpResponseBase:
        link = link_of(self.affiliate, link_id)
        sub_ids = SubIdForm(request.GET).given()
        return _drawn(link_data(self.affiliate, link, sub_ids)["addresses"])


class OwnQrCode(AreaPage):
    """The affiliate's own address as a picture."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        address = self.affiliate.url()
        return _drawn([address] if address else [])


def _drawn(addresses: list[str]) -> HttpResponse:
    """Raises NotFound if there is no address, or nothing to draw it with."""
    if not (HAS_QR_CODES and addresses):
        raise NotFound
    import segno

    file = BytesIO()
    code = segno.make(addresses[0], micro=False)
    code.save(file, kind="svg", scale=8, border=4, light="white", omitsize=True)
    return HttpResponse(file.getvalue(), content_type="image/svg+xml")
