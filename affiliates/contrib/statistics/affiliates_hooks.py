"""Registers the jobs of the statistics and their triggers."""

from __future__ import annotations

from affiliates.brands.roles import register
from affiliates.contrib.statistics import feed, services, summaries
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.verification.guards import OTHER_TRIGGERS

OTHER_TRIGGERS.append(feed.faulty_triggers)

__all__ = ["feed", "services", "summaries"]

register("affiliates_statistics", {})

# Sums; a sub-id is a name that the affiliate gave to a link.
declare(
    "affiliates_statistics.DailyFigures",
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    other="value currency",
)
declare("affiliates_statistics.CountedDay")
declare("affiliates_statistics.StatisticsChange")
declare("affiliates_statistics.StatisticsState", other="time_zone clicks_seen")
