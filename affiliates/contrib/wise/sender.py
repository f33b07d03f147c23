"""Wise: a batch group is opened, filled with transfers, closed, and read.

Opening pays nothing. A transfer is made under a number of ours, by which Wise makes it
once. Only a group that takes no more transfers says which payouts are in none.
Written after Wise's documentation; never tried against the real service.
"""

from __future__ import annotations

import json
import re
from datetime import timedelta

from affiliates.contrib.wise.calls import (
    PROFILE,
    TOKEN,
    UNREADABLE,
    Session,
    WiseRefused,
)
from affiliates.contrib.wise.group import FUNDS, BatchGroup
from affiliates.contrib.wise.provider import KIND
from affiliates.outbox.protocol import (
    ConfigError,
    ConfigField,
    FieldKind,
    ProviderSettings,
)
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.registry import register_sender
from affiliates.payouts.providers.sender import (
    Batch,
    BatchAnswer,
    BatchRun,
    PayoutSender,
)

_GROUP_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


@register_sender
class WiseTransfers(PayoutSender):
    code = "wise_transfers"
    kind = KIND
    name = "Wise"
    about = (
        "Approved payouts to Wise become a batch in your Wise account, which you fund "
        "there; their results are read by themselves. Wise's fee is yours and is not "
        "taken from the affiliate."
    )
    default_address = "https://api.wise.com"
    address_help = "To try it: https://api.wise-sandbox.com with its own token."
    fields = (
        ConfigField(
            PROFILE, "profile", "The number of your business profile.", is_required=True
        ),
        ConfigField(
            TOKEN,
            "API token",
            "With full access, of your account's settings.",
            is_required=True,
            is_secret=True,
        ),
        ConfigField(
            FUNDS,
            "pay from the balance",
            "On: each batch is funded from your balance at Wise at once, where Wise "
            "allows it. Off: you fund it in Wise.",
            kind=FieldKind.SWITCH,
            default=False,
        ),
    )
    most = 1_000
    # A repeat only opens another group, in which nothing is paid.
    repeatable_for = timedelta(days=29)

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        if not re.fullmatch(r"[0-9]{1,18}", settings.text(PROFILE)):
            raise ConfigError({PROFILE: "Enter the number alone."})
        return settings

    def named_in(self, body: bytes) -> str:
        """The number of the transfer whose state has changed."""
        try:
            number = json.loads(body)["data"]["resource"]["id"]
        except (ValueError, RecursionError, KeyError, TypeError):
            return ""
        return str(number) if type(number) is int else ""

    def send(self, batch: Batch, settings: ProviderSettings) -> BatchRun:
        session = Session(settings)
        content = {"sourceCurrency": batch.currency, "name": batch.reference}
        path = f"/v3/profiles/{session.profile}/batch-groups"
        try:
            group = yield from session.ask("POST", path, content)
        except WiseRefused as refusal:
            return BatchAnswer(kind=refusal.kind, detail=refusal.detail)
        remote_id = group.get("id")
        if not (isinstance(remote_id, str) and _GROUP_ID.fullmatch(remote_id)):
            return BatchAnswer(kind=OutcomeKind.RETRY, detail=UNREADABLE)
        return BatchAnswer(kind=OutcomeKind.OK, remote_id=remote_id)

    def look_up(self, batch: Batch, settings: ProviderSettings) -> BatchRun:
        group = BatchGroup(batch, settings)
        try:
            detail = yield from group.advance()
        except WiseRefused as refusal:
            return BatchAnswer(kind=refusal.kind, detail=refusal.detail)
        return BatchAnswer(
            kind=OutcomeKind.OK,
            remote_id=batch.remote_id,
            detail=detail,
            items=group.answers(),
        )
