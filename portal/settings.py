"""Settings of the portal, all of them from the environment (see docs/settings.md)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from affiliates import APPS as BESIDE_THE_CORE
from portal import databases
from portal.cookies import cookie_settings
from portal.environment import MISSING_SECRETS, Environment
from portal.logs import log_configuration
from portal.openapi import SPECTACULAR_SETTINGS  # noqa: F401 - read by its name
from portal.passwords import password_validators
from portal.staff import ADMIN_THEME, ROLE_PERMISSIONS, authenticator_issuer

BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment()
# All or nothing: a server configured by its environment takes nothing from a .env that
# a command run beside it may have written for development.
if "SECRET_KEY" not in env.ENVIRON:
    Environment.read_env(BASE_DIR / ".env")

SECRET_KEY = env.str("SECRET_KEY", default="")
AFFILIATES_COOKIE_KEYS = env.str("AFFILIATES_COOKIE_KEYS", default="")
if not SECRET_KEY or not AFFILIATES_COOKIE_KEYS:
    raise ImproperlyConfigured(MISSING_SECRETS)
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[".localhost", "127.0.0.1", "[::1]"])
# The only hosts of the admin, which then have no shop; none: every host has it.
ADMIN_HOSTS = env.list("ADMIN_HOSTS", default=[])
# Off only where everything is plain http on loopback: the demo and the tests.
HTTPS = env.bool("HTTPS", default=True)

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "axes",
    "auditlog",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "djmoney",
    "affiliates",
    *BESIDE_THE_CORE,
    "portal",
]

MIDDLEWARE = [
    "affiliates.extending.middleware.LinkHostMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "affiliates.extending.middleware.ContentPolicyMiddleware",
    "portal.middleware.AllowedHostsMiddleware",
    "affiliates.extending.middleware.BrandCorsMiddleware",
    "portal.middleware.PagesWhiteNoiseMiddleware",
    "portal.middleware.AdminHostsMiddleware",
    "portal.middleware.PagesSessionMiddleware",
    "portal.middleware.VisitorLanguageMiddleware",
    "portal.middleware.PagesCsrfViewMiddleware",
    "portal.middleware.PagesAuthenticationMiddleware",
    "portal.middleware.PagesOTPMiddleware",
    "portal.middleware.SecondFactorMiddleware",
    "affiliates.extending.middleware.AuditMiddleware",
    "portal.middleware.ApiHttpsMiddleware",
    "portal.middleware.PagesMessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
CSRF_FAILURE_VIEW = "portal.errors.form_refused"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DESK_TITLE = env.str("DESK_TITLE", default="Affiliate desk")
OTP_TOTP_ISSUER = authenticator_issuer
UNFOLD = {**ADMIN_THEME, "SITE_TITLE": DESK_TITLE, "SITE_HEADER": DESK_TITLE}

SILENCED_SYSTEM_CHECKS = [
    # E-mails are unique per brand; EmailBackend asks for staff alone, who have none.
    "auth.W004",
    # The check knows Django's own CSRF class only; ours is a subclass of it.
    "security.W003",
]

# Database and cache ---------------------------------------------------------------

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}")
}
databases.complete(DATABASES["default"], env)
if env.str("REPORTS_DATABASE_URL", default=""):
    DATABASES["reports"] = env.db("REPORTS_DATABASE_URL")
    databases.complete(DATABASES["reports"], env)
    DATABASE_ROUTERS = ["affiliates.extending.ReportsRouter"]
    AFFILIATES_REPORTS_DATABASE = "reports"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

if env.str("REDIS_URL", default=""):
    CACHES = {"default": env.cache_url("REDIS_URL")}
else:
    # Of each process: calls are then counted in memory and added up in the database.
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# People and passwords -------------------------------------------------------------

AUTH_USER_MODEL = "portal.User"
LOGIN_URL = "/login"  # Of clients: the admin has its own.
LOGIN_REDIRECT_URL = "admin:index"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "portal.clients.backends.EmailBackend",
    "portal.clients.backends.ClientBackend",
]
# Tries at a password, of clients and staff; see portal/clients/login_limits.py.
AXES_HANDLER = "portal.clients.login_limits.LoginHandler"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_USERNAME_CALLABLE = "portal.clients.login_limits.account_of"
AXES_CLIENT_IP_CALLABLE = "portal.clients.login_limits.address_of"
AXES_LOCKOUT_PARAMETERS = "portal.clients.login_limits.counted_together"
AXES_LOCKOUT_CALLABLE = "portal.clients.login_limits.locked_out"
AXES_ENABLE_ADMIN = False
PASSWORD_HASHERS = [
    "portal.clients.hashers.ModerateArgon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
BREACHED_PASSWORDS_FILE = env.str("BREACHED_PASSWORDS_FILE", default="")
AUTH_PASSWORD_VALIDATORS = password_validators(BREACHED_PASSWORDS_FILE)
PASSWORD_RESET_TIMEOUT = 3600
# How long an entered password confirms the identity.
CONFIRMATION_SECONDS = env.int("CONFIRMATION_SECONDS", default=900)
SESSION_ENGINE = "portal.clients.session_store"
CLIENT_SESSION_IDLE_SECONDS = env.int("CLIENT_SESSION_IDLE_SECONDS", default=86_400)
CLIENT_SESSION_SECONDS = env.int("CLIENT_SESSION_SECONDS", default=1_209_600)
STAFF_SESSION_IDLE_SECONDS = env.int("STAFF_SESSION_IDLE_SECONDS", default=3_600)
STAFF_SESSION_SECONDS = env.int("STAFF_SESSION_SECONDS", default=43_200)
SESSION_COOKIE_AGE = max(CLIENT_SESSION_SECONDS, STAFF_SESSION_SECONDS)

# API ------------------------------------------------------------------------------

AFFILIATES_TRUSTED_PROXIES = env.int("AFFILIATES_TRUSTED_PROXIES", default=0)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["portal.clients.tokens.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["affiliates.extending.rest.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["affiliates.extending.rest.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "affiliates.extending.rest.JSONOnly",
    "DEFAULT_SCHEMA_CLASS": "affiliates.extending.rest.AutoSchema",
    "EXCEPTION_HANDLER": "affiliates.extending.rest.exception_handler",
    "DEFAULT_THROTTLE_RATES": {
        "login": env.str("LOGIN_RATE", default="20/minute"),
        "basket": env.str("BASKET_RATE", default="240/minute"),
        "coupon": env.str("COUPON_RATE", default="20/minute"),
    },
    "UNAUTHENTICATED_USER": None,
    "NUM_PROXIES": AFFILIATES_TRUSTED_PROXIES,
}
KNOX_TOKEN_MODEL = "portal.AuthToken"  # noqa: S105 - a name, no secret
# They would make its own table too, which refers to clients and is never used.
MIGRATION_MODULES: dict[str, str | None] = {"knox": None}
REST_KNOX = {
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_TTL": timedelta(hours=24),
}
# Client areas may call the portal's endpoints as they may those of affiliates.
AFFILIATES_CORS_PATHS = ["/api/"]
AFFILIATES_CSP_PATHS = ["/"]
AFFILIATES_CSP_REPORT_URI = env.str("AFFILIATES_CSP_REPORT_URI", default="")

AFFILIATES_ADAPTER = "portal.affiliate_adapter.PortalAdapter"
AFFILIATES_SECRET_KEYS = env.str("AFFILIATES_SECRET_KEYS", default="")
AFFILIATES_LINK_HOSTS = env.list("AFFILIATES_LINK_HOSTS", default=[])
AFFILIATES_TRACKING_ALLOWED_HOSTS = env.list(
    "AFFILIATES_TRACKING_ALLOWED_HOSTS", default=[]
)
AFFILIATES_SITE_URL = env.str("AFFILIATES_SITE_URL", default="")
AFFILIATES_MAX_BODY_BYTES = env.int("AFFILIATES_MAX_BODY_BYTES", default=65_536)
AFFILIATES_ROLE_PERMISSIONS = ROLE_PERMISSIONS
for _name, _default in {
    "DELIVERY_LEASE_SECONDS": 60.0,
    "VISIT_DEADLINE_SECONDS": 1.0,
    "MAX_CLOCK_SKEW_SECONDS": 60.0,
    "OWN_WEBHOOK_CALLS_PER_HOUR": 600,
    "KEEP_DELIVERIES_DAYS": 30,
    "KEEP_EMAILS_DAYS": 90,
    "KEEP_USER_AGENTS_DAYS": 90,
    "KEEP_DECLINED_DAYS": 183,
    "KEEP_BOOKS_YEARS": 10,
}.items():
    _setting = f"AFFILIATES_{_name}"
    globals()[_setting] = env(_setting, cast=type(_default), default=_default)
VISIT_SHORT_PATH = env.bool("VISIT_SHORT_PATH", default=True)
AFFILIATES_CLICK_WRITER = env.str("AFFILIATES_CLICK_WRITER", default="auto")
AFFILIATES_METRICS_TOKEN = env.str("AFFILIATES_METRICS_TOKEN", default="")
AFFILIATES_GEOIP_FILE = env.str("AFFILIATES_GEOIP_FILE", default="")
AFFILIATES_THROTTLE_RATES = env.dict("AFFILIATES_THROTTLE_RATES", default={})

# E-mail ---------------------------------------------------------------------------

globals().update(env.email("EMAIL_URL", default="smtp://localhost:25"))
EMAIL_TIMEOUT = 60
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="webmaster@localhost")

# Payments -------------------------------------------------------------------------

# PAYMENT_WEBHOOK_SECRET_<NAME>=whsec_<base64> makes the gateway <name> known.
WEBHOOK_SECRET_PREFIX = "PAYMENT_WEBHOOK_SECRET_"  # noqa: S105 - a name, no secret
PAYMENT_WEBHOOK_SECRETS = {
    name.removeprefix(WEBHOOK_SECRET_PREFIX).lower(): secret
    for name, secret in env.ENVIRON.items()
    if name.startswith(WEBHOOK_SECRET_PREFIX) and secret
}
# Whose, and its number: shown on invoices that are paid by bank transfer.
BANK_ACCOUNT = env.str("BANK_ACCOUNT", default="")
# For demonstrations only: its shop's rows, and a page that pays any invoice at a click.
DEMO_GATEWAY = env.bool("DEMO_GATEWAY", default=False)
if DEMO_GATEWAY:
    INSTALLED_APPS.append("portal.demo")
# Where the demonstration's password is printed, nobody is asked for more.
STAFF_SECOND_FACTOR = env.bool("STAFF_SECOND_FACTOR", default=not DEMO_GATEWAY)
AFFILIATE_SECOND_FACTOR = env.bool("AFFILIATE_SECOND_FACTOR", default=False)
# The link of the demonstration's affiliate.
DEMO_LINK_HASH = "d3300d3300d3300d3300d3300d3300d3300d3300"
# Where the demo's bank may send people back to.
STOREFRONT_ORIGIN = env.str("STOREFRONT_ORIGIN", default="http://shop.localhost:8000")

# Time, language, files ------------------------------------------------------------

TIME_ZONE = env.str("TIME_ZONE", default="UTC")
LANGUAGE_CODE = "en"
# Of visitors and clients: the admin is in LANGUAGE_CODE.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
MEDIA_ROOT = env.str("MEDIA_ROOT", default=str(BASE_DIR / "media"))
STATIC_URL = "/static/"
# Files are served from the apps themselves; set it to collect them for another server.
STATIC_ROOT = env.str("STATIC_ROOT", default="") or None
WHITENOISE_USE_FINDERS = True

# Transport ------------------------------------------------------------------------

SECURE_SSL_REDIRECT = HTTPS
# Asked in the private network over plain http, under an address that is no host of ours;
# and what ApiHttpsMiddleware refuses: the API, but for the page that people read.
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$", r"^api/(?!docs$)"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
globals().update(cookie_settings(is_https=HTTPS))
# For /.well-known/security.txt: addresses such as mailto:security@example.com.
SECURITY_CONTACT = env.list("SECURITY_CONTACT", default=[])
SECURITY_LANGUAGES = env.list("SECURITY_LANGUAGES", default=["en"])
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if env.bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LOGGING = log_configuration(
    form=env.str("LOG_FORMAT", default="line"),
    level=env.str("LOG_LEVEL", default="WARNING"),
)
