"""The software bill of materials: CycloneDX 1.6, made from the lock of the portal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from supply.lock import Package

FORMAT = "1.6"


def bill(packages: Sequence[Package], *, version: str, made_at: int) -> dict[str, Any]:
    """The same for the same lock: it names no machine and no moment of its own."""
    product = _purl("affiliates", version)
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{FORMAT}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": FORMAT,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(made_at, UTC).isoformat(),
            "component": {
                "type": "library",
                "bom-ref": product,
                "name": "affiliates",
                "version": version,
                "purl": product,
            },
        },
        "components": [_component(package) for package in packages],
        "dependencies": [
            {
                "ref": product,
                "dependsOn": [_purl(one.name, one.version) for one in packages],
            }
        ],
    }


def _component(package: Package) -> dict[str, Any]:
    purl = _purl(package.name, package.version)
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "purl": purl,
        # One for each file of the version, of which a machine installs one.
        "externalReferences": [
            {
                "type": "distribution",
                "url": f"https://pypi.org/project/{package.name}/{package.version}/",
                "hashes": [
                    {"alg": "SHA-256", "content": digest} for digest in package.digests
                ],
            }
        ],
    }


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"
