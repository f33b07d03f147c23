"""The affiliate's webhook: where its events are sent, and what came of the last ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from affiliates.contrib.area.account.base import AccountPage, api_address
from affiliates.contrib.area.api.tools.webhook import EVENTS, webhook_data
from affiliates.contrib.area.base import back_to, done_by
from affiliates.errors import NotFound
from affiliates.outbox.models.integration import MAX_ADDRESS
from affiliates.program.webhooks import rotate_webhook_secret, send_test, set_webhook
from affiliates.webhooks.announce import FactKind
from affiliates.webhooks.services import forget_webhook_of


class WebhookForm(forms.Form):
    address = forms.CharField(
        label=_("Address"),
        max_length=MAX_ADDRESS,
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
        help_text=_("Where your server listens: https, a public name, no ? or #."),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=[(event, FactKind(event).label) for event in EVENTS],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("If you choose none, all are sent."),
    )
    is_active = forms.BooleanField(label=_("Switched on"), required=False, initial=True)


class OfWebhook(AccountPage):
    section = "webhook"

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        address = api_address(self.request)
        return super().page(status=status, api_address=address, **context)

    def shown(self) -> Any:
        """Raises NotFound where there is none."""
        webhook = webhook_data(self.affiliate)
        if webhook is None:
            raise NotFound
        return webhook

    def show_secret(self, secret: str) -> TemplateResponse:
        """On this very answer and nowhere else."""
        self.template_name = "affiliates/area/webhook_secret.html"  # type: ignore[misc] # of this answer
        return self.page(secret=secret)


class WebhookPage(OfWebhook):
    template_name = "affiliates/area/webhook.html"
    title = _("Webhook")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        webhook = webhook_data(self.affiliate)
        return self.page(webhook=webhook, form=WebhookForm(initial=webhook))

    @sensitive_variables()
    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = WebhookForm(request.POST)
        done = done_by(form, self._set)
        if done is None:
            webhook = webhook_data(self.affiliate)
            return self.page(webhook=webhook, form=form, status=400)
        if done[1]:
            return self.show_secret(done[1])
        messages.success(request, gettext("The webhook was saved."))
        return back_to("webhook")

    def _set(self, values: Mapping[str, Any]) -> Any:
        return set_webhook(
            affiliate_id=self.affiliate.pk,
            address=values["address"],
            kinds=values["events"],
            is_active=values["is_active"],
            now=timezone.now(),
        )


class AskedPage(OfWebhook):
    """Says what will happen before it is done."""

    template_name = "affiliates/area/webhook_asked.html"
    sentence: ClassVar[str | Promise]
    button: ClassVar[str | Promise]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.question()

    def question(self, **context: Any) -> TemplateResponse:
        return self.page(
            webhook=self.shown(), sentence=self.sentence, button=self.button, **context
        )

    def done(self, act: Callable[[], Any]) -> TemplateResponse | None:
        """The page once more, with the refusal where there is one."""
        form = forms.Form({})
        done_by(form, lambda values: act())
        return self.question(form=form, status=409) if form.errors else None


class WebhookTestPage(AskedPage):
    title = _("Send a test?")
    sentence = _("An event of the type ping is sent to your address.")
    button = _("Send a test")

    def post(self, request: HttpRequest) -> HttpResponseBase:
        refused = self.done(
            lambda: send_test(affiliate_id=self.affiliate.pk, now=timezone.now())
        )
        if refused is None:
            said = gettext("The test is on its way. Load this page again in a moment.")
            messages.success(request, said)
        return refused or back_to("webhook")


class WebhookSecretPage(AskedPage):
    title = _("Make a new secret?")
    sentence = _(
        "For a day every event is signed with the old one as well. If that one has "
        "leaked, do this twice."
    )
    button = _("Make a new secret")

    @sensitive_variables()
    def post(self, request: HttpRequest) -> HttpResponseBase:
        made: list[str] = []

        @sensitive_variables()
        def rotate() -> None:
            made.append(
                rotate_webhook_secret(
                    affiliate_id=self.affiliate.pk, now=timezone.now()
                )
            )

        return self.done(rotate) or self.show_secret(made[0])


class WebhookRemovalPage(AskedPage):
    title = _("Remove the webhook?")
    sentence = _("Address and secret are deleted. Waiting events are not sent.")
    button = _("Remove it")

    def post(self, request: HttpRequest) -> HttpResponseBase:
        forget_webhook_of(self.affiliate.pk)
        messages.success(request, gettext("The webhook was removed."))
        return back_to("webhook")
