"""Follows tutorials: the code blocks of their pages, in a clean folder.

A block with a title is the end of that file, one whose title begins with "in" a part of a
file that is there already. A shell block with a title runs until everything is done. A
text block is how the answer of the shell block before it begins. Other blocks are examples.
The portal to begin with is an example, without what the pages add to it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PORT = "8000"
BLOCK = re.compile(
    r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL
)
PRELUDE = "set -euo pipefail"
ASKED_UNTIL_SERVED = (
    "for _ in $(seq 100); do curl -s -o /dev/null {url} && break; sleep 0.2; done"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    language: str
    title: str
    text: str

    @property
    def file(self) -> str:
        """The file that it is added to, or ""."""
        is_part = self.title.startswith("in ")
        return "" if self.language == "sh" or is_part else self.title

    @property
    def excerpt_of(self) -> str:
        """The file that it shows a part of, or ""."""
        part = self.title.removeprefix("in ")
        return "" if self.language == "sh" or part == self.title else part


@dataclass(frozen=True, slots=True)
class Tutorial:
    example: Path
    pages: tuple[Path, ...]

    def blocks(self) -> list[Block]:
        return [
            Block(language=language, title=title, text=text)
            for page in self.pages
            for language, title, text in BLOCK.findall(page.read_text("utf-8"))
        ]

    def written_lines(self) -> int:
        """Returns how many lines, without empty ones, the pages add to files."""
        texts = [block.text for block in self.blocks() if block.file]
        return sum(bool(line.strip()) for text in texts for line in text.splitlines())


HOSTING = Tutorial(
    ROOT / "examples/hosting",
    (ROOT / "docs/adapter.md", ROOT / "docs/first-commission.md"),
)
# These begin in an empty folder.
OSCAR = Tutorial(
    ROOT / "examples/oscar",
    tuple(
        ROOT / f"docs/{name}.md"
        for name in ("django-oscar-shop", "django-oscar", "allauth")
    ),
)
SIDECAR = Tutorial(ROOT / "examples/sidecar", (ROOT / "docs/another-biller.md",))


def lay_out_portal(folder: Path, tutorial: Tutorial) -> None:
    """The example as it was before anybody read the pages."""
    shutil.copytree(tutorial.example, folder, dirs_exist_ok=True)
    for block in reversed(tutorial.blocks()):
        if not block.file:
            continue
        path = folder / block.file
        text = path.read_text("utf-8")
        if not text.endswith(block.text):
            raise ValueError(f"{block.file} does not end as the page says.")
        rest = text.removesuffix(block.text).rstrip("\n")
        path.write_text(f"{rest}\n", "utf-8") if rest else path.unlink()


def script(answers: Path, tutorial: Tutorial) -> str:
    """The pages as one bash script, which leaves each block's output in a file."""
    port = _free_port()
    parts = [PRELUDE, *_parts(answers, tutorial)]
    return "\n".join(parts).replace(f"localhost:{PORT}", f"localhost:{port}")


def follow(
    script: str, *, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """What its blocks have started, servers' own processes too, ends with the script."""
    command = ["bash", "-c", script]
    with subprocess.Popen(  # noqa: S603 - blocks of our own page
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, faults = process.communicate()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, output, faults)


def misprints(answers: Path, tutorial: Tutorial) -> list[str]:
    """What the page says is answered, and is not."""
    found = []
    for number, block in enumerate(tutorial.blocks()):
        if block.language == "text":
            answer = (answers / str(number - 1)).read_text("utf-8")
            answer = re.sub(r"localhost:\d+", f"localhost:{PORT}", answer)
            if not answer.startswith(block.text):
                found.append(f"The page: {block.text}The answer: {answer}")
    return found


def _parts(answers: Path, tutorial: Tutorial) -> Iterator[str]:
    for number, block in enumerate(tutorial.blocks()):
        answer = shlex.quote(str(answers / str(number)))
        if block.file:
            yield f"cat >> {block.file} <<'BLOCK'\n{block.text}BLOCK"
        elif block.language == "sh" and block.title:
            yield f"{{ {block.text}}} > {answer} 2>&1 &"
            if "runserver" in block.text:
                yield ASKED_UNTIL_SERVED.format(url=f"http://localhost:{PORT}/")
        elif block.language == "sh":
            yield f"{{ {block.text}}} > {answer}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port
