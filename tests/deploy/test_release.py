"""A reload takes the release that the link leads to, and loses no request."""

from __future__ import annotations

import http.client
import os
import signal
import socket
from contextlib import closing

import pytest

from tests.deploy.conftest import (
    WORKERS,
    await_condition,
    await_started_workers,
    running,
    web_command,
)
from tests.lengths import IS_LONG

APPLICATION = """
def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"{release}"]
"""


@pytest.mark.long
@pytest.mark.skipif(not IS_LONG, reason="a reload takes granian some ten seconds")
def test_reload_changes_the_release_and_loses_no_request(tmp_path):
    for release in ("first", "second"):
        package = tmp_path / release / "portal"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "wsgi.py").write_text(APPLICATION.format(release=release), "utf-8")
    link = tmp_path / "current"
    link.symlink_to(tmp_path / "first")
    answers = []

    def is_second() -> bool:
        answers.append(ask(tmp_path / "web.sock"))
        return answers[-30:] == ["second"] * 30

    command = web_command(tmp_path, release=link)
    log = tmp_path / "granian.log"
    environment = {"PATH": os.environ["PATH"], "GRANIAN_WORKERS": str(WORKERS)}
    with running(command, environment, log=log) as granian:
        await_started_workers(log, WORKERS)
        assert ask(tmp_path / "web.sock") == "first"

        link.unlink()
        link.symlink_to(tmp_path / "second")
        granian.send_signal(signal.SIGHUP)
        await_condition(is_second)
        await_started_workers(log, 2 * WORKERS)

    assert set(answers) == {"first", "second"}


def ask(path) -> str:
    caller = http.client.HTTPConnection("localhost", timeout=30)
    caller.sock = socket.socket(socket.AF_UNIX)
    with closing(caller):
        caller.sock.connect(str(path))
        caller.request("GET", "/")
        return caller.getresponse().read().decode()
