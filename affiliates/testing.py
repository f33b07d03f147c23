"""What every payout provider that is called must bear: for the tests of its author.

Subclass ``SenderTests`` in a test module, with a fake of the provider that answers calls
in memory. pytest runs its tests beside your own; they need no database.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, ClassVar

from affiliates.extending.providers import (
    Batch,
    BatchAnswer,
    Call,
    CallFailed,
    FailureKind,
    ItemState,
    OutcomeKind,
    PayoutSender,
    ProviderSettings,
    Response,
    Transfer,
)
from affiliates.outbox.sending.exchange import drive

REFERENCE = "BATCH-1-20260301120000"
SURE = frozenset({OutcomeKind.RETRY, OutcomeKind.BUSY, OutcomeKind.CONFIG})
NOT_PAID = frozenset({ItemState.FAILED, ItemState.RETURNED})


class SenderTests:
    """``transfers`` are payouts that the fake pays.

    ``begin`` makes a new fake, ``answer`` gives its answer to a call, and ``taken`` the
    number of batches with payouts that it has taken.
    """

    sender: ClassVar[PayoutSender]
    settings: ClassVar[ProviderSettings]
    transfers: ClassVar[tuple[Transfer, ...]]

    def begin(self) -> None:
        raise NotImplementedError

    def answer(self, call: Call) -> Response:
        raise NotImplementedError

    def taken(self) -> int:
        raise NotImplementedError

    def setup_method(self) -> None:
        self.begin()

    def test_sends_a_batch_once_by_its_reference(self) -> None:
        first, again = self._send(), self._send()

        assert first.kind is again.kind is OutcomeKind.OK
        assert "" not in (first.remote_id, again.remote_id)
        self._all_is_taken_once(again.remote_id)

    def test_looks_up_each_payout_with_its_amount(self) -> None:
        remote_id = self._send().remote_id

        self._all_is_taken_once(remote_id)
        self._all_is_taken_once(remote_id)

    def test_no_lost_call_of_sending_pays_twice(self) -> None:
        """Each call in turn is lost before and after the provider has processed it."""
        for position, is_processed in product(self._positions(), (False, True)):
            self.begin()
            lost = self._send(self._losing(position, is_processed=is_processed))
            assert lost.kind is OutcomeKind.AMBIGUOUS or self.taken() == 0
            self._all_is_taken_once(self._send().remote_id)

    def test_no_lost_call_of_looking_up_pays_twice(self) -> None:
        """Each call in turn is lost before and after, or answered by an error."""
        for position in self._positions(is_looked_up=True):
            for broken in (
                self._losing(position, is_processed=False),
                self._losing(position, is_processed=True),
                self._failing(position),
            ):
                self.begin()
                remote_id = self._send().remote_id
                answer = self._look_up(remote_id, broken)
                assert not [one for one in answer.items if one.state in NOT_PAID]
                self._all_is_taken_once(remote_id)

    def test_no_error_of_the_provider_is_a_refusal(self) -> None:
        """Each call in turn is processed, and answered by an error all the same."""
        for position in self._positions():
            self.begin()
            failed = self._send(self._failing(position))
            assert failed.kind is OutcomeKind.AMBIGUOUS or self.taken() == 0
            self._all_is_taken_once(self._send().remote_id)

    def test_a_call_that_is_certainly_not_taken_is_no_ambiguity(self) -> None:
        lost = self._losing(0, is_processed=False, kind=FailureKind.NOT_SENT)

        assert self._send(lost).kind in SURE
        assert self.taken() == 0

    def test_no_call_shows_a_secret_outside_of_its_secrets(self) -> None:
        calls: list[Call] = []

        def send(call: Call) -> Response:
            calls.append(call)
            return self.answer(call)

        self._look_up(self._send(send).remote_id, send)
        for secret in filter(None, self.settings.secrets.values()):
            for call in calls:
                text = f"{call.url}{call.headers}{call.body!r}"
                assert secret not in text or secret in call.secrets

    def _all_is_taken_once(self, remote_id: str) -> None:
        """A look-up states each payout with its amount."""
        answer = self._look_up(remote_id)
        stated = {(one.reference, one.amount, one.currency) for one in answer.items}
        assert (answer.kind, answer.remote_id) == (OutcomeKind.OK, remote_id)
        assert stated == {
            (one.reference, one.amount, one.currency) for one in self.transfers
        }
        assert self.taken() == 1

    def _batch(self, remote_id: str = "") -> Batch:
        return Batch(
            reference=REFERENCE,
            currency=self.transfers[0].currency,
            transfers=self.transfers,
            remote_id=remote_id,
        )

    def _send(self, send: Callable[[Call], Response] | None = None) -> BatchAnswer:
        return self._converse(self.sender.send, self._batch(), send)

    def _look_up(
        self, remote_id: str, send: Callable[[Call], Response] | None = None
    ) -> BatchAnswer:
        return self._converse(self.sender.look_up, self._batch(remote_id), send)

    def _converse(
        self,
        run: Callable[..., Any],
        batch: Batch,
        send: Callable[[Call], Response] | None,
    ) -> BatchAnswer:
        try:
            answer: BatchAnswer = drive(run(batch, self.settings), send or self.answer)
        except CallFailed as failure:
            is_sent = failure.kind is FailureKind.NO_ANSWER
            kind = OutcomeKind.AMBIGUOUS if is_sent else OutcomeKind.RETRY
            return BatchAnswer(kind=kind, detail=failure.detail)
        return answer

    def _positions(self, *, is_looked_up: bool = False) -> range:
        """Of the calls of a whole conversation: that of sending, or of looking up."""
        self.begin()
        remote_id = self._send().remote_id if is_looked_up else ""
        calls: list[Call] = []

        def send(call: Call) -> Response:
            calls.append(call)
            return self.answer(call)

        if is_looked_up:
            self._look_up(remote_id, send)
        else:
            self._send(send)
        return range(len(calls))

    def _failing(self, position: int) -> Callable[[Call], Response]:
        left = position

        def send(call: Call) -> Response:
            nonlocal left
            left -= 1
            answer = self.answer(call)
            return Response(status=503, headers={}, body=b"") if left == -1 else answer

        return send

    def _losing(
        self,
        position: int,
        *,
        is_processed: bool,
        kind: FailureKind = FailureKind.NO_ANSWER,
    ) -> Callable[[Call], Response]:
        left = position

        def send(call: Call) -> Response:
            nonlocal left
            left -= 1
            if left >= 0 or left < -1:
                return self.answer(call)
            if is_processed:
                self.answer(call)
            raise CallFailed(kind, "Lost.")

        return send
