"""``python -m tests.faults.ledger_workers STAGE``: makes busy processes and kills them.

A line on standard input is a command in JSON, its answer a line on standard output:
``{"journal": PATH, "seed": N, "first": ACT or null}`` makes a process and answers its
id, ``{"kill": ID}`` ends one and answers once it is dead. All end with this one.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import django

REHEARSED = 100


def main() -> None:
    django.setup()
    from tests.faults.ledger_acts import Player, Stage

    player = Player(Stage.read(Path(sys.argv[1])))
    _rehearse(player)
    for line in sys.stdin:
        command = json.loads(line)
        if "kill" in command:
            answer = command["kill"]
            os.kill(answer, signal.SIGKILL)
            os.waitpid(answer, 0)
        else:
            answer = os.fork()
            if not answer:
                sys.stdin.close()
                _work(player, **command)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def _rehearse(player: Any) -> None:
    """Do what loads, compiles and caches, once and undone: a fresh process costs little."""
    from django.db import connection, transaction

    chance = Random(0)  # noqa: S311 - acts, not secrets
    undone = transaction.atomic()
    # As a TestCase does: account credit wants to be committed, here it may be undone.
    undone._from_testcase = True
    with undone:
        for _ in range(REHEARSED):
            player.do(player.choose(chance))
        transaction.set_rollback(True)
    connection.close()
    gc.freeze()


def _work(player: Any, *, journal: str, seed: int, first: Any) -> None:
    """Act until killed, until something goes wrong, or until the parent is gone."""
    from tests.faults.ledger_acts import Act

    parent = os.getppid()
    chance = Random(seed)  # noqa: S311 - acts, not secrets
    act = first and Act(**first)
    with Path(journal).open("ab", buffering=0) as notes:
        try:
            while os.getppid() == parent:
                act = act or player.choose(chance)
                notes.write(_line({"began": asdict(act)}))
                notes.write(_line({"ended": player.do(act)}))
                act = None
        except Exception:  # noqa: BLE001 - the test tells of it
            notes.write(_line({"failed": traceback.format_exc()}))
    os._exit(1)


def _line(note: dict[str, Any]) -> bytes:
    """Written in one piece: a process that dies leaves it whole or not at all."""
    return json.dumps(note).encode() + b"\n"


if __name__ == "__main__":
    main()
