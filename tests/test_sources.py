"""What neither our Python nor our pages may do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sorted(
    path
    for folder in ("affiliates", "portal")
    for path in ROOT.glob(f"{folder}/**/*.py")
)
PAGES = sorted(
    path
    for folder in ("affiliates", "portal", "templates")
    for path in ROOT.glob(f"{folder}/**/*.html")
    # Of the network that the demonstration plays, which is not ours.
    if "network" not in path.parts
)
SCRIPTS = sorted(
    path
    for folder in ("affiliates", "portal", "packages/referral")
    for path in ROOT.glob(f"{folder}/**/*.js")
    if "node_modules" not in path.parts
)
# They run text as code or as a command, or make any object of bytes.
DANGEROUS_CALLS = {"eval", "exec", "compile", "__import__"}
DANGEROUS_MODULES = {
    *("subprocess", "pty", "pickle", "shelve", "marshal", "yaml", "dill"),
    *("ldap", "ldap3", "lxml", "jinja2", "mako", "xml.dom", "xml.sax"),
}
DANGEROUS_OF_OS = {"system", "popen", "spawnl", "spawnv", "execv", "execl", "execvp"}
# Text as markup or code, messages of other windows, and a property whose name is data.
# What referral.js calls `history` and `commands` is named by lists of its own page.
OF_SCRIPTS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|"
    r"setTimeout\(\s*[\"'`]|addEventListener\(\s*[\"'](?:message|paste|copy)[\"']|"
    r"__proto__|setPrototypeOf|(?<!history)(?<!commands)\[[a-zA-Z_][\w.]*\]\s*=[^=]"
)
# What a link of another system was called by: an id, and nobody proves anything by it.
WEAK_HASH = re.compile(r"\bmd5\b|\bsha1\(|sha224", re.IGNORECASE)
NOT_FOR_SECURITY = "usedforsecurity=False"
UNESCAPED = re.compile(r"\|\s*safe\b|\bautoescape off\b|<script(?![^>]*\bsrc=)[^>]*>")
PLUGIN = re.compile(r"<(?:object|embed|applet)\b|<iframe\b(?![^>]* sandbox)")
INPUT = re.compile(r"<input\b[^>]*>")


def test_python_runs_no_text_and_no_other_program():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in PYTHON
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if _is_dangerous(node)
    ]

    assert len(PYTHON) > 500
    assert found == []


def _is_dangerous(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in DANGEROUS_CALLS
        case ast.Attribute(value=ast.Name(id="os"), attr=name):
            return name in DANGEROUS_OF_OS
        case ast.Import(names=names):
            return any(_is_of_dangerous(one.name) for one in names)
        case ast.ImportFrom(module=str(module)):
            return _is_of_dangerous(module)
    return False


def _is_of_dangerous(module: str) -> bool:
    return any(f"{module}.".startswith(f"{one}.") for one in DANGEROUS_MODULES)


def test_hashes_are_none_that_collide():
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in PYTHON
        for line in path.read_text("utf-8").splitlines()
        if WEAK_HASH.search(line) and NOT_FOR_SECURITY not in line
    ]

    assert found == []


@each("path", SCRIPTS)
def test_scripts_write_text_as_text_and_no_property_by_a_foreign_name(path):
    assert OF_SCRIPTS.findall(path.read_text("utf-8")) == []


@each("path", PAGES)
def test_pages_escape_all_embed_nothing_and_mask_passwords(path):
    text = path.read_text("utf-8")
    passwords = [one for one in INPUT.findall(text) if 'name="password' in one]

    assert (UNESCAPED.findall(text), PLUGIN.findall(text)) == ([], [])
    for one in passwords:
        assert 'type="password"' in one
        assert re.search(r'autocomplete="(?:new|current)-password"', one)
