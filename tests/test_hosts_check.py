"""``manage.py check`` has nothing to say of any host that is as it should be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parent.parent
HOSTS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in [*ROOT.glob("tests/hosts/*/settings.py"), ROOT / "tests/settings.py"]
)


@pytest.mark.parametrize("settings", HOSTS)
def test_a_correct_host_is_told_nothing(settings):
    kept = {name: os.environ[name] for name in os.environ if name != "DATABASE_URL"}

    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-W", "error", "manage.py", "check"],
        cwd=ROOT,
        env=kept | {"DJANGO_SETTINGS_MODULE": settings},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("System check identified no issues (")
