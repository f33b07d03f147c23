"""What faults happen to, and what one fault is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime

from portal.demo.network.server import Simulator
from tests.cluster.topology import Cluster

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(kw_only=True)
class Stand:
    """``promoted_at`` and ``lost`` are of the last promotion."""

    cluster: Cluster
    tracker: Simulator
    promoted_at: datetime = NEVER
    lost: str = ""


Happening = Callable[[Stand], AbstractContextManager[None]]


def nothing(_: Stand) -> None:
    """Most faults leave nothing to repair."""


def here() -> str:
    """Most faults need no more than the cluster."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """``happens`` begins it and ends it, ``repair`` follows when service is back.

    ``needs`` returns what is missing here, if something is. ``loses_lag``: what was
    acknowledged while it lasted may be lost, since no standby has it.
    """

    name: str
    happens: Happening
    seconds: float = 8.0
    repair: Callable[[Stand], None] = nothing
    needs: Callable[[], str] = here
    loses_lag: bool = False
