"""Prints the CPU seconds and the memory in MB of setting up these settings."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

import django
from django.conf import settings


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.hosts.minimal.settings"
    from affiliates import APPS

    core = [*settings.INSTALLED_APPS]
    without = [one for one in core if one != "affiliates"]
    settings.INSTALLED_APPS = {
        "without": without,
        "core": core,
        "all": [*core, *APPS],
    }[sys.argv[1]]
    began = time.process_time()
    django.setup()
    seconds = time.process_time() - began
    # Unlike ru_maxrss, it is not that of the process which started this one.
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    print(f"{seconds:.2f} {int(peak) / 1024:.0f}")  # noqa: T201


if __name__ == "__main__":
    main()
