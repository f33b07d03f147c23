"""Counts what no row records, for Prometheus. Without ``prometheus_client``, nothing.

Where several processes answer, they count together in ``PROMETHEUS_MULTIPROC_DIR``.
"""

from __future__ import annotations

from collections.abc import Callable

try:
    from prometheus_client import Counter
except ImportError:  # The extra `metrics` is not installed.
    HAS_PROMETHEUS = False
else:
    HAS_PROMETHEUS = True

# The folder that prometheus_client's own variable names.
MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
# By name without "_total": the labels, in the order in which they are given.
COUNTED: dict[str, tuple[str, ...]] = {}


def counter(name: str, about: str, *labels: str) -> Callable[..., None]:
    """Returns a function that adds one; it takes a value for each label.

    Values come from fixed sets of few: each combination is a series for ever.
    """
    COUNTED[name] = labels
    if not HAS_PROMETHEUS:
        return lambda *values: None
    family = Counter(name, about, labels)
    children: dict[tuple[str, ...], Callable[[], None]] = {}

    def count(*values: str) -> None:
        add = children.get(values)
        if add is None:
            try:
                add = family.labels(*values).inc
            except OSError:
                # The folder cannot be written to: nobody is refused for that.
                add = _leave_out
            children[values] = add
        add()

    return count


def _leave_out() -> None:
    pass


count_visit = counter(
    "affiliates_visits",
    "Answered visits, by the touch that the browser keeps and by the redirect's verdict.",
    "touch",
    "redirect",
)
count_refusal = counter(
    "affiliates_refusals",
    "Refused requests of the API, by endpoint, status and code of the refusal.",
    "endpoint",
    "status",
    "code",
)
