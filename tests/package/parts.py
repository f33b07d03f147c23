"""What is tested in an environment. Each part raises StepFailed."""

from __future__ import annotations

import shutil
import sys
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.package import tutorial
from tests.package.cells import Cell
from tests.package.distributions import EXTRAS as ALL_EXTRAS
from tests.package.environments import (
    ROOT,
    Environment,
    StepFailed,
    build_wheel,
    clean_environment,
    pins,
    require,
    run,
)

BARE = "tests.hosts.bare.settings"
# Of the tests that need no portal, a few that meet most dependencies.
TESTS = (
    "tests/hosts/test_hosts.py",
    "tests/affiliates/admin_tools/test_exports.py",
    "tests/affiliates/api/http/test_parsers.py",
    "tests/affiliates/api/http/test_schema.py",
    "tests/affiliates/commissions/test_action_pages.py",
    "tests/affiliates/contrib/desk/test_queues.py",
    "tests/affiliates/emails/test_sending.py",
    "tests/affiliates/payouts/test_batches.py",
    "tests/affiliates/settlement/test_services.py",
)
PORTAL_TESTS = (
    "tests/portal/demo/test_seed.py",
    "tests/portal/test_affiliate_program.py",
    "tests/portal/test_checks.py",
)
EXAMPLES = ("hosting", "subscriptions", "oscar", "sidecar")
KEYS = f"1:{b64encode(bytes(32)).decode()}"
PORTAL_TOOLS = ("opentelemetry-sdk", "psutil")
# What the whole suite of the bare host needs beyond the tools of the matrix.
SUITE_TOOLS = (
    "openapi-spec-validator",
    "opentelemetry-sdk",
    "psutil",
    "pypdf",
    "pytest-randomly",
)


def smoke(environment: Environment, database: str) -> None:
    """The minimal host: its pages, and the flow from the visit to the refund."""
    environment.test(
        *("tests/hosts/minimal/pages.py", "tests/hosts/flow.py"),
        settings="tests.hosts.minimal.settings",
        database=database,
    )


def host(environment: Environment, database: str) -> None:
    environment.add_extras()
    environment.test(
        "-m", "not site and not long", *TESTS, settings=BARE, database=database
    )


def removal(environment: Environment) -> None:
    """Each app in turn, of a filled host with all of them."""
    environment.add_extras()
    environment.test("tests/hosts/test_removal.py", settings=BARE)


def examples(environment: Environment) -> None:
    for name in EXAMPLES:
        folder = environment.folder / name
        shutil.copytree(ROOT / "examples" / name, folder)
        needs = ("--requirement", str(folder / "requirements.txt"))
        python = environment.install(*needs, venv=f"{name}/venv")
        run(
            *(python, "manage.py", "test"),
            cwd=folder,
            AFFILIATES_COOKIE_KEYS=KEYS,
            STRIPE_WEBHOOK_SECRET="whsec_of_the_tests",
        )


def portal(environment: Environment) -> None:
    """The portal with the newest of its packages: checks, demonstration, program."""
    lines = (ROOT / "requirements.in").read_text("utf-8").splitlines()
    names = [line.partition("==")[0] for line in lines if "==" in line]
    environment.install(*names, *pins(PORTAL_TOOLS))
    for name in ("portal", "templates"):
        shutil.copytree(ROOT / name, environment.folder / name)
    environment.test(*PORTAL_TESTS, settings="tests.settings")


def follow_tutorial(environment: Environment) -> None:
    """The tutorial, which installs the newest as pip does."""
    tutorial.lay_out_portal(environment.folder / "tutorial", tutorial.HOSTING)
    _follow(environment, "tutorial", tutorial.HOSTING)


def follow_oscar(environment: Environment) -> None:
    """The pages of django-oscar, from an empty folder."""
    _follow(environment, "shop", tutorial.OSCAR)


def follow_sidecar(environment: Environment) -> None:
    """The page of another biller, from an empty folder."""
    _follow(environment, "biller", tutorial.SIDECAR)


def _follow(environment: Environment, name: str, pages: tutorial.Tutorial) -> None:
    folder, answers = environment.folder / name, environment.folder / f"{name}-answers"
    for made in (folder, answers):
        made.mkdir(exist_ok=True)
    base = environment.interpreter.resolve()
    script = tutorial.script(answers, pages).replace("python3 -m", f"{base} -m")
    # As the page asks for it.
    (folder / "dist").symlink_to(environment.wheel.parent)
    require(tutorial.follow(script, folder=folder, environment=clean_environment()))
    if misprints := tutorial.misprints(answers, pages):
        raise StepFailed("\n".join(misprints))
    sys.stdout.write(f"{name}: {pages.written_lines()} lines\n")


def suite(cell: Cell, folder: Path) -> Environment:
    """Makes the cell's environment in this folder, with what the bare host's suite needs."""
    wheel = build_wheel(folder / "dist")
    environment = replace(
        Environment.of(cell, wheel=wheel, folder=folder), folder=folder
    )
    environment.make()
    environment.add_extras(",".join(ALL_EXTRAS))
    # The newest OpenTelemetry needs more than the oldest release of its API.
    is_oldest = cell.age == "oldest"
    environment.install(*(SUITE_TOOLS if is_oldest else pins(SUITE_TOOLS)))
    return environment


CELL_TESTS: dict[str, Callable[[Environment, str], None]] = {
    "smoke": smoke,
    "host": host,
}
CORNER_TESTS: dict[str, dict[str, Callable[[Environment], None]]] = {
    "oldest": {"removal": removal, "examples": examples},
    "newest": {
        "removal": removal,
        "examples": examples,
        "portal": portal,
        "tutorial": follow_tutorial,
        "django-oscar": follow_oscar,
        "another-biller": follow_sidecar,
    },
}
