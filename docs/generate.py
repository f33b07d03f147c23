"""Writes docs/commands.md from the commands themselves: ``python -m docs.generate``."""

from __future__ import annotations

import argparse
import os
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "commands.md"
PACKAGES = {
    "Of the app": "affiliates.management.commands",
    "Of the desk": "affiliates.contrib.desk.management.commands",
    "Of the imports": "affiliates.contrib.imports.management.commands",
    "Of the statistics": "affiliates.contrib.statistics.management.commands",
    "Of the portal": "portal.management.commands",
    "Of the demonstration": "portal.demo.management.commands",
}
INTRODUCTION = """# Commands

All are called by `python manage.py <name>`; `--help` says the same. This page is written by
`python -m docs.generate` from the commands themselves.
"""


def commands_page() -> str:
    parts = [INTRODUCTION]
    for title, package in PACKAGES.items():
        parts.append(f"## {title}\n")
        parts += [_section(package, name) for name in _names(package)]
    return "\n".join(parts)


def _names(package: str) -> list[str]:
    paths = import_module(package).__path__
    return sorted(module.name for module in pkgutil.iter_modules(paths))


def _section(package: str, name: str) -> str:
    command = import_module(f"{package}.{name}").Command()
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    lines = [f"### {name}", "", " ".join(command.help.split()), ""]
    if rows := list(_rows(parser)):
        lines += ["| Option | Meaning |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _rows(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        name = ", ".join(action.option_strings) or action.dest
        if action.option_strings and action.nargs != 0:
            name += f" {action.metavar or action.dest.upper()}"
        text = " ".join(f"{action.help or ''} {_choices(action)}".split())
        text = text.replace("%%", "%")
        yield f"| `{name}` | {text.replace('|', chr(92) + '|')} |"


def _choices(action: argparse.Action) -> str:
    words = ", ".join(f"`{choice}`" for choice in action.choices or ())
    return f"One of {words}." if words else ""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

    import django

    django.setup()
    PAGE.write_text(commands_page(), "utf-8")


if __name__ == "__main__":
    main()
