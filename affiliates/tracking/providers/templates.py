"""Requests written as text with macros: ``/track?click={visitor_id}&sum={amount}``.

A template is appended to the tracking address, so the check of that address applies to
every request made from it:

    [METHOD] /path?query
    Header: value

    form=body&of={macro}
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from affiliates.outbox.http.types import Call
from affiliates.tracking.providers.cleaning import is_header_text
from affiliates.tracking.providers.field import SECRET

MAX_TEMPLATE = 2000
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
# The user name and the secret, encoded for HTTP Basic authentication.
BASIC = "basic"
_FORM = ("Content-Type", "application/x-www-form-urlencoded")

_MACRO = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
# The transport sets these; with a duplicate, two readers could see two requests.
_OWN_HEADERS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection"}
)


class TemplateFault(ValueError):
    """The template is unusable; the text says how to correct it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Macros:
    """The names a template may use: those of the facts and of the settings."""

    facts: frozenset[str]
    settings: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A checked template. ``body`` is a form, "" for none."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: str

    @property
    def macros(self) -> frozenset[str]:
        parts = (self.path, self.query, self.body, *(text for _, text in self.headers))
        return frozenset(name for part in parts for name in _MACRO.findall(part))


def parse_template(text: str, macros: Macros) -> Template:
    """Reads the template from this text. Raises TemplateFault."""
    if len(text) > MAX_TEMPLATE:
        raise TemplateFault(f"Enter at most {MAX_TEMPLATE} characters.")
    head, _, body = text.replace("\r\n", "\n").strip().partition("\n\n")
    first, *header_lines = head.split("\n")
    method, target = _split_request_line(first.strip())
    path, _, query = target.partition("?")
    template = Template(
        method=method,
        path=path,
        query=query,
        headers=tuple(_split_header(line) for line in header_lines),
        body="".join(body.split()),
    )
    if template.body and method == "GET":
        raise TemplateFault("A GET request has no body: begin the template with POST.")
    if not is_header_text(template.body):
        raise TemplateFault("Write letters beyond ASCII in the body percent-encoded.")
    _check_macros("the path", path, macros.settings)
    _check_macros("the query", query, macros.facts | macros.settings | {SECRET})
    _check_macros("the body", template.body, macros.facts | macros.settings)
    for name, value in template.headers:
        _check_macros(f"the header {name}", value, macros.settings | {SECRET, BASIC})
    return template


def _split_request_line(line: str) -> tuple[str, str]:
    method, _, target = line.partition(" ")
    if line.startswith("/") or not target:
        method, target = "GET", line
    if method not in METHODS:
        raise TemplateFault(
            "Begin with / or with one of GET, POST, PUT, PATCH, DELETE and a blank."
        )
    target = target.strip()
    if not target.startswith("/") or target.startswith("//"):
        raise TemplateFault(
            "Write what follows the tracking address: a path that begins with one /."
        )
    if not target.isascii() or not target.isprintable() or set(target) & set(' \\#"<>'):
        raise TemplateFault(
            "Remove blanks, quotes, #, <, > and \\ from the path and the query, and "
            "write other letters percent-encoded."
        )
    return method, target


def _split_header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not _HEADER_NAME.fullmatch(name) or not is_header_text(value):
        raise TemplateFault(
            "Write a header as Name: value, and leave a line free before the body."
        )
    if name.lower() in _OWN_HEADERS:
        raise TemplateFault(f"Leave the header {name} out: it is set for you.")
    return name, value


def _check_macros(place: str, text: str, allowed: frozenset[str]) -> None:
    for name in _MACRO.findall(text):
        if name not in allowed:
            listed = (
                ", ".join(f"{{{macro}}}" for macro in sorted(allowed)) or "no macro"
            )
            raise TemplateFault(
                f"{{{name}}} cannot be used in {place} here. It takes {listed}."
            )
    if set(_MACRO.sub("", text)) & set("{}"):
        raise TemplateFault(
            "Write a macro as {name}, and any other { as %7B and } as %7D."
        )


def render(
    template: Template,
    *,
    address: str,
    values: Mapping[str, str],
    secret: str,
    basic_user: str = "",
) -> Call:
    """Makes the request. Leaves out a pair whose macros are all empty.

    Raises TemplateFault for a secret or a setting that a header cannot hold.
    """
    known = {**values, SECRET: secret}
    path = _fill(template.path, known)
    query = _fill_pairs(template.query, known)
    body = _fill_pairs(template.body, known).encode()
    basic = base64.b64encode(f"{basic_user}:{secret}".encode()).decode()
    headers = tuple(
        (name, _fill_header(text, {**known, BASIC: basic}))
        for name, text in template.headers
    )
    return Call(
        method=template.method,
        url=f"{address}{path}?{query}" if query else f"{address}{path}",
        headers=(*headers, _FORM) if body else headers,
        body=body,
        secrets=_hidden(template, secret, basic),
    )


def _hidden(template: Template, secret: str, basic: str) -> tuple[str, ...]:
    if not secret or not template.macros & {SECRET, BASIC}:
        return ()
    return tuple(dict.fromkeys((secret, _encode(secret), basic)))


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _MACRO.sub(lambda macro: _encode(values.get(macro[1], "")), text)


def _fill_pairs(text: str, values: Mapping[str, str]) -> str:
    return "&".join(
        _fill(pair, values)
        for pair in text.split("&")
        if _has_something_to_say(pair, values)
    )


def _has_something_to_say(pair: str, values: Mapping[str, str]) -> bool:
    names = _MACRO.findall(pair)
    return not names or any(values.get(name) for name in names)


def _fill_header(text: str, values: Mapping[str, str]) -> str:
    filled = _MACRO.sub(lambda macro: values.get(macro[1], ""), text)
    if not is_header_text(filled):
        raise TemplateFault(
            "A header would hold signs that no header can. Enter the secret and the "
            "account again, in printable letters."
        )
    return filled


def _encode(value: str) -> str:
    return quote(value, safe="", errors="replace")
