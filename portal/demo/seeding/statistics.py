"""The statistics of a filled database: of several brands at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.core.management import call_command
from django.db import connection

from affiliates.contrib.statistics.models import DailyFigures
from affiliates.contrib.statistics.open_days import brands_counted


def count_statistics(*, jobs: int, **streams: Any) -> None:
    brands = list(brands_counted().values_list("pk", flat=True))
    if jobs == 1:
        for brand_id in brands:
            _count(brand_id, **streams)
    else:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(partial(_count_apart, **streams), brands))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {DailyFigures._meta.db_table}")


def _count_apart(brand_id: int, **streams: Any) -> None:
    """In a thread, whose connection nobody else would close."""
    try:
        _count(brand_id, **streams)
    finally:
        connection.close()


def _count(brand_id: int, **streams: Any) -> None:
    call_command("rebuild_statistics", brand=str(brand_id), **streams)
