"""A django-oscar shop with the working tree: its customers' ways to an order, and pay.

``make matrix`` runs all of its tests, with Oscar's own migrations, which take four
times as long as the rest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.package.environments import ROOT, UV, clean_environment
from tests.package.parts import KEYS

pytestmark = pytest.mark.site

SETTINGS = """
from shop.settings import *

LABELS = (
    "address analytics basket catalogue communication customer flatpages offer order "
    "partner payment reviews shipping thumbnail voucher wishlists"
)
MIGRATION_MODULES = dict.fromkeys(LABELS.split())
"""
TESTS = (
    "test_a_client_who_signs_up_by_the_form_is_bound_and_earns",
    "test_a_client_who_signs_up_socially_is_bound_and_earns",
    "test_a_guest_earns_and_is_no_user",
    "test_a_refund_by_staff_takes_its_part_back",
    "test_staff_pay_what_was_earned",
)


def test_a_shop_of_django_oscar_credits_refunds_and_pays(tmp_path):
    shop = tmp_path / "oscar"
    shutil.copytree(ROOT / "examples/oscar", shop)
    (shop / "quick.py").write_text(SETTINGS, "utf-8")
    python = shop / "venv/bin/python"
    install = (UV, "pip", "install", "--quiet", "--python", python)

    for command in (
        (UV, "venv", "--quiet", "--python", sys.executable, shop / "venv"),
        (*install, ROOT, "--requirement", "requirements.txt"),
        (
            *(python, "manage.py", "test", "--settings", "quick"),
            *(f"shop.tests.Shop.{name}" for name in TESTS),
        ),
    ):
        done = subprocess.run(  # noqa: S603 - words of this file
            [str(word) for word in command],
            cwd=shop,
            env=clean_environment(AFFILIATES_COOKIE_KEYS=KEYS),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    assert f"Ran {len(TESTS)} tests" in done.stderr
