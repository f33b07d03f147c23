"""Goes through the year of the demonstration, week by week."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import connection, transaction

from affiliates.brands.models.brand import Brand
from affiliates.commissions.services.maturing import mature_all
from affiliates.contrib.statistics.models import StatisticsState
from affiliates.privacy.retention.emptying import empty_visitors
from affiliates.program.models import AffiliateLink
from portal.billing.models import Invoice
from portal.billing.renewal_rules import add_months
from portal.demo.program import COUPON_CODE
from portal.demo.seeding.writing import fast_writes
from portal.demo.year.clicks import make_patterns, visits_of_day, write_visits
from portal.demo.year.clock import StoryClock, ids_of
from portal.demo.year.copying import Copier
from portal.demo.year.counting import count_year
from portal.demo.year.ordering import THROWAWAY, Orders
from portal.demo.year.people import SENDERS
from portal.demo.year.program import COUPONS, TRIAL_CODE, Program, extend_program, join
from portal.demo.year.staff import WHOLE, Staff
from portal.demo.year.stories import DOLLARS, renew, tell_stories
from portal.demo.year.today import end_services, fill_queues, finish_outboxes
from portal.demo.year.traffic import DAYS, amounts
from portal.orders.catalogue import Product

SEED = 2026
CLICKS, ORDERS = 29_000, 860
WEEK = 7
WEEKS = DAYS // WEEK
# Without it SQLite looks for a visitor's clicks among all clicks of the brand.
ANALYSED_WEEK = 3
# Whether the claim of the week is granted.
CLAIMED_WEEKS = {18: True, 29: False}
# A client who pays monthly, and gets a part of the first renewal back.
STORY_SKUS = ("business-monthly",)
STORY_ORDERED_WEEK, STORY_REFUNDED_WEEK, STORY_REFUNDED = 41, 46, 40
STORY_RENEWED_WEEKS = {45: 1, 50: 2}
# Paid out, then taken back by a refund of its order.
DEBT_OF, DEBT_SKUS = "foto-elena", ("agency-annually", "business-annually")
DEBT_PAID_WEEK, DEBT_REFUNDED_WEEK = 47, 48
# Every three months, and monthly at last: on any day of a month one was in the last.
PAID_WEEKS = (11, 24, 37, 43, 47, 51)

Say = Callable[[str], None]


def began_at(now: datetime) -> datetime:
    """The first morning of the year that ends now."""
    return (now - timedelta(days=DAYS)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )


def has_year() -> bool:
    """Raises ValidationError if the seeding of a year was interrupted."""
    begun = Product.objects.filter(sku__in=DOLLARS).values("brand")
    if not begun:
        return False
    # The last step counts the days.
    if StatisticsState.objects.filter(brand__in=begun).exists():
        return True
    raise ValidationError(f"The year was not finished. {_start_again()}")


def require_empty() -> None:
    """Raises ValidationError: brands have policies and plans only since they exist."""
    if Brand.objects.exists():
        raise ValidationError(f"The year needs an empty database. {_start_again()}")


def _start_again() -> str:
    name = connection.settings_dict["NAME"]
    return f"Delete {name} or name another database in DATABASE_URL, and start again."


def seed_year(brand_id: int, *, now: datetime, say: Say) -> None:
    """Twelve months for a brand that is as old; its statistics are counted too.

    ``say`` is told of each month that begins.
    """
    first = began_at(now)
    brand = Brand.objects.get(pk=brand_id)
    clock = StoryClock(now=first, dice=random.Random(SEED))  # noqa: S311 - the same each time
    with ids_of(clock), _without_collector(), fast_writes():
        with transaction.atomic():
            year = _Year(extend_program(brand, began_at=first), clock, now)
        year.tell(say)
        say("Statistics")
        with transaction.atomic():
            end_services(brand, now)
            finish_outboxes(now)
        # The worker would begin with it, and then count again what it touched.
        empty_visitors(now=now)
        count_year(brand, now=now)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Millions of short-lived rows make it run all the time, for a tenth of the work."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Year:
    def __init__(self, program: Program, clock: StoryClock, now: datetime) -> None:
        self._program, self._clock, self._now = program, clock, now
        self._first = clock.now
        dice = clock.dice
        self._clicks = amounts(self._first.date(), CLICKS, dice)
        self._orders = amounts(self._first.date(), ORDERS, dice)
        self._copier = Copier(program, tell_stories(program, clock))
        self._staff = Staff(program, clock)
        self._ordering = Orders(
            program=program,
            clock=clock,
            links={},
            first_day=self._first.date(),
            until=now,
        )
        self._renewals: list[Invoice] = []
        [link] = AffiliateLink.objects.filter(affiliate__brand=program.brand)
        self._patterns = make_patterns(program, link, clock)

    def tell(self, say: Say) -> None:
        month = ""
        for week in range(WEEKS):
            self._at(week * WEEK)
            if month != (month := f"{self._clock.now:%B %Y}"):
                say(f"{month}, {100 * week // WEEKS} %")
            with transaction.atomic():
                self._week(week)
            # Account credit is added in a transaction that nothing may be around.
            self._at((week + 1) * WEEK - 1, hour=12)
            self._work(week)
            if week == ANALYSED_WEEK:
                with connection.cursor() as cursor:
                    cursor.execute("ANALYZE")
        self._at(DAYS - 1, hour=1)
        with transaction.atomic():
            fill_queues(self._program, self._staff, self._ordering)
        Product.objects.filter(sku__in=DOLLARS).update(is_active=False)

    def _week(self, week: int) -> None:
        clicks, copies = [], []
        for number in range(week * WEEK, (week + 1) * WEEK):
            self._at(number)
            self._join(number)
            copies += self._ordering.of_day(number, self._orders[number])
            clicks += visits_of_day(
                number,
                self._clicks[number],
                links=self._ordering.links,
                patterns=self._patterns,
                clock=self._clock,
            )
        write_visits(clicks)
        self._copier.write(copies)
        self._tell_some(week)
        self._at((week + 1) * WEEK - 2, hour=23)
        mature_all(now=lambda: self._clock.now)

    def _at(self, number: int, *, hour: int = 0) -> None:
        self._clock.now = self._first + timedelta(days=number, hours=hour)

    def _join(self, number: int) -> None:
        for sender in SENDERS:
            if DAYS - sender.since == number:
                affiliate = join(self._program, sender, now=self._clock.now)
                self._ordering.links[sender.code] = [*affiliate.links.all()]

    def _tell_some(self, week: int) -> None:
        """Orders with something to them: coupons, nobody's, a repeated client."""
        tell = self._ordering.tell
        self._at(week * WEEK + 3)
        if week % 4 == 0:
            self._tell_coupon(week)
        if week % 5 == 1:
            tell(None)
        if week % 6 == 2:
            tell(SENDERS[1], host=THROWAWAY)
        if week % 13 == 5:
            tell(SENDERS[1], client=self._ordering.told[-1].client)
        if week == 30:
            tell(SENDERS[0], coupon=TRIAL_CODE, skus=STORY_SKUS)
            tell(SENDERS[0], skus=DOLLARS)
        if week == DEBT_PAID_WEEK:
            [debtor] = [sender for sender in SENDERS if sender.code == DEBT_OF]
            self._refunded = tell(debtor, skus=DEBT_SKUS)
        self._tell_monthly(week)

    def _tell_coupon(self, week: int) -> None:
        """Three orders of four come by a link of another affiliate than the coupon's."""
        coupons = [
            (COUPON_CODE, SENDERS[0].code),
            *(
                (code, owner)
                for code, owner, _ in COUPONS
                if owner in self._program.affiliates
            ),
        ]
        turn = week // 4
        code, owner = coupons[turn % len(coupons)]
        rival = self._ordering.draw_rival(owner, week * WEEK + 3) if turn % 4 else None
        self._ordering.tell(rival, coupon=code)

    def _tell_monthly(self, week: int) -> None:
        if week == STORY_ORDERED_WEEK:
            self._monthly = self._ordering.tell(SENDERS[1], skus=STORY_SKUS)
        if months := STORY_RENEWED_WEEKS.get(week):
            due_at = add_months(self._monthly.created_at, months)
            self._clock.now = due_at + timedelta(hours=1)
            self._renewals.append(renew(self._monthly, self._clock))
        if week == STORY_REFUNDED_WEEK:
            self._at(week * WEEK + 2, hour=9)
            self._staff.give_back(self._renewals[0], STORY_REFUNDED)

    def _work(self, week: int) -> None:
        staff = self._staff
        if week == DEBT_REFUNDED_WEEK:
            staff.give_back(self._refunded, WHOLE)
        staff.refund(week)
        staff.judge_reviews()
        if week in PAID_WEEKS:
            is_last = week == PAID_WEEKS[-1]
            if not is_last:
                staff.approve_matured()
            staff.pay(is_open=is_last)
        if (is_granted := CLAIMED_WEEKS.get(week)) is not None:
            claimed = self._ordering.tell(None)
            staff.hear_claim("compare-hosts", claimed, is_granted=is_granted)
        if week == 41:
            own = self._ordering.tell(SENDERS[1])
            staff.claim("compare-hosts", str(own.order_id), "I do not see this one.")
        if week == 22:
            staff.reward("pixelwerk", 5000, "Spoke at our agency day.")
        if week == 31:
            staff.reward("stadtverein", 6000, "Winner of the summer draw.")
        if week == 33:
            staff.reward("webtipps", -1200, "Paid twice in spring.")
        if week == 42:
            staff.suspend("hostvergleich")
