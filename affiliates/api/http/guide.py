"""The API's description beside its endpoints: an introduction, and examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from affiliates.conf import conf

HERE = Path(__file__).parent
# The answers of the service, recorded by tests/contract/test_examples.py.
EXAMPLES: Mapping[str, Any] = json.loads(
    HERE.joinpath("examples.json").read_text("utf-8")
)
# In this order; those of the host follow.
TAGS = ("Affiliate links", "Clients", "Orders", "Affiliates", "Operators")
JSON = "application/json"


def introduction() -> str:
    text = HERE.joinpath("introduction.md").read_text("utf-8")
    return Template(text).safe_substitute(body_bytes=f"{conf.max_body_bytes:,}")


def sorted_tags(paths: Mapping[str, Any]) -> list[dict[str, str]]:
    tags = dict.fromkeys(
        tag
        for operations in paths.values()
        for operation in operations.values()
        for tag in operation.get("tags", ())
    )
    known = [tag for tag in TAGS if tag in tags]
    return [{"name": tag} for tag in dict.fromkeys([*known, *tags])]


def with_examples(
    description: dict[str, Any], examples: Mapping[str, Any]
) -> dict[str, Any]:
    """Adds a request and an answer to each operation whose id is in ``examples``."""
    for operations in description["paths"].values():
        for operation in operations.values():
            example = examples.get(operation["operationId"], {})
            bodies = {"request": operation.get("requestBody")}
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    bodies["answer"] = response
            for name, body in bodies.items():
                if body and name in example:
                    body["content"][JSON]["example"] = example[name]
    return description
