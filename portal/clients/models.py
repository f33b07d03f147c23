"""Everybody with an account: clients and guests of a brand, and staff."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from moneyed import Money

from affiliates.contracts import CredentialsChange, CredentialsChanged
from affiliates.errors import NotAllowed
from affiliates.extending import Record, RecordManager
from affiliates.host_events import credentials_changed
from portal.clients.security_log import note_changed
from portal.ids import new_id
from portal.money import from_minor_units

MAX_EMAIL_LENGTH = 254
MAX_NAME_LENGTH = 100
MAX_REASON_LENGTH = 255
MAX_WALLET_REFERENCE_LENGTH = 100
CREDENTIALS = ("password", "email")
EMAIL_UNIQUE_PER_BRAND = "client_email_is_unique_per_brand"


class UserManager(RecordManager["User"], BaseUserManager["User"]):
    def with_email(self, email: str) -> models.QuerySet[User]:
        """Case-insensitive, in the words of the unique indexes."""
        return self.alias(lower_email=Lower("email")).filter(lower_email=email.lower())

    def get_by_natural_key(self, username: str | None) -> User:
        """Staff only: a client's e-mail is unique within its brand, no further."""
        return self.with_email(username or "").get(brand=None, is_staff=True)

    def create_superuser(
        self, email: str, password: str | None = None, **fields: Any
    ) -> User:
        """Creates ``manage.py createsuperuser``'s user. Raises ValidationError."""
        user = self.model(
            email=self.normalize_email(email),
            is_staff=True,
            is_superuser=True,
            **fields,
        )
        user.set_password(password)
        user.full_clean()
        user.save(using=self._db)
        return user


class User(AbstractBaseUser, PermissionsMixin):
    """A client or guest belongs to one brand; staff belong to none."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    brand = models.ForeignKey(
        "affiliates.Brand",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The client's brand. Empty for staff.",
    )
    email = models.EmailField("e-mail", max_length=MAX_EMAIL_LENGTH, blank=True)
    firstname = models.CharField("first name", max_length=MAX_NAME_LENGTH, blank=True)
    lastname = models.CharField("last name", max_length=MAX_NAME_LENGTH, blank=True)
    is_guest = models.BooleanField(
        "guest", default=False, help_text="May fill a basket and pay for it."
    )
    is_active = models.BooleanField(
        "active", default=True, help_text="Off: no login, and no token works."
    )
    is_staff = models.BooleanField(
        "staff", default=False, help_text="May open this admin. Not for clients."
    )
    language = models.CharField(
        max_length=10,
        blank=True,
        default="",
        db_default="",
        choices=settings.LANGUAGES,
        help_text=(
            "In which e-mails are written: for a client that of the pages read last."
        ),
    )
    logged_out_at = models.DateTimeField(
        null=True, editable=False, help_text="Sessions begun before have ended."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        base_manager_name = "objects"
        permissions = [
            (
                "change_affiliate_credentials",
                "Can change e-mail and password of clients who are affiliates",
            )
        ]
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["created_at", "id"], name="user_by_time"),
            models.Index(Lower("email"), name="user_by_email"),
            # Few: a list of them would read all the others.
            models.Index(
                fields=["created_at", "id"],
                condition=Q(is_active=False),
                name="user_not_active",
            ),
            models.Index(
                fields=["created_at", "id"],
                condition=Q(is_staff=True),
                name="user_of_staff",
            ),
        ]
        constraints = [
            # A guest's e-mail is contact data that nobody has proved to own: it must
            # neither block the owner's registration nor reveal that an account exists.
            models.UniqueConstraint(
                "brand",
                Lower("email"),
                condition=Q(is_guest=False),
                name=EMAIL_UNIQUE_PER_BRAND,
                violation_error_message="The brand has a client with this e-mail.",
            ),
            models.UniqueConstraint(
                Lower("email"),
                condition=Q(brand=None),
                name="staff_email_is_unique",
                violation_error_message="A staff member has this e-mail.",
            ),
            models.CheckConstraint(
                condition=Q(is_guest=True) | ~Q(email=""),
                name="only_guests_have_no_email",
                violation_error_message="Only a guest may have no e-mail.",
            ),
            models.CheckConstraint(
                condition=Q(brand=None, is_guest=False)
                | Q(brand__isnull=False, is_staff=False, is_superuser=False),
                name="clients_have_a_brand_and_staff_have_none",
                violation_error_message=(
                    "Clients and guests need a brand; staff have none."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.email or f"guest {self.pk}"

    def clean(self) -> None:
        super().clean()
        # Admin forms leave out fields that a constraint looks at, and so the constraint.
        self.validate_constraints()

    @property
    def client_brand_id(self) -> int:
        """The brand of a client or guest. Raises NotAllowed for staff, who have none."""
        if self.brand_id is None:
            raise NotAllowed("not_a_client", "Only a client may do this.")
        return self.brand_id

    def check_password(self, raw_password: str | None) -> bool:
        """A hash made anew by today's hasher is the same password: no token ends."""

        def keep(raw_password: str) -> None:
            anew = make_password(raw_password)
            mine = User.objects.filter(pk=self.pk, password=self.password)
            if mine.update(password=anew):
                self.password = anew

        return check_password(raw_password, self.password, keep)

    def save(self, *, is_by_staff: bool = False, **kwargs: Any) -> None:
        """A changed password or address ends what its owner is logged in with.

        ``is_by_staff`` says that somebody else than its owner changes it.
        """
        with transaction.atomic(using=kwargs.get("using")):
            stored = self._stored_before(kwargs.get("update_fields"))
            super().save(**kwargs)
            if stored is not None:
                self._follow_changes(stored, is_by_staff=is_by_staff)

    def _stored_before(self, update_fields: Iterable[str] | None) -> User | None:
        """The row, locked, where its credentials may be about to change."""
        written = set(update_fields or CREDENTIALS)
        if self._state.adding or written.isdisjoint(CREDENTIALS):
            return None
        stored = User.objects.select_for_update(no_key=True, of=("self",))
        return stored.filter(pk=self.pk).first()

    def _follow_changes(self, stored: User, *, is_by_staff: bool) -> None:
        now = timezone.now()
        has_password = self.password != stored.password
        # A guest's address is contact data: nobody logs in by it.
        has_email = self.email != stored.email and not stored.is_guest
        if has_password or has_email:
            self.auth_token_set.all().delete()
        if has_password or (has_email and self.brand_id is not None):
            # Django gives the session that changes its own password a new row.
            self.open_sessions.all().delete()
        changes = {
            CredentialsChange.EMAIL: has_email,
            CredentialsChange.PASSWORD: has_password,
        }
        made = [change for change, has_it in changes.items() if has_it]
        for change in made:
            note_changed(self, str(change), is_by_staff=is_by_staff)
        if self.brand_id is None or stored.is_guest:
            return
        if has_email:
            User.objects.filter(pk=self.pk).update(logged_out_at=now)
            self.logged_out_at = now
        for change in made:
            credentials_changed(
                CredentialsChanged(
                    client_id=str(self.pk),
                    change=change,
                    former_email=stored.email if has_email else "",
                    is_by_staff=is_by_staff,
                ),
                now=now,
            )

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Changed by a new password and by a log-out everywhere: sessions end with it."""
        held: str = super()._get_session_auth_hash(secret)  # type: ignore[misc] # has no stub
        return held if self.logged_out_at is None else f"{held} {self.logged_out_at}"

    def get_full_name(self) -> str:
        return f"{self.firstname} {self.lastname}".strip()

    def get_short_name(self) -> str:
        return self.firstname


class WalletEntry(Record):
    """Account credit that came in or was spent. Only ever added: the sum is the balance.

    ``amount`` is in minor units.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    client = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="wallet_entries"
    )
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=MAX_REASON_LENGTH)
    reference = models.CharField(
        max_length=MAX_WALLET_REFERENCE_LENGTH,
        unique=True,
        help_text="What the entry is for: it is made once.",
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "account credit entry"
        verbose_name_plural = "account credit entries"
        indexes = [
            models.Index(fields=["client", "currency"], name="wallet_of_a_client"),
            models.Index(fields=["created_at", "id"], name="wallet_by_time"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(amount=0), name="wallet_entry_is_never_zero"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.money} {self.reason}"

    @property
    def money(self) -> Money:
        return from_minor_units(self.amount, self.currency)
