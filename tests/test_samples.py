"""Every Python sample of the documentation is run: names of ours are real, a host's are not.

Those of a page run in a process of its own, copied from this one: what they register ends with it.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import re
import sys
import textwrap
import traceback
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from django.db import connection, transaction
from django.test import RequestFactory
from django.utils import timezone

from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.portal import ClientFactory

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = re.compile(r"^( *)```python[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
# Their own tests follow them: of tests/package, tests/hosts and the app for Stripe.
FOLLOWED = (
    *("adapter", "first-commission", "another-biller", "django-oscar"),
    *("django-oscar-shop", "stripe"),
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor == "postgresql", reason="Processes cannot share a connection."
    ),
]


class Names(dict[str, Any]):
    """What a sample does not define is the host's, or of another sample."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return MagicMock(name=name)


def pages() -> Iterator[Any]:
    found = [
        ROOT / "README.md",
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/how-to/*.md"),
    ]
    for page in sorted(found):
        name = str(page.relative_to(ROOT))
        samples = SAMPLE.findall(page.read_text("utf-8"))
        if samples and page.stem not in FOLLOWED:
            yield pytest.param([textwrap.dedent(code) for _, code in samples], id=name)


@pytest.fixture
def known(now: datetime) -> dict[str, Any]:
    """The rows that samples speak of."""
    brand = BrandFactory()
    user = ClientFactory(brand=brand)
    user.date_joined = now  # As of Django's own model.
    return {
        "affiliate": AffiliateFactory(brand=brand, user=ClientFactory(brand=brand)),
        "brand": brand,
        "brand_id": brand.pk,
        "client": user,
        "cookie": None,
        "Decimal": Decimal,
        "form": SimpleNamespace(save=lambda: user),
        "INSTALLED_APPS": [],
        "now": now,
        "placed_at": now,
        "request": RequestFactory().get("/"),
        "subscription": SimpleNamespace(id="sub_1", latest_invoice="in_1"),
        "timezone": timezone,
        "transaction": transaction,
        "urlpatterns": [],
        "user": user,
    }


@pytest.mark.parametrize("samples", [*pages()])
def test_samples_of_a_page_run_one_after_another(
    samples: list[str], known: dict[str, Any]
) -> None:
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            _run(samples, Names(known))
        except BaseException:  # noqa: BLE001 - all are printed
            os.write(writing, traceback.format_exc()[-4000:].encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        assert said.read() == ""


def _run(samples: list[str], names: Names) -> None:
    for sample in samples:
        tree = ast.parse(sample)
        if any(_is_shortened(node) for node in ast.walk(tree)):
            continue
        for module in _modules(tree):
            sys.modules.setdefault(module, MagicMock(name=module))
        exec(compile(tree, sample[:40], "exec"), names)  # noqa: S102 - the page's own


def _is_shortened(node: ast.AST) -> bool:
    """Whether arguments of a call, or the rest of a class, are left to the reader."""
    parts: list[Any] = []
    if isinstance(node, ast.Call):
        parts = node.args
    elif isinstance(node, ast.ClassDef):
        parts = [each.value for each in node.body if isinstance(each, ast.Expr)]
    return any(isinstance(part, ast.Constant) and part.value is ... for part in parts)


def _modules(tree: ast.Module) -> Iterator[str]:
    """Those that are not installed here, with the packages that they are in."""
    for node in ast.walk(tree):
        named = (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        )
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [node.module]
        for name in named:
            if importlib.util.find_spec(name.partition(".")[0]) is None:
                parts = name.split(".")
                yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
