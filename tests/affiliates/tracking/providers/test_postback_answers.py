"""What an answer means, by texts and JSON fields."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affiliates.outbox.http.types import Response
from affiliates.outbox.types import Operation, OutcomeKind
from affiliates.tracking.providers.answers import (
    AnswerRules,
    Mark,
    MarkFault,
    check_identifier_place,
    json_text,
    judge,
    parse_marks,
    read_json,
)
from tests.affiliates.tracking.providers.conversation import answer

RULES = AnswerRules(
    success=parse_marks("success=true\njson:status=1"),
    duplicate=parse_marks("Duplicate conversion"),
    refused=parse_marks("success=false\njson:status=2"),
    identifier="json:data.id",
)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("success=true;", OutcomeKind.OK),
        ("SUCCESS=TRUE", OutcomeKind.OK),
        ('{"status": 1}', OutcomeKind.OK),
        ('{"status": "1"}', OutcomeKind.OK),
        ("success=false; err_msg=Duplicate conversion", OutcomeKind.DUPLICATE),
        ("success=false; err_msg=No such offer", OutcomeKind.REJECTED),
        ('{"status": 2, "message": "no"}', OutcomeKind.REJECTED),
        ('{"status": true}', OutcomeKind.AMBIGUOUS),
        ('{"status": [1]}', OutcomeKind.AMBIGUOUS),
        ("", OutcomeKind.AMBIGUOUS),
        ("<html>Please log in</html>", OutcomeKind.AMBIGUOUS),
    ],
)
def test_answer_to_a_sale_is_judged_by_its_signs(body, kind):
    assert judge(Operation.SALE, answer(body), RULES).kind is kind


@pytest.mark.parametrize(
    ("operation", "is_partial", "kind"),
    [
        (Operation.CLICK, False, OutcomeKind.REJECTED),
        (Operation.REVERSAL, False, OutcomeKind.REJECTED),
        (Operation.REVERSAL, True, OutcomeKind.AMBIGUOUS),
        (Operation.LEAD, False, OutcomeKind.AMBIGUOUS),
    ],
)
def test_answer_that_tells_nothing_is_final_only_where_nothing_can_count_twice(
    operation, is_partial, kind
):
    outcome = judge(operation, answer("eh?"), RULES, is_partial=is_partial)

    assert outcome.kind is kind
    assert "eh?" not in outcome.detail


@pytest.mark.parametrize("operation", [Operation.CLICK, Operation.REVERSAL])
@pytest.mark.parametrize("answers", [RULES, AnswerRules()])
def test_page_tells_of_a_wrong_address(operation, answers):
    assert judge(operation, answer("<html>Log in"), answers).kind is OutcomeKind.CONFIG


@pytest.mark.parametrize(
    ("operation", "body", "kind"),
    [
        (Operation.CLICK, '{"error": "no such affiliate"}', OutcomeKind.NOT_FOUND),
        (Operation.REVERSAL, '{"error": "no such order"}', OutcomeKind.NOT_FOUND),
        (Operation.SALE, '{"error": "no such offer"}', OutcomeKind.CONFIG),
        (Operation.CLICK, "<html>Not found", OutcomeKind.CONFIG),
        (Operation.CLICK, "", OutcomeKind.CONFIG),
    ],
)
def test_unknown_affiliate_is_told_from_a_wrong_address(operation, body, kind):
    outcome = judge(operation, answer(body, status=404), RULES)

    assert outcome.kind is kind
    assert "no such" not in outcome.detail


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("", OutcomeKind.OK),
        ("anything", OutcomeKind.OK),
        (b"GIF89a\x01\x00\xff", OutcomeKind.OK),
        ("\n <!DOCTYPE html><title>Log in", OutcomeKind.AMBIGUOUS),
        ("\ufeff<HTML>", OutcomeKind.AMBIGUOUS),
    ],
)
def test_without_a_rule_every_answer_but_a_page_is_success(body, kind):
    assert judge(Operation.SALE, answer(body), AnswerRules()).kind is kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, OutcomeKind.CONFIG),
        (400, OutcomeKind.REJECTED),
        (401, OutcomeKind.CONFIG),
        (404, OutcomeKind.CONFIG),
        (429, OutcomeKind.RETRY),
        (500, OutcomeKind.AMBIGUOUS),
        (503, OutcomeKind.RETRY),
    ],
)
def test_status_goes_before_success(status, kind):
    response = answer("success=true", status=status)

    assert judge(Operation.SALE, response, RULES).kind is kind


def test_duplicate_is_also_told_by_a_refusing_status():
    response = answer("duplicate conversion", status=409)

    assert judge(Operation.SALE, response, RULES).kind is OutcomeKind.DUPLICATE


def test_failing_server_is_not_believed_about_duplicates():
    response = answer("duplicate conversion", status=500)

    assert judge(Operation.SALE, response, RULES).kind is OutcomeKind.AMBIGUOUS


@pytest.mark.parametrize(
    ("_case", "place", "body", "expected"),
    [
        ("nested field", "json:data.id", '{"data": {"id": "abc-1"}}', "abc-1"),
        ("number", "json:data.id", '{"data": {"id": 17}}', "17"),
        ("list", "json:0.id", '[{"id": "x"}]', "x"),
        ("whole body", "body", " abc~1 \n", "abc~1"),
        ("missing", "json:data.id", '{"data": {}}', None),
        ("empty", "body", "", None),
        ("blank inside", "body", "a b", None),
        ("too long", "body", "a" * 129, None),
        ("an object", "json:data", '{"data": {"id": 1}}', None),
        ("not JSON", "json:id", "id=5", None),
    ],
)
def test_identifier_is_taken_from_the_answer_to_a_click(_case, place, body, expected):
    outcome = judge(Operation.CLICK, answer(body), AnswerRules(identifier=place))

    if expected is None:
        assert outcome.kind is OutcomeKind.REJECTED
        assert outcome.visitor_id == ""
    else:
        assert outcome.kind is OutcomeKind.OK
        assert outcome.visitor_id == expected


def test_signs_are_one_a_line():
    assert parse_marks(" ok \n\njson:a.0.b = x=y ") == (
        Mark(text="ok"),
        Mark(path="a.0.b", text="x=y"),
    )


@pytest.mark.parametrize(
    "text",
    ["json:status", "json:=1", "json:a b=1", "json:status=", "x" * 201, "x\n" * 11],
)
def test_sign_that_tells_nothing_is_refused(text):
    with pytest.raises(MarkFault):
        parse_marks(text)


@pytest.mark.parametrize("place", ["id", "json:", "json:a..b", "json:a b", "Body"])
def test_place_without_an_identifier_is_refused(place):
    with pytest.raises(MarkFault):
        check_identifier_place(place)


@pytest.mark.parametrize("body", ["[" * 60_000, "9" * 60_000, "\x00", "{", b"\xff\xfe"])
def test_hostile_json_is_no_json(body):
    assert read_json(answer(body)) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.binary() | _JSON.map(lambda value: json.dumps(value).encode()))
def test_any_body_has_an_outcome(body):
    for status in (200, 204, 404, 422, 500):
        for operation in Operation:
            response = Response(status=status, headers={}, body=body)
            assert judge(operation, response, RULES).kind in OutcomeKind


@given(_JSON, st.sampled_from(["a", "0", "a.0.b", "-1", "id.9999"]))
def test_field_of_any_document_is_text(document, path):
    assert isinstance(json_text(document, path), str)
