"""A Debian with nothing on it, booted by its own systemd in namespaces, without a network.

What a page installs is put beforehand where apt and pip look for it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import tree
from benchmarks.running import ROOT
from tests.deploy.conftest import await_condition
from tests.package.environments import run

PROGRAMS = ("debootstrap", "unshare", "nsenter", "ip")
SUITE = "bookworm"
# What makes a minimal Debian a machine.
BOOTED = "systemd,systemd-sysv,dbus,ca-certificates"
# They would change the kernel, which is shared.
MASKED = ("systemd-sysctl.service", "systemd-modules-load.service")
NAMESPACES = ("--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net")
# systemd mounts all but /dev, where it would mount the devices of the machine outside.
BOOT = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
mount -t tmpfs dev dev
for name in null zero full random urandom tty; do
    touch dev/$name
    mount --bind /dev/$name dev/$name
done
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
ip link set lo up
export container=other
exec chroot . /lib/systemd/systemd --log-target=console
"""
BOOT_SECONDS = 60
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SHELL = ("HOME=/root", "TERM=linux")
WHEELS = "var/cache/wheels"
PIP = f"[global]\nno-index = true\nfind-links = /{WHEELS}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    root: Path
    # Its first process.
    init: int

    def is_up(self) -> bool:
        asked = self._shell("systemctl", "is-system-running", "--quiet")
        return subprocess.run(asked, capture_output=True).returncode == 0  # noqa: S603, PLW1510 - asked until it is

    def run(self, command: str, *, status: int = 0) -> str:
        """Returns what root's shell there printed."""
        done = subprocess.run(  # noqa: S603 - words of the tests
            self._shell("bash", "-euc", command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout[-6000:]
        return done.stdout

    def type(self, script: str, *, answers: Mapping[str, str]) -> str:
        """Runs a script at a terminal, where what it asks is answered, and returns all
        that stood there. ``answers`` are by the end of each question.
        """
        (self.root / "root/typed").write_text(script, "utf-8")
        at_terminal = ("script", "--quiet", "--return", "--command")
        with subprocess.Popen(  # noqa: S603 - words of the tests
            self._shell(*at_terminal, "bash -eux /root/typed", "/dev/null"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            said = ""
            while part := os.read(process.stdout.fileno(), 4096):
                said += part.decode(errors="replace")
                for question, answer in answers.items():
                    if said.endswith(question):
                        os.write(process.stdin.fileno(), f"{answer}\n".encode())
        assert process.returncode == 0, said[-6000:]
        return said

    def put(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        file.chmod(0o755)

    def _shell(self, *command: str) -> list[str]:
        inside = ("nsenter", "--target", str(self.init), "--all", "--root", "--wd")
        return [*inside, "env", "-i", f"PATH={PATH}", *SHELL, *command]


def missing() -> list[str]:
    return [program for program in PROGRAMS if shutil.which(program) is None]


@contextmanager
def bare_debian(folder: Path, *, packages: str) -> Iterator[Machine]:
    """``packages`` are those that the page installs, with spaces between."""
    root = folder / "root"
    _install(root, packages)
    log = folder / "systemd.log"
    with log.open("wb") as output:
        boot = subprocess.Popen(  # noqa: S603 - our own words
            [
                shutil.which("unshare"),
                *NAMESPACES,
                "--kill-child",
                "sh",
                "-c",
                BOOT,
                "sh",
                root,
            ],
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        await_condition(lambda: len(tree(boot.pid)) > 1)
        machine = Machine(root=root, init=tree(boot.pid)[1])
        await_condition(machine.is_up, seconds=BOOT_SECONDS)
        yield machine
    finally:
        # With it goes the first process, and with that all others.
        boot.kill()
        boot.wait()


def _install(root: Path, packages: str) -> None:
    bootstrap = ("debootstrap", "--variant=minbase", f"--include={BOOTED}")
    run(*bootstrap, SUITE, root, cwd=ROOT)
    fetch = f"apt-get update && apt-get install --yes --download-only {packages}"
    run("chroot", root, "env", "-i", f"PATH={PATH}", "sh", "-c", fetch, cwd=ROOT)
    # All of the lock: its Python may be another than ours. pip compares digests there.
    locked = re.findall(
        r"^[\w.\[\]-]+==[\w.]+",
        (ROOT / "requirements.txt").read_text("utf-8"),
        re.MULTILINE,
    )
    download = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")
    run(*download, "--dest", root / WHEELS, *locked, cwd=ROOT)
    (root / "etc/pip.conf").write_text(PIP, "utf-8")
    (root / "etc/hostname").write_text("bare\n", "utf-8")
    for name in MASKED:
        (root / "etc/systemd/system" / name).symlink_to("/dev/null")
