"""Stacks of faults in logs."""

from __future__ import annotations

import re

from affiliates.telemetry.stacks import stack_of

TEXT = "ada@example.com"


def _types(stack: str) -> list[str]:
    return re.findall(r"^\w+$", stack, re.MULTILINE)


def _caught(fail) -> BaseException:
    try:
        fail()
    except RuntimeError as fault:
        return fault
    raise AssertionError


def test_it_has_types_and_frames_and_no_text():
    def fail():
        raise RuntimeError(TEXT)

    stack = stack_of(_caught(fail))

    assert _types(stack) == ["RuntimeError"]
    assert "in fail" in stack
    assert TEXT not in stack


def test_the_first_cause_comes_first():
    def fail():
        try:
            raise KeyError(TEXT)
        except KeyError as error:
            raise RuntimeError(TEXT) from error

    assert _types(stack_of(_caught(fail))) == ["KeyError", "RuntimeError"]


def test_so_does_the_fault_that_it_was_raised_during():
    def fail():
        try:
            raise KeyError(TEXT)
        except KeyError:
            raise RuntimeError(TEXT)  # noqa: B904 - as where nobody thought of it

    assert _types(stack_of(_caught(fail))) == ["KeyError", "RuntimeError"]


def test_a_fault_that_was_suppressed_is_left_out():
    def fail():
        try:
            raise KeyError(TEXT)
        except KeyError:
            raise RuntimeError(TEXT) from None

    assert _types(stack_of(_caught(fail))) == ["RuntimeError"]
