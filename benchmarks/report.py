"""The benchmark's words: a table, the ratios and whether they meet their targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from benchmarks.measure import Round
from benchmarks.servers import (
    MODEL_SERIALIZER,
    PRODUCT,
    PRODUCT_ASGI,
    RAW,
    RAW_ASGI,
    RAW_SHARED,
    TRACKED,
    VIEWSET,
    Variant,
)

MAX_OF_RAW = 1.2
MAX_OF_RAW_SHARED = 1.6
MAX_OF_RAW_ASGI = 1.6
MIN_OF_MODEL_SERIALIZER = 6.0
MAX_OF_UNTRACKED = 1.6
MAX_MEMORY_MB = 200

_HEADINGS = (
    f"{'':<20}{'':>10}{'':>10}{'':>10}   {'CPU ms per recorded visit':^26}{'':>11}\n"
    f"{'variant':<20}{'visits/s':>10}{'p50 ms':>10}{'p99 ms':>10}   "
    f"{'server':>8}{'PG':>8}{'total':>8}  {'rows/visit':>11}"
)


def table(rounds: Mapping[Variant, Sequence[Round]]) -> str:
    """Medians over the rounds."""
    return "\n".join([_HEADINGS, *(_line(*item) for item in rounds.items())])


def verdicts(rounds: Mapping[Variant, Sequence[Round]]) -> Iterator[tuple[str, bool]]:
    """Each target in a sentence, and whether it was met."""
    cpu = {
        variant: median(taken.total_cpu_ms for taken in results)
        for variant, results in rounds.items()
    }
    for text, variant, floor, limit in (
        ("product / (a)", PRODUCT, RAW, MAX_OF_RAW),
        ("product / (a')", PRODUCT, RAW_SHARED, MAX_OF_RAW_SHARED),
        ("product under ASGI / (c)", PRODUCT_ASGI, RAW_ASGI, MAX_OF_RAW_ASGI),
        ("product with an integration / without", TRACKED, PRODUCT, MAX_OF_UNTRACKED),
    ):
        ratio = cpu[variant] / cpu[floor]
        yield f"{text} = {ratio:.2f} (target: at most {limit})", ratio <= limit
    of_product = cpu[MODEL_SERIALIZER] / cpu[PRODUCT]
    yield (
        f"(b) / product = {of_product:.2f} (target: at least {MIN_OF_MODEL_SERIALIZER})",
        of_product >= MIN_OF_MODEL_SERIALIZER,
    )
    yield f"without the short path / product = {cpu[VIEWSET] / cpu[PRODUCT]:.2f}", True
    samples = {
        taken.sample
        for variant, results in rounds.items()
        for taken in results
        if not variant.is_tracked
    }
    yield (
        "every variant stored the same row and gave the same answer",
        len(samples) == 1,
    )
    for variant, results in rounds.items():
        yield from _row_verdicts(variant, results)


def memory_verdict(at_first: float, at_last: float) -> tuple[str, bool]:
    return (
        f"web process: {at_first:.0f} MB resident after the first visit, "
        f"{at_last:.0f} MB after 100,000 (target: below {MAX_MEMORY_MB})",
        at_last < MAX_MEMORY_MB,
    )


def _row_verdicts(
    variant: Variant, results: Sequence[Round]
) -> Iterator[tuple[str, bool]]:
    acknowledged = sum(taken.acknowledged for taken in results)
    unacknowledged = sum(taken.recorded for taken in results) - acknowledged
    yield (
        f"{variant.name}: one row for each of {acknowledged:,} acknowledged visits, "
        f"{unacknowledged} more of visits cut off at the end",
        all(taken.is_one_row_per_visit for taken in results),
    )
    if variant.is_tracked:
        queued = sum(taken.queued for taken in results)
        yield (
            f"{variant.name}: one delivery for each recorded click, {queued:,}",
            all(taken.queued == taken.recorded for taken in results),
        )
    failed = sum(taken.failed for taken in results)
    if failed:
        yield f"{variant.name}: {failed} requests failed", False


def _line(variant: Variant, results: Sequence[Round]) -> str:
    def middle(name: str) -> float:
        return float(median(getattr(taken, name) for taken in results))

    recorded = sum(taken.recorded for taken in results)
    acknowledged = sum(taken.acknowledged for taken in results)
    return (
        f"{variant.name:<20}{middle('visits_per_second'):>10,.0f}"
        f"{middle('p50_ms'):>10.1f}{middle('p99_ms'):>10.1f}   "
        f"{middle('server_cpu_ms'):>8.3f}{middle('postgresql_cpu_ms'):>8.3f}"
        f"{middle('total_cpu_ms'):>8.3f}  {recorded / max(acknowledged, 1):>11.4f}"
    )
