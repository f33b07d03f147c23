"""What an adapter adds if its clients are kept by another system, such as a biller.

The events API calls these methods before the event of the client, in its transaction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from affiliates.core.checking import Checked
from affiliates.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedClient(Checked):
    """A client as the other system reports it. "" is unknown; languages as ``pt-br``."""

    refusal: ClassVar = InvalidInput

    brand_id: int
    client_id: str
    email: str = ""
    name: str = ""
    language: str = ""


class StoresClients(ABC):
    """A second base of the host's adapter, beside ``HostAdapter``."""

    @abstractmethod
    def store_client(self, client: ReportedClient, *, now: datetime) -> None:
        """Store the client, or update what is stored; ``get_client`` then knows it.

        Called for each ``client_registered``, also a repeat. Raise NotAllowed for the
        id of another brand's client, and InvalidInput with a ``field`` to refuse.
        """

    @abstractmethod
    def forget_client(self, client_id: str, *, brand_id: int) -> None:
        """Empty what is stored of the client, after ``client_erased`` emptied ours.

        Keep that it was forgotten: an earlier ``client_registered`` that is sent again
        must not store the person anew.
        """
