"""Rows that the tests of the desk put beside a demonstration which runs."""

from __future__ import annotations

from tests.browser.demo_server import DemoServer

FILL = "from tests.browser.{} import fill; print(fill({}))"


def fill_beside(server: DemoServer, module: str, *arguments: int) -> str:
    """What ``fill`` of a module in this folder returns, at work in the server's database."""
    code = FILL.format(module, ", ".join(map(str, arguments)))
    return server.console.run_code(code).strip()
