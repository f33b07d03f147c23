"""For the host's LOGGING: ids of requests, no paths with tokens, and lines as JSON."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import Any

from django.db import Error

from affiliates.telemetry.request_ids import current_request_id
from affiliates.telemetry.stacks import stack_of, with_causes

# What every record has, said under other names or not at all.
_OF_RECORDS = {
    *vars(logging.LogRecord("", 0, "", 0, "", (), None)),
    *("asctime", "message", "taskName"),
    # Django's own, whose text holds the whole address.
    *("request", "server_time"),
}
# Parts of the names of what nobody may read in a log.
_SECRET = ("authorization", "cookie", "credential", "password", "secret", "token")
HIDDEN = "(hidden)"
# Of a path that no view answers, or a failure before the view was found.
NO_ROUTE = "(no route)"


class RequestIdFilter(logging.Filter):
    """Adds ``request_id`` to each record; "-" outside of a request or job."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current_request_id() or "-"
        return True


class PerMinute:
    """Keeps a flood from filling the disk: so many lines in each minute."""

    def __init__(self, most: int = 60) -> None:
        self._most = most
        self._lock = Lock()
        self._minute = self._count = 0

    def take(self, moment: float) -> int | None:
        """None if this line is one too many, else how many the minute before left out."""
        minute = int(moment // 60)
        with self._lock:
            left_out = 0
            if minute != self._minute:
                left_out = max(0, self._count - self._most)
                self._minute, self._count = minute, 0
            self._count += 1
            return left_out if self._count <= self._most else None


class RouteFilter(logging.Filter):
    """Replaces the path of a record's request by its route: a path may hold a token.

    For the handler, as Django logs requests by several loggers.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        path = getattr(getattr(record, "request", None), "path", None)
        if path is not None and isinstance(record.args, tuple):
            # Django escapes what it logs.
            paths = (path, path.encode("unicode_escape").decode())
            route = _route_of(record.request)  # type: ignore[attr-defined] # of Django
            record.args = tuple(
                route if argument in paths else argument for argument in record.args
            )
        return True


class PerMinuteFilter(logging.Filter):
    """PerMinute for the warnings of each line of code.

    The first of a later minute says how many were ``left_out``.
    """

    def __init__(self, most: int = 60) -> None:
        super().__init__()
        self._of_place: dict[tuple[str, int], PerMinute] = defaultdict(
            partial(PerMinute, most)
        )

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        left_out = self._of_place[record.pathname, record.lineno].take(record.created)
        if left_out:
            record.left_out = left_out
        return left_out is not None


class LineFormatter(logging.Formatter):
    """Leaves out the texts of a database's faults: they may quote a whole row."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - overrides logging's
        fault = ei[1]
        if any(isinstance(with_cause, Error) for with_cause in with_causes(fault)):
            return stack_of(fault)
        return super().formatException(ei)


class JsonFormatter(LineFormatter):
    """One JSON object a line: time, level, logger, message, and the record's extras."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in vars(record).items():
            if name not in _OF_RECORDS:
                line[name] = HIDDEN if _is_secret(name) else value
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def _route_of(request: Any) -> str:
    match = getattr(request, "resolver_match", None)
    return NO_ROUTE if match is None else f"/{match.route}"


def _is_secret(name: str) -> bool:
    return name.endswith("key") or any(part in name.lower() for part in _SECRET)
