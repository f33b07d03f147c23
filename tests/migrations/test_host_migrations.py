"""A host whose user model points at a brand migrates from nothing, as documented."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "__init__.py": "",
    "settings.py": """
from tests.hosts.bare.settings import *

INSTALLED_APPS = [*INSTALLED_APPS, "yourportal"]
AUTH_USER_MODEL = "yourportal.User"
""",
    "models.py": """
from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    brand = models.ForeignKey("affiliates.Brand", models.PROTECT, null=True)
""",
    "admin.py": """
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from yourportal.models import User

admin.site.register(User, UserAdmin)
""",
}
SECOND_BRAND = """
    former_brand = models.ForeignKey(
        "affiliates.Brand", models.PROTECT, null=True, related_name="+"
    )
"""

@pytest.fixture
def run(tmp_path, empty_url):
    """Runs commands of the new host's ``manage.py``, the database empty at first."""
    host = tmp_path / "yourportal"
    host.mkdir()
    for name, content in FILES.items():
        (host / name).write_text(content, "utf-8")
    return lambda *commands: subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-m", "tests.commands", *commands],
        cwd=tmp_path,
        env={
            **os.environ,
            "DATABASE_URL": empty_url,
            "DJANGO_SETTINGS_MODULE": "yourportal.settings",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.site
@pytest.mark.portable
@pytest.mark.xdist_group("sites")
def test_user_model_with_a_brand_migrates_from_nothing(run, tmp_path):
    initial = tmp_path / "yourportal/migrations/0001_initial.py"

    made = run("makemigrations yourportal", "migrate")

    assert initial.exists(), made.stderr
    last = _last_of_ours()
    assert made.returncode != 0
    assert (
        "(affiliates.E018) yourportal.0001_initial waits for affiliates" in made.stderr
    )
    assert (
        'write ("affiliates", "0001_base_1_0") in place of '
        f'("affiliates", "{last}")' in made.stderr
    )

    written = initial.read_text("utf-8")
    assert written.count(f"('affiliates', '{last}')") == 1
    initial.write_text(written.replace(last, "0001_base_1_0"), "utf-8")
    migrated = run("migrate", "makemigrations --check")

    assert migrated.returncode == 0, migrated.stderr
    assert "Applying yourportal.0001_initial... OK" in migrated.stdout
    assert f"Applying affiliates.{last}... OK" in migrated.stdout
    assert "No changes detected" in migrated.stdout

    # From then on makemigrations is right: nothing of ours waits for the second one.
    with (tmp_path / "yourportal/models.py").open("a", encoding="utf-8") as models:
        models.write(SECOND_BRAND)
    later = run("makemigrations yourportal --name more", "migrate")

    assert later.returncode == 0, later.stderr
    assert "Applying yourportal.0002_more... OK" in later.stdout


def _last_of_ours() -> str:
    return max(one.stem for one in (ROOT / "affiliates/migrations").glob("0*.py"))
