"""Refusals a caller can act on. The API turns each into its status code."""

from __future__ import annotations


class AffiliatesError(Exception):
    """A request that cannot be fulfilled; nothing was written.

    ``code`` is stable and machine-readable, ``detail`` says what to do,
    ``field`` names the invalid input or is None.
    """

    def __init__(self, code: str, detail: str, *, field: str | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.field = field


class InvalidInput(AffiliatesError):
    """The input cannot be used as it is (400)."""


class NotAllowed(AffiliatesError):
    """The caller is known, but not permitted to do this (403)."""


class NotFound(AffiliatesError):
    """Absent, or another user's: the answer is the same (404)."""

    def __init__(self, code: str = "not_found", detail: str = "Not found.") -> None:
        super().__init__(code, detail)


class StateConflict(AffiliatesError):
    """The object is no longer in a state that allows this (409)."""


class RequestInProgress(StateConflict):
    """The same request is being answered at this moment: send it again (409)."""


class KeyReused(AffiliatesError):
    """An Idempotency-Key that came with another request before (422)."""


def required_text(text: str, *, field: str, most: int) -> str:
    """A person's text, stripped of surrounding whitespace.

    Raises InvalidInput if it is empty or longer than ``most`` characters.
    """
    text = limited_text(text, field=field, most=most)
    if not text:
        raise InvalidInput("required", f"Give a {field}.", field=field)
    return text


def limited_text(text: str, *, field: str, most: int) -> str:
    """Like ``required_text``, but it may be empty."""
    text = text.strip()
    if len(text) > most:
        raise InvalidInput(
            "max_length", f"At most {most} characters are kept.", field=field
        )
    return text
