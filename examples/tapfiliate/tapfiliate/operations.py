"""The requests to Tapfiliate about a click, a sale, a lead and a refund."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from urllib.parse import quote

from affiliates.extending.providers import (
    IDENTIFIER,
    CallOutcome,
    ConversionFacts,
    Facts,
    LookupFacts,
    Operation,
    OutcomeKind,
    ProbeFacts,
    ProviderSettings,
    Response,
    ReversalFacts,
    Run,
    Unsupported,
    VisitFacts,
    broken,
    json_text,
    judge_status,
    read_json,
    rejected,
)
from tapfiliate.wire import (
    COMMISSION_TYPE,
    CONVERSIONS,
    CURRENCY,
    CUSTOMERS,
    PROGRAM,
    amount_of,
    call,
    conversion,
    find,
    find_conversion,
    id_of,
    not_found,
    remote_sale,
)


def perform(facts: Facts, visitor_id: str, settings: ProviderSettings) -> Run:
    match facts:
        case VisitFacts():
            return _send_click(facts, settings)
        case ConversionFacts(kind=Operation.LEAD):
            return _send_lead(facts, visitor_id, settings)
        case ConversionFacts():
            return _send_sale(facts, visitor_id, settings)
        case ReversalFacts(amount=None):
            return _take_back(facts, settings)
        case ReversalFacts():
            return _lower(facts, settings)
        case LookupFacts():
            return _look_up(facts, settings)
        case ProbeFacts():
            return _probe(settings)
    raise Unsupported


def _send_click(facts: VisitFacts, settings: ProviderSettings) -> Run:
    page = f"{facts.page}?{facts.query}" if facts.query else facts.page
    body = {
        "referral_code": facts.affiliate,
        "landing_page": page,
        "referrer": facts.referrer,
        "ip": facts.ip,
        "user_agent": facts.user_agent,
    }
    response = yield call("POST", "/clicks/", settings, body=body)
    # A missing page means a wrong address; a message means an unknown referral code,
    # which any visitor can make up.
    if response.status == 404 and json_text(read_json(response), "message"):
        return CallOutcome(
            OutcomeKind.NOT_FOUND,
            "Tapfiliate knows no affiliate by the link's referral code.",
        )
    if outcome := judge_status(Operation.CLICK, response):
        return outcome
    identifier = json_text(read_json(response), "id")
    if not IDENTIFIER.fullmatch(identifier):
        return broken("The answer to a click has no id: check the tracking address.")
    return CallOutcome(OutcomeKind.OK, visitor_id=identifier, remote_ref=identifier)


def _send_sale(
    facts: ConversionFacts, click_id: str, settings: ProviderSettings
) -> Run:
    expected = settings.text(CURRENCY)
    if facts.currency != expected:
        return rejected(
            f"The amount is in {facts.currency}; the program's currency is {expected}."
        )
    body = {
        "program_id": settings.text(PROGRAM),
        "external_id": facts.order_ref,
        "click_id": click_id,
        "amount": float(facts.amount or 0),
        "commission_type": settings.text(COMMISSION_TYPE),
    }
    return (
        yield from _create(CONVERSIONS, "external_id", body, Operation.SALE, settings)
    )


def _send_lead(
    facts: ConversionFacts, click_id: str, settings: ProviderSettings
) -> Run:
    body = {"customer_id": facts.customer_ref, "click_id": click_id}
    return _create(CUSTOMERS, "customer_id", body, Operation.LEAD, settings)


def _create(
    path: str,
    reference: str,
    body: Mapping[str, object],
    operation: Operation,
    settings: ProviderSettings,
) -> Run:
    if not body["click_id"]:
        return rejected("Tapfiliate never gave this visitor's click an id.")
    response = yield call("POST", path, settings, body=body)
    if response.status == 422:
        return (yield from _explain_refusal(path, reference, body, settings))
    if refusal := judge_status(operation, response):
        return refusal
    return _made(response, "taken")


def _made(response: Response, done: str) -> CallOutcome:
    identifier = id_of(read_json(response))
    if not identifier:
        return CallOutcome(
            OutcomeKind.AMBIGUOUS,
            f"The answer has no id: nobody can say whether it was {done}.",
        )
    return CallOutcome(OutcomeKind.OK, remote_ref=identifier)


def _explain_refusal(
    path: str, reference: str, body: Mapping[str, object], settings: ProviderSettings
) -> Run:
    """Tells a repeat from a mistake by Tapfiliate's data: both get the same refusal."""
    held = yield from find(path, reference, str(body[reference]), settings)
    if isinstance(held, CallOutcome):
        return held
    if held:
        return CallOutcome(
            OutcomeKind.DUPLICATE,
            "Tapfiliate has it already.",
            remote_ref=id_of(held[0]),
        )
    return rejected("Tapfiliate refused it: check program, commission type and click.")


def _take_back(facts: ReversalFacts, settings: ProviderSettings) -> Run:
    remote_ref = facts.remote_ref
    if not remote_ref:
        held = yield from find_conversion(facts.order_ref, "", settings)
        if isinstance(held, CallOutcome):
            return held
        if not held:
            return not_found(facts.order_ref)
        remote_ref = id_of(held[0])
    response = yield call("DELETE", conversion(remote_ref), settings)
    document = read_json(response)
    # It existed when sent or a moment ago, so somebody has reversed it already.
    is_gone = response.status == 404 and json_text(document, "message") != ""
    if is_gone:
        return CallOutcome(
            OutcomeKind.DUPLICATE, "The conversion is not there any more."
        )
    if outcome := judge_status(Operation.REVERSAL, response):
        return outcome
    if response.body.strip() and document is None:
        return broken("The answer is not Tapfiliate's: check the tracking address.")
    return CallOutcome(OutcomeKind.OK, remote_ref=remote_ref)


def _lower(facts: ReversalFacts, settings: ProviderSettings) -> Run:
    held = yield from find_conversion(facts.order_ref, facts.remote_ref, settings)
    if isinstance(held, CallOutcome):
        return held
    if not held:
        return not_found(facts.order_ref)
    amount = amount_of(held[0])
    if (
        amount is None
        or facts.amount is None
        or facts.currency != settings.text(CURRENCY)
    ):
        return rejected(
            "The amount cannot be lowered by machine: lower the conversion of "
            f"{facts.order_ref} by {facts.amount} {facts.currency} in Tapfiliate."
        )
    remote_ref = id_of(held[0])
    left = max(amount - facts.amount, Decimal(0))
    response = yield call(
        "PATCH",
        f"{conversion(remote_ref)}?recalculate_commissions=true",
        settings,
        body={"amount": float(left)},
    )
    if outcome := judge_status(Operation.REVERSAL, response, is_partial=True):
        return outcome
    return _made(response, "lowered")


def _look_up(facts: LookupFacts, settings: ProviderSettings) -> Run:
    held = yield from find_conversion(facts.order_ref, facts.remote_ref, settings)
    if isinstance(held, CallOutcome):
        return held
    if not held:
        return not_found(facts.order_ref)
    sales = tuple(remote_sale(conversion, settings) for conversion in held)
    return CallOutcome(OutcomeKind.OK, sales=sales, remote_ref=sales[0].remote_ref)


def _probe(settings: ProviderSettings) -> Run:
    path = f"/programs/{quote(settings.text(PROGRAM), safe='')}/"
    response = yield call("GET", path, settings)
    document = read_json(response)
    if response.status == 404 and json_text(document, "message"):
        return broken("Tapfiliate has no program with this id.")
    if response.status == 401:
        return broken("Tapfiliate does not accept the API key.")
    if outcome := judge_status(Operation.PROBE, response):
        return outcome
    if not id_of(document):
        return broken("The answer is not Tapfiliate's: check the tracking address.")
    return CallOutcome(
        OutcomeKind.OK,
        "Tapfiliate accepts the key and knows the program. Nothing was reported.",
    )
