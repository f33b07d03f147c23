"""Refusals a caller can act on. The API turns each into its status code."""

from __future__ import annotations


class AffiliatesError(Exception):
    """Something was asked that cannot be done; nothing was written.

    ``code`` is stable and machine-readable, ``detail`` says what to do,
    ``field`` names the input at fault or is None.
    """

    def __init__(self, code: str, detail: str, *, field: str | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.field = field


class InvalidInput(AffiliatesError):
    """The input cannot be used as it is (400)."""


class NotAllowed(AffiliatesError):
    """The caller is known, but may not do this (403)."""


class NotFound(AffiliatesError):
    """Absent, or somebody else's: the answer is the same (404)."""

    def __init__(self, code: str = "not_found", detail: str = "Not found.") -> None:
        super().__init__(code, detail)


class StateConflict(AffiliatesError):
    """The thing is no longer in a state that allows this (409)."""


def required_text(text: str, *, field: str, most: int) -> str:
    """What a person wrote, without blanks around it.

    Raises InvalidInput where it is empty or longer than ``most`` characters.
    """
    text = text.strip()
    if not text:
        raise InvalidInput("required", f"Give a {field}.", field=field)
    if len(text) > most:
        raise InvalidInput(
            "max_length", f"At most {most} characters are kept.", field=field
        )
    return text
