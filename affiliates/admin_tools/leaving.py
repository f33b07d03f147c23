"""Actions by which money, persons' data or rights leave the house ask who it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar, cast

from django.db.models import TextChoices
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from affiliates.adapter import get_adapter

Do = TypeVar("Do", bound=Callable[..., Any])


class Leaving(TextChoices):
    """Data that leaves the house by an action of the admin."""

    MONEY = "money"
    PERSONS = "persons"
    RIGHTS = "rights"


# The permissions for it. Who uses one enters the password again, where the host asks.
LEAVING: dict[str, Leaving] = {
    "affiliates.add_adjustment": Leaving.MONEY,
    "affiliates.add_payout": Leaving.MONEY,
    "affiliates.add_payoutdestination": Leaving.MONEY,
    "affiliates.approve_payout": Leaving.MONEY,
    "affiliates.change_adjustment": Leaving.MONEY,
    "affiliates.change_payoutaccount": Leaving.MONEY,
    "affiliates.change_payoutterms": Leaving.MONEY,
    "affiliates.confirm_payout": Leaving.MONEY,
    "affiliates.transfer_affiliate": Leaving.MONEY,
    "affiliates.change_trackingintegration": Leaving.PERSONS,
    "affiliates.change_webhook": Leaving.PERSONS,
    "affiliates.erase_person": Leaving.PERSONS,
    "affiliates.export_person": Leaving.PERSONS,
    "affiliates.add_staffbrand": Leaving.RIGHTS,
    "affiliates.delete_staffbrand": Leaving.RIGHTS,
    "auth.add_group": Leaving.RIGHTS,
    "auth.change_group": Leaving.RIGHTS,
}


def ask_identity(request: HttpRequest) -> HttpResponse | None:
    """A redirect to the host's page that confirms the identity; None: not needed now."""
    page = get_adapter().identity_page(request)
    return None if page is None else HttpResponseRedirect(page)


def asks_identity(do: Do, permitted: Iterable[str]) -> Do:
    """The action, which first leads to the host's question by ``LEAVING``.

    ``permitted`` are the names of the action's permissions at its page.
    """

    @wraps(do)
    def ask_or_act(page: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        tests = (getattr(page, f"has_{name}_permission") for name in permitted)
        names = {name for test in tests for name in getattr(test, "permissions", ())}
        asked = ask_identity(request) if names & LEAVING.keys() else None
        return do(page, request, *args, **kwargs) if asked is None else asked

    return cast("Do", ask_or_act)


class AsksIdentity:
    """A mixin for a ModelAdmin: asks before its forms if ``LEAVING`` has the model's.

    Staff who may only look are not asked.
    """

    opts: Any

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        *args: Any,
        **more: Any,
    ) -> HttpResponse:
        verb = "add" if object_id is None else "change"
        asked = self._ask_identity(request, verb, "change")
        view: Any = super().changeform_view  # type: ignore[misc] # ModelAdmin's
        answer: HttpResponse = asked or view(request, object_id, *args, **more)
        return answer

    def delete_view(
        self, request: HttpRequest, *args: Any, **more: Any
    ) -> HttpResponse:
        asked = self._ask_identity(request, "delete", "change")
        view: Any = super().delete_view  # type: ignore[misc] # ModelAdmin's
        answer: HttpResponse = asked or view(request, *args, **more)
        return answer

    def _ask_identity(self, request: HttpRequest, *verbs: str) -> HttpResponse | None:
        label, model = self.opts.app_label, self.opts.model_name
        names = {f"{label}.{verb}_{model}" for verb in verbs}
        may = request.user.has_perm(f"{label}.{verbs[0]}_{model}")
        return ask_identity(request) if may and names & LEAVING.keys() else None
