"""Baseline (a'), the floor that shares commits: (a) with the product's writer of clicks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import django

from benchmarks.baselines import raw

django.setup()

from affiliates.visits.writer import write_click  # noqa: E402 - needs the apps


def application(
    environ: dict[str, Any], start_response: Callable[..., object]
) -> Iterable[bytes]:
    return raw.answer(environ, start_response, insert=write_click)
