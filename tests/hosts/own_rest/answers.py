"""Prints what the host's own endpoints answer. Run with DJANGO_SETTINGS_MODULE."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import django

# Another one in every page.
CSRF_TOKEN = re.compile(r"\b\w{64}\b")
BOUNDARY = "of-the-tests"
FORM = "application/x-www-form-urlencoded"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
FILE = (
    f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=name\r\n\r\nAda\r\n"
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name=picture; filename="a.png"'
    f"\r\n\r\n12345\r\n--{BOUNDARY}--\r\n"
)
REQUESTS = [
    ("POST", "/api/contact", "name=Ada", FORM),
    ("POST", "/api/contact", "name=J%F6rg", f"{FORM}; charset=latin-1"),
    ("POST", "/api/contact", FILE, MULTIPART),
    ("POST", "/api/contact", "name=Too+long", FORM),
    ("POST", "/api/contact", '{"name": "Ada"}', "application/json"),
    ("GET", "/api/contact", "", FORM),
    ("OPTIONS", "/api/contact", "", FORM),
    ("GET", "/api/broken", "", FORM),
    ("GET", "/api/unknown", "", FORM),
    ("GET", "/api/openapi", "", FORM),
    ("GET", "/api/swagger", "", FORM),
    ("GET", "/nowhere", "", FORM),
]
ORIGINS = ["https://app.example.org", "https://evil.example", None]
ACCEPTS = ["application/json", "text/html", "application/yaml"]


def answers() -> Iterator[dict[str, Any]]:
    from django.test import Client

    client = Client(raise_request_exception=False)
    for method, path, body, media_type in REQUESTS:
        for origin in ORIGINS:
            for accept in ACCEPTS:
                headers = {"accept": accept, "access-control-request-method": "POST"}
                if origin is not None:
                    headers["origin"] = origin
                answer = client.generic(
                    method, path, body, content_type=media_type, headers=headers
                )
                yield {
                    "asked": [method, path, media_type, origin, accept],
                    "status": answer.status_code,
                    "headers": list(answer.headers.items()),
                    "body": CSRF_TOKEN.sub("", answer.content.decode("latin-1")),
                }


if __name__ == "__main__":
    django.setup()
    print(json.dumps(list(answers())))  # noqa: T201 - what the test reads
