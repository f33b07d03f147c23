"""``make debian``: docs/quickstart.md, typed on a machine with nothing on it.

Not part of other runs: it needs root, and Debian's packages by network.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import partial

import pytest

from benchmarks.running import ROOT
from tests.deploy.conftest import DOMAIN, await_condition
from tests.deploy.debian.machine import Machine, bare_debian, missing
from tests.deploy.test_hardening import WORST_EXPOSURE
from tests.working_tree import copy_working_tree

PAGE = (ROOT / "docs/quickstart.md").read_text("utf-8")
[INSTALL, SWITCH] = re.findall(
    r"^```\n(.*?)^```$",
    PAGE.partition("### One server\n")[2].partition("\n### ")[0],
    re.MULTILINE | re.DOTALL,
)
[PACKAGES] = re.findall(r"^apt install (.+)$", INSTALL, re.MULTILINE)
EMAIL, PASSWORD = "operator@example.com", "correct horse battery staple"
ANSWERS = {
    "Do you want to continue? [Y/n] ": "y",
    "E-mail: ": EMAIL,
    "Password: ": PASSWORD,
    "Password (again): ": PASSWORD,
}
# A certificate needs a name that the Internet knows: this program makes its own.
CERTBOT = f"""#!/bin/sh
mkdir --parents /etc/letsencrypt/live/{DOMAIN}
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN={DOMAIN} \\
    -keyout /etc/letsencrypt/live/{DOMAIN}/privkey.pem \\
    -out /etc/letsencrypt/live/{DOMAIN}/fullchain.pem
"""
# Prints the folders whose modules the web processes have loaded. granian's own stay those
# of its main process, which a reload leaves as it is.
FOLDERS = """
main=$(systemctl show --property MainPID --value affiliates-web)
for worker in $(cat /proc/$main/task/$main/children); do
    grep psycopg /proc/$worker/maps | grep --only-matching "/srv/affiliates/[a-z]*"
done | sort --unique
"""
STARTED_SECONDS = 120
UNITS = ("affiliates-web", "affiliates-worker", "affiliates-verify")
# Asks once, or until there is a file, and prints how often each status was answered.
ASK = f"""
import collections, http.client, pathlib, ssl, sys
path, *enough = sys.argv[1:]
counts = collections.Counter()
while not counts or (enough and not pathlib.Path(*enough).exists()):
    context = ssl._create_unverified_context()
    server = http.client.HTTPSConnection("127.0.0.1", context=context, timeout=20)
    server.request("GET", path, headers={{"Host": "{DOMAIN}"}})
    counts[server.getresponse().status] += 1
print(dict(counts))
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """After everything that the page says until the site answers."""
    absent = missing()
    if os.getuid() or absent:
        pytest.fail(f"Needs root. Missing programs: {', '.join(absent) or 'none'}.")
    folder = tmp_path_factory.mktemp("debian")
    with bare_debian(folder, packages=PACKAGES) as machine:
        copy_working_tree(machine.root / "srv/affiliates/first")
        machine.put("usr/local/bin/certbot", CERTBOT)
        machine.put("root/ask.py", ASK)
        machine.type(INSTALL, answers=ANSWERS)
        _await_answers(machine)
        yield machine


def test_all_units_run(machine):
    names = " ".join(UNITS[:2])
    states = machine.run(f"systemctl is-active {names} affiliates-verify.timer")

    assert states.split() == ["active"] * 3
    assert "0 loaded units listed" in machine.run("systemctl --failed")


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_rates_each_unit_as_the_page_says(machine, unit):
    rated = machine.run(f"systemd-analyze security --no-pager {unit}.service | tail -1")

    [exposure] = re.findall(r"exposure level for \S+: ([\d.]+)", rated)
    assert float(exposure) <= WORST_EXPOSURE


def test_the_site_answers(machine):
    assert machine.run("python3 /root/ask.py /health/ready") == "{200: 1}\n"
    assert machine.run("python3 /root/ask.py /admin/login/") == "{200: 1}\n"


def test_other_users_do_not_reach_the_web_processes(machine):
    connect = "import socket; socket.socket(socket.AF_UNIX).connect('/run/affiliates/web.sock')"
    reached = f'runuser -u {{}} -- python3 -c "{connect}"'

    machine.run(reached.format("www-data"))
    refused = machine.run(reached.format("nobody"), status=1)
    assert "PermissionError" in refused


def test_killed_processes_are_replaced(machine):
    def is_another(asked: str, killed: str) -> bool:
        return machine.run(asked) not in (killed, "0\n")

    for name in ("affiliates-web", "affiliates-worker"):
        asked = f"systemctl show --property MainPID --value {name}"
        killed = machine.run(asked)
        machine.run(f"kill -9 {killed}")
        await_condition(partial(is_another, asked, killed))

    _await_answers(machine)


def test_the_books_are_verified_at_night(machine):
    machine.run("systemctl start affiliates-verify")

    said = machine.run("journalctl --unit affiliates-verify --output cat --no-pager")
    assert "Everything agrees." in said


def test_the_doctor_names_what_is_left_to_the_operator(machine):
    doctor = "/srv/affiliates/current/deploy/manage affiliates_doctor"
    said = machine.run(f"{doctor} || true")

    # No mail server, and no brand yet.
    assert sorted(re.findall(r"affiliates\.(\w+)", said)) == ["D006", "D012"]


def test_a_new_release_loses_no_request(machine):
    copy_working_tree(machine.root / "srv/affiliates/second")
    [prepared] = re.findall(r"^python3 -m venv .+\n.+$", INSTALL, re.MULTILINE)
    machine.run(f"cd /srv/affiliates/second\n{prepared}\ndeploy/manage migrate")

    answered = machine.run(
        "trap 'touch /root/enough; wait' EXIT\n"
        f"python3 /root/ask.py /health/ready /root/enough &\n{SWITCH}sleep 20"
    )

    [(status, count)] = ast.literal_eval(answered.splitlines()[-1]).items()
    assert (status, count > 100) == (200, True)  # noqa: PLR2004 - all along
    assert machine.run(FOLDERS) == "/srv/affiliates/second\n"


def _await_answers(machine: Machine) -> None:
    ask = "python3 /root/ask.py /health/ready"
    await_condition(lambda: machine.run(ask) == "{200: 1}\n", seconds=STARTED_SECONDS)
