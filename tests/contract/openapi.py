"""Checks requests and answers against the description the service gives of itself."""

from __future__ import annotations

import re
from functools import cache
from io import BytesIO
from typing import Any

from django.test import Client
from django.test.client import FakePayload
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

from tests.contract.both_paths import VISIT, both_paths

METHODS = ("get", "put", "post", "delete", "patch", "head", "trace")
UNDESCRIBED = {"/api/schema", "/api/docs"}
JSON = "application/json"


@cache
def document() -> dict[str, Any]:
    response = Client().get("/api/schema")
    assert response.status_code == 200
    described: dict[str, Any] = response.json()
    return described


def operations() -> set[tuple[str, str]]:
    """Every described (method, path)."""
    return {
        (method.upper(), path)
        for path, described in document()["paths"].items()
        for method in described
        if method in METHODS
    }


def find_operation(method: str, path: str) -> dict[str, Any] | None:
    for template, described in document()["paths"].items():
        pattern = re.sub(r"\\{[^}]+\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path) and method.lower() in described:
            operation: dict[str, Any] = described[method.lower()]
            return operation
    return None


def check_response(response: Any) -> None:
    """The answer is one that the description allows for this request."""
    method = response.request["REQUEST_METHOD"]
    path = response.request["PATH_INFO"]
    if method in {"OPTIONS", "HEAD"} or path in UNDESCRIBED:
        return
    assert response["Content-Type"] == JSON
    operation = find_operation(method, path)
    if operation is None:
        assert response.status_code in {401, 404, 405}
        check_against({"$ref": "#/components/schemas/Errors"}, response.json())
        return
    described = operation["responses"]
    assert str(response.status_code) in described, (
        f"{method} {path} answers {response.status_code}, described: {list(described)}"
    )
    schema = described[str(response.status_code)]["content"][JSON]["schema"]
    check_against(schema, response.json())


def check_request(method: str, path: str, body: Any) -> None:
    """The body is one that the description asks for."""
    operation = find_operation(method, path)
    assert operation is not None
    check_against(operation["requestBody"]["content"][JSON]["schema"], body)


def check_against(schema: dict[str, Any], value: Any) -> None:
    whole = {**schema, "components": document()["components"]}
    Draft202012Validator(
        whole, format_checker=Draft202012Validator.FORMAT_CHECKER
    ).validate(value)


class ConformingClient(APIClient):
    """An API client that lets no answer pass which the description does not allow, and
    no visit which the short path would answer otherwise."""

    def request(self, **kwargs: Any) -> Any:
        if kwargs["PATH_INFO"] == VISIT:
            body = kwargs.get("wsgi.input", BytesIO()).read()
            environ = self._base_environ(**kwargs)
            for both in both_paths():
                both.ask(environ, body, seed=0, is_kept=False)
            kwargs["wsgi.input"] = FakePayload(body)
        response = super().request(**kwargs)
        check_response(response)
        return response
