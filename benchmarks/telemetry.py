"""Measures what counting and request ids add to a visit that writes nothing.

python -m benchmarks.telemetry

Both ways are called in this process, in turns, without a server: the ratio is of CPU time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any
from unittest.mock import patch

from benchmarks.database import configure_environment
from benchmarks.ledger import sqlite_file

ROUNDS, CALLS = 60, 500
MAX_RATIO = 1.15
SHOP = "https://shop.example.com"
BODY = (
    b'{"visit_url": "https://shop.example.com/plans", "referrer_url": "", '
    b'"user_agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}'
)

Call = Callable[[Any, Any], Any]


def main() -> int:
    with sqlite_file() as url, tempfile.TemporaryDirectory() as folder:
        configure_environment(url)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        ratio, microseconds = _measure()
    sys.stdout.write(
        f"With telemetry a visit takes {ratio:.3f} times as long: {microseconds:.1f} "
        f"microseconds more (at most {MAX_RATIO}).\n"
    )
    return 0 if ratio <= MAX_RATIO else 1


def _measure() -> tuple[float, float]:
    """The median ratio of the rounds, and the median of what is added to one call."""
    plain, whole = _applications()
    ratios, added = [], []
    for number in range(ROUNDS):
        taken = {}
        # Who goes first takes turns too.
        for is_whole in (True, False) if number % 2 else (False, True):
            taken[is_whole] = _seconds(whole if is_whole else plain, is_whole)
        ratios.append(taken[True] / taken[False])
        added.append((taken[True] - taken[False]) / CALLS * 1_000_000)
    return statistics.median(ratios), statistics.median(added)


def _applications() -> tuple[Call, Call]:
    import django

    django.setup()

    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    from affiliates.api.charset import wsgi_with_readable_charset
    from affiliates.api.short_path import VisitShortPath
    from affiliates.brands.models.brand import Brand
    from affiliates.brands.models.domain import BrandDomain
    from portal.wsgi import application

    call_command("migrate", verbosity=0)
    brand = Brand.objects.create(name="Benchmark", default_redirect_url=f"{SHOP}/")
    BrandDomain.objects.create(brand=brand, host="shop.example.com")
    plain = VisitShortPath(get_wsgi_application())
    return wsgi_with_readable_charset(plain), application


def _seconds(application: Call, is_whole: bool) -> float:
    from affiliates.telemetry.counters import count_visit

    counted = count_visit if is_whole else lambda *values: None
    with patch("affiliates.visits.services.count_visit", counted):
        _call(application)
        began = time.process_time()
        for _ in range(CALLS):
            _call(application)
        return time.process_time() - began


def _call(application: Call) -> None:
    statuses: list[str] = []
    answer = application(
        {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/api/affiliate_link/visit",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(BODY)),
            "HTTP_HOST": "127.0.0.1",
            "HTTP_ORIGIN": SHOP,
            # As the shipped nginx names each request.
            "HTTP_X_REQUEST_ID": "0123456789abcdef0123456789abcdef",
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(BODY),
            "wsgi.errors": sys.stderr,
        },
        lambda status, headers, *rest: statuses.append(status),
    )
    if statuses != ["200 OK"] or b"redirect_url" not in b"".join(answer):
        raise AssertionError(statuses)


if __name__ == "__main__":
    sys.exit(main())
