"""Registers the jobs of the statistics and their triggers."""

from __future__ import annotations

from affiliates.contrib.statistics import feed, services, summaries
from affiliates.roles import register
from affiliates.verification.guards import OTHER_TRIGGERS

OTHER_TRIGGERS.append(feed.faulty_triggers)

__all__ = ["feed", "services", "summaries"]

register("affiliates_statistics", {})
