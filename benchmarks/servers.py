"""The servers under test: all granian, with the same workers and threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks import running

WORKERS = 2
THREADS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """``is_tracked``: the brand has a tracking integration and every visit is its own.

    ``is_short``: plain visits take the short path before Django.
    """

    name: str
    target: str
    settings: str = "portal.settings"
    is_tracked: bool = False
    is_short: bool = True
    interface: str = "wsgi"


PRODUCT = Variant(name="product", target="portal.wsgi:application")
TRACKED = Variant(
    name="with integration", target="portal.wsgi:application", is_tracked=True
)
VIEWSET = Variant(
    name="without short path", target="portal.wsgi:application", is_short=False
)
RAW = Variant(name="(a) raw WSGI", target="benchmarks.baselines.raw:application")
RAW_SHARED = Variant(
    name="(a') shared commits", target="benchmarks.baselines.raw_shared:application"
)
PRODUCT_ASGI = Variant(
    name="product, ASGI", target="portal.asgi:application", interface="asgi"
)
RAW_ASGI = Variant(
    name="(c) raw ASGI",
    target="benchmarks.baselines.raw_asgi:application",
    interface="asgi",
)
MODEL_SERIALIZER = Variant(
    name="(b) ModelSerializer",
    target="portal.wsgi:application",
    settings="benchmarks.baselines.model_serializer.settings",
    is_short=False,
)
VARIANTS = (
    PRODUCT,
    VIEWSET,
    TRACKED,
    PRODUCT_ASGI,
    RAW,
    RAW_SHARED,
    RAW_ASGI,
    MODEL_SERIALIZER,
)


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    pid: int


@contextmanager
def serve(variant: Variant, *, workers: int = WORKERS) -> Iterator[Server]:
    """A fresh server that accepts connections; gone when the block ends."""
    port = running.free_port()
    with running.granian(
        variant.target,
        port=port,
        workers=workers,
        threads=THREADS,
        interface=variant.interface,
        environment={
            "DJANGO_SETTINGS_MODULE": variant.settings,
            "VISIT_SHORT_PATH": "on" if variant.is_short else "off",
        },
    ) as process:
        yield Server(port, process.pid)
