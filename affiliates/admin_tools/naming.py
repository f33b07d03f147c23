"""The names of a model's admin pages and permissions, by its own name alone.

Our apps have no two models of one name; the label of the app stands in front of both.
"""

from __future__ import annotations

from functools import cache

from affiliates.hooks import own_apps


@cache
def labels() -> dict[str, str]:
    """The label of each model's app, by the model's name in lower case."""
    return {name: config.label for config in own_apps() for name in config.models}


def page_name(model: str, page: str, *, site: str = "admin") -> str:
    """For ``reverse``: ``change``, ``changelist`` and the like."""
    return f"{site}:{labels()[model]}_{model}_{page}"


def permission_to(verb: str, model: str) -> str:
    return f"{labels()[model]}.{verb}_{model}"
