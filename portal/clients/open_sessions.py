"""A user's sessions and API tokens: lists and ends them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self, cast

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from knox.models import AbstractAuthToken, AuthTokenManager

from affiliates.extending import RecordManager
from portal.clients.models import User
from portal.clients.rules import SessionLimits, seen_interval, session_end

MAX_USER_AGENT = 300
SESSIONS_PER_USER = 10
CLIENT_BACKEND = "portal.clients.backends.ClientBackend"
# In a session's data. Times are seconds since 1970.
BEGUN, SEEN, USER_AGENT = "begun_at", "seen_at", "user_agent"
# When the password was last entered; see portal/clients/confirmation.py.
CONFIRMED = "confirmed_at"
# In this order: most user agents also name other browsers, after their own name.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


class OpenSession(AbstractBaseSession):
    """Django's session with its user. Its key is the digest of the cookie's value."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="open_sessions"
    )
    user_agent = models.CharField(max_length=MAX_USER_AGENT, blank=True)
    begun_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)

    # Read where it is written: a replica may not know a session that has just begun.
    objects: ClassVar[RecordManager[Self]] = RecordManager()  # type: ignore[assignment] # not Django's

    class Meta(AbstractBaseSession.Meta):
        base_manager_name = "objects"

    @classmethod
    def get_session_store_class(cls) -> type[Any]:
        engine = import_module(settings.SESSION_ENGINE)
        return cast("type[Any]", engine.SessionStore)


class TokenManager(AuthTokenManager, RecordManager[Any]):  # type: ignore[misc] # knox is untyped
    """Reads where tokens are written: a replica may not know a token just issued."""


class AuthToken(AbstractAuthToken):  # type: ignore[misc] # knox is untyped
    """KNOX_TOKEN_MODEL: knox's token, which ends with the session that got it."""

    session = models.ForeignKey(
        OpenSession, on_delete=models.CASCADE, null=True, related_name="tokens"
    )

    objects: ClassVar[Any] = TokenManager()

    class Meta:
        base_manager_name = "objects"
        default_permissions = ()


class Login(NamedTuple):
    """A session or token. ``name`` identifies it in forms and grants no access."""

    name: str
    title: str
    begun_at: datetime | None
    seen_at: datetime | None
    expires_at: datetime
    is_this: bool


def note_login(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    """Receives ``user_logged_in``; stores what the list shows of the new session.

    Ends the user's least recently used session if there would be too many.
    """
    now = timezone.now().timestamp()
    agent = request.META.get("HTTP_USER_AGENT", "")[:MAX_USER_AGENT]
    request.session.update({BEGUN: now, SEEN: now, CONFIRMED: now, USER_AGENT: agent})
    others = _sessions(user).exclude(pk=digest_of_key(request.session.session_key))
    surplus = [*others.values_list("pk", flat=True)[SESSIONS_PER_USER - 1 :]]
    if surplus:
        OpenSession.objects.filter(pk__in=surplus).delete()


def note_logout(sender: Any, request: Any, **kwargs: Any) -> None:
    """Receives ``user_logged_out``, for PagesSessionMiddleware."""
    request.has_logged_out = True


def note_seen(session: Any) -> None:
    """Updates the time after ``seen_interval``, and only if the session was read anyway."""
    if not session.accessed or SEEN not in session:
        return
    now = timezone.now().timestamp()
    if now - session[SEEN] >= seen_interval(_limits_of(session)).total_seconds():
        session[SEEN] = now


def columns_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a session's row, from its data."""
    begun_at, seen_at = _moment(data.get(BEGUN)), _moment(data.get(SEEN))
    columns = {USER_AGENT: data.get(USER_AGENT, ""), BEGUN: begun_at, SEEN: seen_at}
    if begun_at is None or seen_at is None:
        return columns
    # Django reads no session whose date has passed.
    end = session_end(begun_at=begun_at, seen_at=seen_at, limits=_limits_of(data))
    return {**columns, "expire_date": end}


def _limits_of(data: Any) -> SessionLimits:
    kind = "CLIENT" if data.get(BACKEND_SESSION_KEY) == CLIENT_BACKEND else "STAFF"
    idle = getattr(settings, f"{kind}_SESSION_IDLE_SECONDS")
    whole = getattr(settings, f"{kind}_SESSION_SECONDS")
    return SessionLimits(timedelta(seconds=idle), timedelta(seconds=whole))


def logins_of(user: User, *, this: str | None, now: datetime) -> list[Login]:
    """The current session, whose key is ``this``, comes first."""
    current = digest_of_key(this)
    sessions = [
        Login(
            name=_name(row.pk),
            title=browser_in_words(row.user_agent),
            begun_at=row.begun_at,
            seen_at=row.seen_at,
            expires_at=row.expire_date,
            is_this=row.pk == current,
        )
        for row in _sessions(user).filter(expire_date__gt=now)
    ]
    tokens = [
        Login(
            name=_name(token.pk),
            title=_("A page or program that uses the API"),
            begun_at=token.created,
            seen_at=None,
            expires_at=token.expiry,
            is_this=False,
        )
        for token in _tokens(user).filter(expiry__gt=now)
    ]
    return sorted(sessions, key=lambda session: not session.is_this) + tokens


def end_login(user: User, name: str) -> None:
    """Ends the session or token with this name; does nothing if there is none."""
    for rows in (_sessions(user), _tokens(user)):
        keys = [pk for pk in rows.values_list("pk", flat=True) if _name(pk) == name]
        rows.filter(pk__in=keys).delete()


def end_asked(user: User, asked: Mapping[str, Any], *, this: str | None) -> bool:
    """Ends what the list's form names. Returns whether that is the current session."""
    if "others" in asked:
        end_others(user, this=this)
        return False
    name = str(asked.get("end", ""))
    end_login(user, name)
    return this is not None and name == _name(digest_of_key(this))


def end_others(user: User, *, this: str | None) -> None:
    _sessions(user).exclude(pk=digest_of_key(this)).delete()
    _tokens(user).delete()


def digest_of_key(session_key: str | None) -> str:
    """The primary key of a session's row: 160 bits, as long as Django's column."""
    return sha256((session_key or "").encode()).hexdigest()[:40]


def browser_in_words(user_agent: str) -> str:
    browser = _named(BROWSERS, user_agent) or _("Unknown browser")
    system = _named(SYSTEMS, user_agent)
    if not system:
        return browser
    return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}


def _named(names: Mapping[str, str], user_agent: str) -> str:
    names_found = (name for mark, name in names.items() if mark in user_agent)
    return next(names_found, "")


def _sessions(user: User) -> QuerySet[OpenSession]:
    return OpenSession.objects.filter(user=user).order_by("-seen_at")


def _tokens(user: User) -> Any:
    return AuthToken.objects.filter(user=user).order_by("-created")


def _name(key: str) -> str:
    return sha256(key.encode()).hexdigest()[:16]


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC)
