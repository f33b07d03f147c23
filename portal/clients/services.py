"""Registering clients and guests, and logging them in. The only writer of both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Min, QuerySet
from knox.crypto import hash_token
from knox.models import get_digest_token
from knox.settings import CONSTANTS

from affiliates.contracts import (
    ClientRegistration,
    CredentialsChange,
    CredentialsChanged,
    GuestRegistration,
    RegistrationCompletion,
)
from affiliates.errors import InvalidInput, StateConflict
from affiliates.extending import insert_once
from affiliates.host_events import credentials_changed
from portal.clients.models import EMAIL_UNIQUE_PER_BRAND, User
from portal.clients.open_sessions import AuthToken, OpenSession, digest_of_key
from portal.clients.second_factor import require_code
from portal.clients.security_log import note_login_failed, note_token
from portal.ids import require_id, require_row

TOKEN_LIFETIME = timedelta(hours=24)
TOKENS_PER_USER = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A client or guest, and the token just issued to it."""

    user: User
    token: str


def register_client(registration: ClientRegistration, *, now: datetime) -> SignedIn:
    user = _named_user(registration, brand_id=registration.brand_id, created_at=now)
    # Hashed before the e-mail is looked at: a taken one answers no faster.
    user.password = hash_password(registration.password, user)
    with transaction.atomic():
        if not insert_once(user):
            raise _email_taken()
        token = _issue_token(user, now)
    return SignedIn(user=user, token=token)


@transaction.atomic
def register_guest(registration: GuestRegistration, *, now: datetime) -> SignedIn:
    user = _named_user(
        registration, brand_id=registration.brand_id, is_guest=True, created_at=now
    )
    user.set_unusable_password()
    user.save(force_insert=True)
    return SignedIn(user=user, token=_issue_token(user, now))


def complete_registration(
    completion: RegistrationCompletion, *, now: datetime
) -> SignedIn:
    """The guest becomes a full client under the same id; its old tokens end."""
    wanted = _named_user(completion)
    wanted.password = hash_password(completion.password, wanted)
    try:
        with transaction.atomic():
            user = _lock_guest(require_id(completion.client_id))
            _become_client(user, wanted)
            return SignedIn(user=user, token=_issue_token(user, now))
    except IntegrityError as error:
        # The constraint on e-mails refuses where two race.
        if EMAIL_UNIQUE_PER_BRAND not in str(error):
            raise
        raise _email_taken() from error


def log_in(
    *, brand_id: int, email: str, password: str, code: str = "", now: datetime
) -> SignedIn:
    """In no transaction: a wrong code is counted though it is refused."""
    user = check_credentials(brand_id=brand_id, email=email, password=password)
    require_code(user, code, field="code")
    signed_in = issue_token(user, now=now)
    note_token(user)
    return signed_in


def check_credentials(*, brand_id: int, email: str, password: str) -> User:
    """One refusal for every reason, after one hash in every case."""
    clients = User.objects.with_email(email).filter(is_guest=False, is_active=True)
    user = clients.filter(brand_id=brand_id).first()
    if user is None:
        make_password(password)
    elif user.check_password(password):
        return user
    note_login_failed(__name__, {"brand_id": brand_id, "email": email})
    raise _invalid_credentials()


@transaction.atomic
def issue_token(
    user: User,
    *,
    now: datetime,
    confirmed_at: datetime | None = None,
    session_key: str | None = None,
) -> SignedIn:
    """For a client who has said who they are; the oldest of too many tokens goes.

    ``confirmed_at``: when the password was entered, if it was not now. The token ends
    with the session of ``session_key``.
    """
    if not (_is_unchanged(user) and _is_open(session_key)):
        raise _invalid_credentials()
    token = _issue_token(user, now, session_key=session_key)
    _drop_surplus_tokens(user)
    if confirmed_at is not None:
        # The token counts from then; see confirmation.py.
        AuthToken.objects.filter(digest=hash_token(token)).update(created=confirmed_at)
    return SignedIn(user=user, token=token)


def _is_unchanged(user: User) -> bool:
    """Locked: a password changed at the same moment ends the token issued here too."""
    same = User.objects.filter(
        pk=user.pk,
        password=user.password,
        logged_out_at=user.logged_out_at,
        is_active=True,
    )
    return same.select_for_update(no_key=True).exists()


def _is_open(session_key: str | None) -> bool:
    """Locked: a log-out at the same moment ends the token issued here too."""
    if session_key is None:
        return True
    rows = OpenSession.objects.select_for_update(no_key=True)
    return rows.filter(pk=digest_of_key(session_key)).exists()


def end_token(digest: str) -> None:
    AuthToken.objects.filter(digest=digest).delete()


def hash_password(password: str | None, user: User) -> str:
    """Raises InvalidInput on ``password``."""
    password = password or ""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise InvalidInput(
            "invalid", " ".join(error.messages), field="password"
        ) from error
    return make_password(password)


@transaction.atomic
def change_password(client: User, password: str) -> None:
    """Ends every session and token of the client. Raises InvalidInput on ``password``."""
    if not _is_unchanged(client):
        raise _invalid_credentials()
    client.password = hash_password(password, client)
    client.save(update_fields=["password"])


def keep_language(client: User, language: str) -> None:
    if client.language != language:
        User.objects.filter(pk=client.pk).update(language=language)


@transaction.atomic
def log_out_everywhere(*, users: QuerySet[User], now: datetime) -> None:
    """End clients' sessions and tokens. Affiliates are told if a key of theirs ends.

    Staff ask for it. Affiliates are locked in the order of their ids, as everywhere.
    """
    ids = users.order_by().filter(brand__isnull=False).values("pk")
    affiliates = users.filter(affiliate_profiles__isnull=False)
    User.objects.filter(pk__in=ids).update(logged_out_at=now)
    AuthToken.objects.filter(user__in=ids).delete()
    OpenSession.objects.filter(user__in=ids).delete()
    in_order = affiliates.annotate(first=Min("affiliate_profiles")).order_by("first")
    for pk in in_order.values_list("pk", flat=True):
        event = CredentialsChanged(
            client_id=str(pk), change=CredentialsChange.LOGGED_OUT, is_by_staff=True
        )
        credentials_changed(event, now=now)


def _email_taken() -> InvalidInput:
    return InvalidInput(
        "email_taken", "This e-mail cannot be registered.", field="email"
    )


def _lock_guest(client_id: UUID) -> User:
    users = User.objects.select_for_update(of=("self",), no_key=True).filter(
        brand__isnull=False
    )
    user = require_row(users.filter(pk=client_id))
    if not user.is_guest:
        raise StateConflict(
            "already_registered", "This registration is complete already."
        )
    return user


def _become_client(user: User, wanted: User) -> None:
    taken = User.objects.with_email(wanted.email).filter(brand=user.client_brand_id)
    # Asked first: what the constraint refuses is logged with the password's hash.
    if taken.filter(is_guest=False).exists():
        raise _email_taken()
    changed = ("email", "firstname", "lastname", "password")
    for field in changed:
        setattr(user, field, getattr(wanted, field))
    user.is_guest = False
    user.save(update_fields=[*changed, "is_guest"])


def _named_user(
    registration: ClientRegistration | GuestRegistration | RegistrationCompletion,
    **fields: Any,
) -> User:
    user = User(
        email=User.objects.normalize_email(registration.email),
        firstname=registration.firstname,
        lastname=registration.lastname,
        **fields,
    )
    if not user.email and not user.is_guest:
        raise InvalidInput("required", "An e-mail is required.", field="email")
    try:
        user.clean_fields(exclude=["brand", "password"])
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise InvalidInput("invalid", " ".join(messages), field=field) from error
    # Django takes a few letters by their capitals, such as \u0130. Databases and Python
    # write them small each in its own way, so that a login would miss the account.
    if not user.email.partition("@")[0].isascii():
        raise InvalidInput("invalid", "Enter a valid email address.", field="email")
    return user


def _issue_token(user: User, now: datetime, *, session_key: str | None = None) -> str:
    digest, token = get_digest_token()
    AuthToken(
        digest=digest,
        token_key=token[: CONSTANTS.TOKEN_KEY_LENGTH],
        user=user,
        expiry=now + TOKEN_LIFETIME,
        session_id=session_key and digest_of_key(session_key),
    ).save(force_insert=True)
    return str(token)


def _drop_surplus_tokens(user: User) -> None:
    newest = AuthToken.objects.filter(user=user).order_by("-created").values("pk")
    AuthToken.objects.filter(user=user).exclude(
        pk__in=newest[:TOKENS_PER_USER]
    ).delete()


def _invalid_credentials() -> InvalidInput:
    return InvalidInput("invalid_credentials", "Wrong e-mail or password.")
