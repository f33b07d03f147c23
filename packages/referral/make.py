"""Makes the package's files: index.js of the script, client.js and client.d.ts of the API.

``python packages/referral/make.py [schema.json]``; without a file, the description is the
example portal's. A host with fields of its own gives its own.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parents[1]
SCRIPT = ROOT / "affiliates/static/affiliates/referral.js"
MADE = "// Made by make.py: change what it is made of.\n"

START = """\
export function start(options = {}) {
  if (typeof window === "undefined") return undefined;
  if (window.referral) return window.referral;
  const script = {};
"""
RUNTIME = """\
const RETRIES = 2;

export class ApiError extends Error {
  constructor(response, body) {
    const errors = (body && body.errors) || [];
    super(errors.map((error) => error.detail).join(" ") || `Status ${response.status}`);
    this.name = "ApiError";
    this.status = response.status;
    this.errors = errors;
    this.retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  }
}

/** Whether the service may have done it all the same. */
const isUnclear = (error) =>
  error instanceof ApiError
    ? error.status === 503 || error.errors[0]?.code === "request_in_progress"
    : error?.name !== "AbortError";

export function createClient(options) {
  const ask = options.fetch || ((...request) => fetch(...request));
  const call = async (method, path, body, query, key) => {
    const url = new URL(options.api.replace(/\\/+$/, "") + path);
    for (const [name, value] of Object.entries(query || {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const token = options.token && options.token();
    const response = await ask(url.href, {
      method,
      credentials: "omit",
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(key ? { "Idempotency-Key": key } : {}),
        ...options.headers,
      },
      body: JSON.stringify(body),
    });
    const answer = await response.json().catch(() => undefined);
    if (!response.ok) throw new ApiError(response, answer);
    return answer;
  };
  const callOnce = async (method, path, body, query) => {
    const key = `"${crypto.getRandomValues(new Uint32Array(4)).join("-")}"`;
    for (let left = RETRIES; ; left -= 1) {
      try {
        return await call(method, path, body, query, key);
      } catch (error) {
        if (!left || !isUnclear(error)) throw error;
        await new Promise((resume) => setTimeout(resume, 1000 * (error.retryAfter || 1)));
      }
    }
  };
  return {
"""
TYPES = """\
export interface ClientOptions {
  /** Where the service is: "https://api.example.com". */
  api: string;
  /** The client's bearer token, asked for at each call. */
  token?: () => string | null | undefined;
  /** Sent with each call; on a server, `Origin` names the client area. */
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

/** Every refusal: 4xx and 5xx. `retryAfter` is in seconds. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: ErrorDetail[];
  readonly retryAfter: number | undefined;
}

/**
 * A call that is refused rejects with an ApiError; one that does not arrive, as fetch does.
 * Before that, a registration, conversion, payout request or claim is sent up to twice more
 * under one Idempotency-Key, so that it happens once.
 */
export function createClient(options: ClientOptions): AffiliatesClient;

"""
# A global class of JavaScript's has the name.
RENAMED = {"Error": "ErrorDetail"}
KEY = "Idempotency-Key"
NUMBERS = ("integer", "number")
PATH_PARAMETER = re.compile(r"{(\w+)}")


def index_js() -> str:
    """The script as a module that is started by a call instead of by its tag."""
    source = SCRIPT.read_text("utf-8")
    licence, _, rest = source.partition("\n")
    _, _, body = rest.partition("const options = script.dataset || {};\n")
    body = body.removesuffix("})();\n") + "  return referral;\n}\n"
    return f"{licence}\n{MADE}{START}{body}"


def client_js(schema: dict[str, Any]) -> str:
    methods = "".join(
        method_js(path, method, operation)
        for path, method, operation in operations(schema)
    )
    return f"{MADE}{RUNTIME}{methods}  }};\n}}\n"


def method_js(path: str, method: str, operation: dict[str, Any]) -> str:
    taken = [camel(name) for name in PATH_PARAMETER.findall(path)]
    passed = [f'"{method.upper()}"', f"`{PATH_PARAMETER.sub(encoded, path)}`"]
    if "requestBody" in operation:
        is_required = operation["requestBody"].get("required")
        taken.append("body" if is_required else "body = {}")
        passed.append("body")
    if queries(operation):
        taken.append("query")
        passed += ["query"] if "requestBody" in operation else ["undefined", "query"]
    call = "callOnce" if is_answered_once(operation) else "call"
    name = camel(operation["operationId"])
    return f"    {name}: ({', '.join(taken)}) =>\n      {call}({', '.join(passed)}),\n"


def encoded(parameter: re.Match[str]) -> str:
    return f"${{encodeURIComponent({camel(parameter[1])})}}"


def client_d_ts(schema: dict[str, Any]) -> str:
    interfaces = [
        f"{comment(one, '')}export {declaration(RENAMED.get(name, name), one)}\n"
        for name, one in sorted(schema["components"]["schemas"].items())
    ]
    methods = [
        f"  /** {operation.get('summary', path)}: {method.upper()} {path} */\n"
        f"  {camel(operation['operationId'])}({arguments(path, operation)}): "
        f"Promise<{answer(operation)}>;\n"
        for path, method, operation in operations(schema)
    ]
    client = f"export interface AffiliatesClient {{\n{''.join(methods)}}}\n\n"
    return f"{MADE}{TYPES}{client}" + "\n".join(interfaces)


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def queries(operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in operation.get("parameters", ()) if one["in"] == "query"]


def is_answered_once(operation: dict[str, Any]) -> bool:
    return any(one["name"] == KEY for one in operation.get("parameters", ()))


def arguments(path: str, operation: dict[str, Any]) -> str:
    given = [f"{camel(name)}: string" for name in PATH_PARAMETER.findall(path)]
    body = operation.get("requestBody")
    if body:
        is_optional = "" if body.get("required") else "?"
        given.append(f"body{is_optional}: {type_of(content(body))}")
    asked = queries(operation)
    if asked:
        fields = "; ".join(f"{one['name']}?: {type_of(one['schema'])}" for one in asked)
        given.append(f"query?: {{ {fields} }}")
    return ", ".join(given)


def answer(operation: dict[str, Any]) -> str:
    successes = [
        type_of(content(response)) if "content" in response else "undefined"
        for status, response in operation["responses"].items()
        if status.startswith("2")
    ]
    return " | ".join(successes)


def content(holder: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = holder["content"]["application/json"]["schema"]
    return schema


def declaration(name: str, schema: dict[str, Any]) -> str:
    if schema.get("type") == "object" and "properties" in schema:
        return f"interface {name} {type_of(schema)}"
    return f"type {name} = {type_of(schema)};"


def type_of(schema: dict[str, Any], indent: str = "") -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return RENAMED.get(name, name)
    for many in ("oneOf", "anyOf"):
        if many in schema:
            return union(type_of(one, indent) for one in schema[many])
    if "allOf" in schema:
        return " & ".join(type_of(one, indent) for one in schema["allOf"])
    if "enum" in schema:
        return union(json.dumps(value) for value in schema["enum"])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return union(kind_of(kind, schema, indent) for kind in kinds) or "unknown"


def union(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def kind_of(kind: str, schema: dict[str, Any], indent: str) -> str:
    if kind == "array":
        return f"Array<{type_of(schema['items'], indent)}>"
    if kind == "object" and "properties" in schema:
        required = schema.get("required", ())
        fields = "".join(
            f"{comment(one, indent + '  ')}{indent}  {name}"
            f"{'' if name in required else '?'}: {type_of(one, indent + '  ')};\n"
            for name, one in schema["properties"].items()
        )
        return f"{{\n{fields}{indent}}}"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if values else 'unknown'}>"
    return "number" if kind in NUMBERS else kind


def comment(schema: dict[str, Any], indent: str) -> str:
    text = " ".join(schema.get("description", "").split()).replace("*/", "* /")
    return f"{indent}/** {text} */\n" if text else ""


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def described_by_the_portal() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from affiliates.api.http.schema import OwnSchemaGenerator

    schema: dict[str, Any] = OwnSchemaGenerator().get_schema()
    return schema


def of_frontends(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the operator's operations, whose keys no browser may hold."""
    paths = {
        path: item
        for path, item in schema["paths"].items()
        if not path.startswith("/api/operator/")
    }
    schemas = schema["components"]["schemas"]
    used: set[str] = set()
    found = named_in(paths)
    while found := found - used:
        used |= found
        found = named_in([schemas[name] for name in found])
    kept = {name: schemas[name] for name in used}
    components = {**schema["components"], "schemas": kept}
    return {**schema, "paths": paths, "components": components}


def named_in(part: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(part)))


def files(schema: dict[str, Any]) -> dict[str, str]:
    schema = of_frontends(schema)
    return {
        "index.js": index_js(),
        "client.js": client_js(schema),
        "client.d.ts": client_d_ts(schema),
    }


if __name__ == "__main__":
    given = sys.argv[1:]
    schema = (
        json.loads(Path(given[0]).read_text()) if given else described_by_the_portal()
    )
    for name, text in files(schema).items():
        (PACKAGE / name).write_text(text, "utf-8")
