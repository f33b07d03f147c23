"""``python -m portal.demo.network --port 8900``: serve it until Ctrl-C."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser
from typing import Any

from portal.demo.network.server import LOOPBACK, Simulator

DEFAULT_PORT = 8900


def main() -> int:
    parser = ArgumentParser(prog="python -m portal.demo.network", description=__doc__)
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0: any free.")
    options = parser.parse_args()
    simulator = Simulator(host=options.host, port=options.port)
    try:
        simulator.start()
    except (OSError, OverflowError) as error:
        sys.stderr.write(f"Port {options.port} cannot be used: {error}\n")
        return 1
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        sys.stdout.write(f"Serving on {simulator.address}\n")
        sys.stdout.flush()
        simulator.wait()
    except KeyboardInterrupt:
        simulator.stop()
    return 0


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
