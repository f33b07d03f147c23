"""Many cases in one test, for those that are cheap and leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any

from django.core.cache import cache


def each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[..., Any]:
    """Like ``parametrize``, but the fixtures are made once and every fault is shown.

    A name that begins with ``_`` is of what only the fault's message shows.
    """
    named = (names,) if isinstance(names, str) else names
    values = [(case,) if isinstance(names, str) else case for case in cases]
    kept = [dict(zip(named, value, strict=True)) for value in values]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            faults = []
            for case in kept:
                given = {name: case[name] for name in case if name[0] != "_"}
                cache.clear()
                try:
                    test(**given, **fixtures)
                except Exception as fault:  # noqa: BLE001 each is shown at the end
                    fault.add_note(f"Case: {ascii(case)}")
                    faults.append(fault)
            if faults:
                raise ExceptionGroup(f"{len(faults)} of {len(kept)} cases", faults)

        taken = signature(test)
        others = [one for name, one in taken.parameters.items() if name not in named]
        run.__signature__ = taken.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate
