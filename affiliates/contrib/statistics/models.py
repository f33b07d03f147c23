"""Figures by day, and the state of counting."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.types import Dimension, Figures
from affiliates.db.records import Record
from affiliates.program.models import Affiliate

MAX_VALUE = 100


class DailyFigures(Record):
    """Figures of a brand's day: of all, of an affiliate, or of a part of these.

    ``value`` says which part: a link's id, a sub-id, a product. The columns after
    ``currency`` are those of Figures.
    """

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    day = models.DateField()
    dimension = models.CharField(max_length=10, choices=Dimension.choices)
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text="Empty: of all affiliates together.",
    )
    value = models.CharField(max_length=MAX_VALUE, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    clicks = models.IntegerField()
    human_clicks = models.IntegerField()
    unique_clicks = models.IntegerField()
    signups = models.IntegerField()
    orders = models.IntegerField()
    sales = models.IntegerField()
    reversals = models.IntegerField()
    revenue = models.BigIntegerField()
    reversed_revenue = models.BigIntegerField()
    pending = models.BigIntegerField()
    matured = models.BigIntegerField()
    held = models.BigIntegerField()
    approved = models.BigIntegerField()
    paid = models.BigIntegerField()
    rejected = models.BigIntegerField()
    taken_back = models.BigIntegerField()
    discount = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "daily figures"
        indexes = [
            models.Index(fields=["brand", "day"], name="figures_of_day"),
            models.Index(
                fields=["brand", "dimension", "day"],
                condition=Q(affiliate__isnull=True)
                | Q(dimension__in=["affiliate", "link"]),
                name="figures_of_brand",
            ),
            models.Index(
                fields=["affiliate", "dimension", "day"],
                condition=Q(affiliate__isnull=False),
                name="figures_of_affiliate",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.dimension} {self.value}".rstrip()

    @property
    def figures(self) -> Figures:
        return Figures(*(getattr(self, name) for name in Figures._fields))


class CountedDay(Record):
    """A closed day of a brand. What is due is counted anew by the worker.

    ``is_frozen``: its clicks have been purged, so their figures stay as they are.
    """

    brand = models.ForeignKey(Brand, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    is_due = models.BooleanField(default=False)
    clicks_due = models.BooleanField(default=False)
    is_frozen = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["brand", "day"], name="day_is_counted_once")
        ]
        indexes = [
            models.Index(
                fields=["brand", "day"], condition=Q(is_due=True), name="day_due"
            )
        ]

    def __str__(self) -> str:
        return str(self.day)


class StatisticsState(Record):
    """How far a brand's days have been counted, and by which time zone.

    From ``open_from`` on days are read from the rows. ``clicks_seen``: the
    snapshot in which clicks were last looked at; PostgreSQL only.
    """

    brand = models.OneToOneField(
        Brand, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    time_zone = models.CharField(max_length=64)
    open_from = models.DateField()
    counted_at = models.DateTimeField()
    clicks_seen = models.TextField(default="")

    def __str__(self) -> str:
        return f"{self.brand_id} from {self.open_from}"


class StatisticsChange(Record):
    """A change of data of this time. Written by triggers, deleted by the worker.

    It is committed with what changed, so it is seen whenever that is.
    """

    brand_id = models.BigIntegerField()
    at = models.DateTimeField()
    of_clicks = models.BooleanField(db_default=False)

    def __str__(self) -> str:
        return f"{self.brand_id} {self.at}"
