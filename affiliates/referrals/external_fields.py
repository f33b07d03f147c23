"""The columns of clients and orders with what a tracking integration knows of them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.db.records import Record
from affiliates.db.seals import is_erased
from affiliates.encrypted.addresses import AddressField
from affiliates.outbox.models.delivery import MAX_VISITOR_REF
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import MAX_AFFILIATE

# By retention, after some days.
EMPTIED = ("external_ip", "external_user_agent")


class ExternalTouchFields(Record):
    """The visitor as a tracking integration may match it; empty if there is none.

    ``external_ip`` is the address of the visit's network, as sent to the provider.
    """

    integration = models.ForeignKey(
        TrackingIntegration,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    external_visitor_id = models.CharField(max_length=MAX_VISITOR_REF, blank=True)
    external_affiliate = models.CharField(max_length=MAX_AFFILIATE, blank=True)
    external_click_id = models.UUIDField(null=True, blank=True)
    external_touched_at = models.DateTimeField(null=True, blank=True)
    external_ip = AddressField(max_length=43, blank=True)
    external_user_agent = models.CharField(max_length=512, blank=True)

    class Meta:
        abstract = True

    @property
    def is_erased(self) -> bool:
        """Whether its client was."""
        return is_erased(self)


# An integration is stored with its visitor's id and the time of the visit.
EXTERNAL_IS_WHOLE = Q(
    integration__isnull=True,
    external_visitor_id="",
    external_click_id__isnull=True,
    external_touched_at__isnull=True,
) | (
    Q(integration__isnull=False, external_touched_at__isnull=False)
    & ~Q(external_visitor_id="")
)
