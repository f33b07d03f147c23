"""Writes what the documentation takes from the code: ``python -m docs.generate``.

The page of the commands, the script's version and digest in its tag, the table of
personal data, the modules that hosts may import, and the versions that were tested. In the
script, what a link is.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from affiliates import APPS, SEAM, __version__
from tests.package.cells import matrix

PAGE = Path(__file__).resolve().parent / "commands.md"
FRONTEND = PAGE.with_name("frontend.md")
PRIVACY = PAGE.with_name("privacy.md")
VERSIONS = PAGE.with_name("supported-versions.md")
SCRIPT = PAGE.parents[1] / "affiliates/static/affiliates/referral.js"
LINK_LINE = re.compile(r"const LINK_PAGE = /.*/i;")
SEAM_MARKS = re.compile(r"(?<=<!-- seam -->\n).*(?=<!-- /seam -->)", re.DOTALL)
MATRIX_MARKS = re.compile(r"(?<=<!-- matrix -->\n).*(?=<!-- /matrix -->)", re.DOTALL)
# What follows it there is written here.
MARK = "<!-- Written by python -m docs.generate -->\n"
PACKAGES = {
    "Of the core": "affiliates",
    **{f"Of `{app}`": app for app in APPS},
    "Of the portal": "portal",
    "Of the demonstration": "portal.demo",
}
INTRODUCTION = """# Commands

Every command of `python manage.py`, with its options; `--help` says the same. This page is written by
`python -m docs.generate` from the commands themselves. A command of an app beside the core exists only if
the host has installed that app.
"""


def commands_page() -> str:
    parts = [INTRODUCTION]
    for title, package in PACKAGES.items():
        commands = f"{package}.management.commands"
        if find_spec(f"{package}.management"):
            parts.append(f"## {title}\n")
            parts += [_section(commands, name) for name in _names(commands)]
    return "\n".join(parts)


def script() -> str:
    """The script with the pattern of links as Python has it."""
    from affiliates.brands.links import LINK_PAGE

    pattern = LINK_PAGE.replace("/", r"\/")
    line = f"const LINK_PAGE = /{pattern}/i;"
    return LINK_LINE.sub(lambda _: line, SCRIPT.read_text("utf-8"))


def frontend_page() -> str:
    from affiliates.contrib.desk.guide import integrity

    tag = f'referral-{__version__}.js" integrity="{integrity()}"'
    text = FRONTEND.read_text("utf-8")
    return re.sub(r'referral-[\d.]+\.js" integrity="[^"]*"', tag, text)


def versions_page() -> str:
    rows = [
        f"| `affiliates.{module}` | {purpose} |" for module, purpose in SEAM.items()
    ]
    table = "\n".join(["| Module | For |", "|---|---|", *rows, ""])
    page = SEAM_MARKS.sub(lambda _: table, VERSIONS.read_text("utf-8"))
    return MATRIX_MARKS.sub(lambda _: matrix(), page)


def _names(package: str) -> list[str]:
    paths = import_module(package).__path__
    return sorted(module.name for module in pkgutil.iter_modules(paths))


def _section(package: str, name: str) -> str:
    command = import_module(f"{package}.{name}").Command()
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    lines = [f"### {name}", "", " ".join(command.help.split()), ""]
    if rows := list(_rows(parser)):
        lines += [*rows, ""]
    return "\n".join(lines)


def _rows(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        name = ", ".join(action.option_strings) or action.dest
        if action.option_strings and action.nargs != 0:
            named = action.metavar or action.dest.upper()
            name += f" {named if isinstance(named, str) else ' '.join(named)}"
        text = " ".join(f"{action.help or ''} {_choices(action)}".split())
        yield f"- `{name}`: {text.replace('%%', '%')}".removesuffix(": ")


def _choices(action: argparse.Action) -> str:
    words = ", ".join(f"`{choice}`" for choice in action.choices or ())
    return f"One of {words}." if words else ""


def privacy_page() -> str:
    from affiliates.privacy.selectors import record_of_processing

    written = PRIVACY.read_text("utf-8").partition(MARK)[0]
    lines = [
        "| Person | Purpose | Ground | Stored | Received by | Columns |",
        "|---|---|---|---|---|---|",
    ]
    for row in record_of_processing():
        places = "<br>".join(
            f"`{table}`: {', '.join(columns)}"
            for table, columns in row["places"].items()
        )
        said = (row[name] for name in ("person", "why", "ground", "kept"))
        receivers = "; ".join(row["receivers"]) or "-"
        lines.append(f"| {' | '.join(said)} | {receivers} | {places} |")
    return "\n".join([f"{written}{MARK}", *lines, ""])


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

    import django

    django.setup()
    SCRIPT.write_text(script(), "utf-8")
    PAGE.write_text(commands_page(), "utf-8")
    FRONTEND.write_text(frontend_page(), "utf-8")
    PRIVACY.write_text(privacy_page(), "utf-8")
    VERSIONS.write_text(versions_page(), "utf-8")


if __name__ == "__main__":
    main()
