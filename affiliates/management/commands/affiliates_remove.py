from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from affiliates.hooks import CORE, own_apps
from affiliates.operations.removal import holdings, obstacles, remove

HOW = (
    "Make a backup, since the rows cannot be brought back. Then run it with --yes to "
    "remove all of this."
)


class Command(BaseCommand):
    help = (
        "Removes one of our apps from the database: its tables with their rows, "
        "triggers, functions, permissions and content types; with the core also the "
        "groups of staff. Without --yes it only prints them. Run it while the app is "
        "installed, then take the app out of INSTALLED_APPS. Ends with status 1 and "
        "changes nothing while another app or a table of yours needs the app."
    )
    # It must run on a host that is being taken apart.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "label", metavar="app", help="A label such as affiliates_claims."
        )
        parser.add_argument(
            "--yes", action="store_true", help="Remove it, without asking again."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        configs = {app.label: app for app in own_apps()}
        config = configs.get(options["label"])
        if config is None:
            raise CommandError(
                f"{options['label']} is none of our installed apps. They are "
                f"{', '.join(sorted(configs))}."
            )
        lines = [*holdings(config).lines()]
        reasons = [*obstacles(config)]
        if not options["yes"]:
            self._show(config.label, lines, reasons)
            return
        if reasons:
            raise CommandError("\n".join(reasons))
        self.stdout.write(f"Removing {config.label} ...")
        remove(config)
        if left := [*holdings(config).lines()]:
            raise CommandError("Still there: " + ", ".join(left))
        for line in lines:
            self.stdout.write(f"Removed {line}")
        out = "every app of ours" if config.name == CORE else f'"{config.name}"'
        self.stdout.write(f"Now take {out} out of INSTALLED_APPS.")

    def _show(self, label: str, lines: list[str], reasons: list[str]) -> None:
        nothing = f"The database has nothing of {label}."
        self.stdout.write("\n".join(lines) or nothing)
        for reason in reasons:
            self.stdout.write(f"Not possible yet: {reason}")
        self.stdout.write("Nothing was changed.")
        if lines and not reasons:
            self.stdout.write(HOW)
