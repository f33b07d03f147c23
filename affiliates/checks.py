"""System checks: every setting is looked at before the first request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.utils.module_loading import import_string

from affiliates.conf import DEFAULT_THROTTLE_RATES, conf

THROTTLE_RATE = re.compile(r"[1-9][0-9]*/(second|minute|hour|day)")
CLICK_WRITERS = ("auto", "direct", "leader")
ENDPOINT_SERIALIZERS = (
    "register",
    "register_guest",
    "complete_registration",
    "convert",
)


@register("affiliates")
def check_settings(
    app_configs: Sequence[Any] | None, **kwargs: Any
) -> list[CheckMessage]:
    checks = (
        _check_adapter,
        _check_cookie_keys,
        _check_serializers,
        _check_throttle_rates,
        _check_numbers,
        _check_click_writer,
    )
    return [error for check in checks for error in check()]


def _check_adapter() -> list[CheckMessage]:
    try:
        adapter = import_string(conf.adapter)
    except ImportError as error:
        problem = f"AFFILIATES_ADAPTER is {conf.adapter!r}: {error}"
    else:
        missing = getattr(adapter, "__abstractmethods__", None)
        if missing is None:
            problem = f"{conf.adapter} is no HostAdapter."
        elif missing:
            problem = f"{conf.adapter} lacks {', '.join(sorted(missing))}."
        else:
            return []
    return [
        Error(
            problem,
            hint="Set AFFILIATES_ADAPTER to the dotted path of your HostAdapter.",
            id="affiliates.E001",
        )
    ]


def _check_cookie_keys() -> list[CheckMessage]:
    try:
        _ = conf.cookie_keys
    except ValueError as error:
        return [
            Error(
                f"AFFILIATES_COOKIE_KEYS cannot be used: {error}",
                hint='Write "1:<base64 of 32 random bytes>"; newest first, comma between.',
                id="affiliates.E002",
            )
        ]
    return []


def _check_serializers() -> list[CheckMessage]:
    problems = []
    for endpoint, path in conf.serializers.items():
        if endpoint not in ENDPOINT_SERIALIZERS:
            problems.append(f"{endpoint!r} is no endpoint")
            continue
        try:
            import_string(path)
        except ImportError as error:
            problems.append(f"{endpoint}: {error}")
    if not problems:
        return []
    return [
        Error(
            f"AFFILIATES_SERIALIZERS cannot be used: {'; '.join(problems)}.",
            hint=f"Endpoints: {', '.join(ENDPOINT_SERIALIZERS)}.",
            id="affiliates.E003",
        )
    ]


def _check_throttle_rates() -> list[CheckMessage]:
    problems = [
        f"{endpoint}={rate}"
        for endpoint, rate in conf.throttle_rates.items()
        if endpoint not in DEFAULT_THROTTLE_RATES
        or (rate and THROTTLE_RATE.fullmatch(rate) is None)
    ]
    if not problems:
        return []
    return [
        Error(
            f"AFFILIATES_THROTTLE_RATES cannot be used: {', '.join(problems)}.",
            hint=f"Endpoints: {', '.join(DEFAULT_THROTTLE_RATES)}; rates: 600/minute.",
            id="affiliates.E004",
        )
    ]


def _check_numbers() -> list[CheckMessage]:
    if 0 <= conf.config_refresh_seconds <= 5 and conf.trusted_proxies >= 0:
        return []
    return [
        Error(
            "AFFILIATES_CONFIG_REFRESH_SECONDS must be 0 to 5 and "
            "AFFILIATES_TRUSTED_PROXIES must not be negative.",
            hint="Leave both unset for 2 seconds and no proxy.",
            id="affiliates.E005",
        )
    ]


def _check_click_writer() -> list[CheckMessage]:
    if conf.click_writer in CLICK_WRITERS:
        return []
    return [
        Error(
            f"AFFILIATES_CLICK_WRITER is {conf.click_writer!r}.",
            hint=f"Use one of {', '.join(CLICK_WRITERS)}.",
            id="affiliates.E006",
        )
    ]
