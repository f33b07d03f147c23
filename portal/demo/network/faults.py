"""Bad days on command: what goes wrong, with which calls, how often."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args, get_type_hints

KINDS = (
    "any",
    "click",
    "sale",
    "rpc",
    "paypal_token",
    "paypal_create",
    "paypal_look_up",
    "wise_read",
    "wise_group",
    "wise_recipient",
    "wise_quote",
    "wise_transfer",
    "wise_close",
    "wise_fund",
)
HTML_PAGE = "<!DOCTYPE html>\n<html><body><h1>Please log in</h1></body></html>\n"
TOO_MANY_REQUESTS = 429
FOUND = 302


class WrongFault(ValueError):
    """The fault cannot be meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A failure that replaces or accompanies an answer.

    ``delay_s`` passes before anything is done. ``close_before`` resets the connection
    with nothing processed, ``close_after_processing`` with everything processed.
    ``status``, ``body``, ``retry_after`` (seconds; status 429 unless given),
    ``html_page`` and ``redirect_to`` (status 302 unless given) replace the answer; the
    call is then processed only with ``process``. ``drip`` sends the answer one byte
    each ``drip_interval_s``. ``on`` names the calls it meets; ``times`` how many of
    them, None for all until faults are cleared.
    """

    on: str = "any"
    times: int | None = 1
    delay_s: float = 0.0
    close_before: bool = False
    close_after_processing: bool = False
    status: int | None = None
    body: str | bytes | None = None
    retry_after: int | None = None
    html_page: bool = False
    redirect_to: str | None = None
    process: bool = False
    drip: bool = False
    drip_interval_s: float = 1.0

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in fields(self):
            kinds = get_args(hints[field.name]) or (hints[field.name],)
            kinds = (*kinds, int) if float in kinds else kinds
            if type(getattr(self, field.name)) not in kinds:
                raise WrongFault(f"{getattr(self, field.name)!r} is no {field.name}.")
        if self.on not in KINDS:
            raise WrongFault(f"on: one of {', '.join(KINDS)}.")
        if self.times is not None and self.times < 1:
            raise WrongFault("times: 1 or more, or nothing for all calls.")
        if self.status is not None and not 200 <= self.status <= 599:
            raise WrongFault("status: 200 to 599.")

    @property
    def replaces_the_answer(self) -> bool:
        replacements = (self.status, self.body, self.retry_after, self.redirect_to)
        return self.html_page or any(
            replacement is not None for replacement in replacements
        )

    @property
    def is_processed(self) -> bool:
        return not self.close_before and (
            self.process or self.close_after_processing or not self.replaces_the_answer
        )

    def replacement(self) -> tuple[int, list[tuple[str, str]], bytes]:
        """The answer in place of ours: status, headers, body."""
        status, headers = 200, []
        if self.retry_after is not None:
            status = TOO_MANY_REQUESTS
            headers.append(("Retry-After", str(self.retry_after)))
        if self.redirect_to is not None:
            status = FOUND
            headers.append(("Location", self.redirect_to))
        kind = "text/html" if self.html_page else "application/x-javascript"
        headers.append(("Content-Type", kind))
        body = self.body if self.body is not None else HTML_PAGE * self.html_page
        raw = body if isinstance(body, bytes) else body.encode()
        return self.status or status, headers, raw

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        if isinstance(self.body, bytes):
            values["body"] = self.body.decode("utf-8", "replace")
        return values


def read_fault(values: Mapping[str, Any]) -> Fault:
    """The fault as the control API receives it. Raises WrongFault."""
    try:
        return Fault(**values)
    except TypeError as error:
        raise WrongFault(str(error)) from None


class Faults:
    """Queue of faults: those with a number of times in order, then the lasting ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: list[list[Any]] = []
        self._lasting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        with self._lock:
            if fault.times is None:
                self._lasting.append(fault)
            else:
                self._queue.append([fault, fault.times])

    def clear(self) -> None:
        with self._lock:
            self._queue.clear()
            self._lasting.clear()

    def take(self, kind: str) -> Fault | None:
        """The fault that this call meets; it is used up by one."""
        with self._lock:
            for entry in self._queue:
                fault: Fault = entry[0]
                if fault.on in ("any", kind):
                    entry[1] -= 1
                    if not entry[1]:
                        self._queue.remove(entry)
                    return fault
            lasting = (f for f in self._lasting if f.on in ("any", kind))
            return next(lasting, None)

    def as_json(self) -> list[dict[str, Any]]:
        with self._lock:
            waiting = [{**fault.as_json(), "left": left} for fault, left in self._queue]
            lasting = [{**fault.as_json(), "left": None} for fault in self._lasting]
            return [*waiting, *lasting]
