"""Settings: one file, read from the environment, failing with a sentence.

Seven variables, each explained in ``.env.example``: ``DATABASE_URL``, ``REDIS_URL``, ``EMAIL_URL``,
``SECRET_KEY``, ``ALLOWED_HOSTS``, ``DEBUG``, ``SITE_URL``. Two shapes and no third:

* *production*: ``DATABASE_URL`` and ``REDIS_URL`` both set; PostgreSQL, Redis, Celery;
* *embedded*: neither set; one SQLite file and one scheduler process, no server to install.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"  # the embedded shape keeps everything it writes here

env = environ.Env()


def required(name: str, how: str) -> str:
    """The variable `name`, or a stop with one sentence that says `how` to set it."""
    value: str = env.str(name, default="").strip()
    if not value:
        raise ImproperlyConfigured(f"{name} is not set. {how}")
    return value


def read(name: str, parse: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The variable `name` as `parse` reads it, or a stop: it is no address."""
    try:
        return parse(name)
    except (ValueError, KeyError, ImproperlyConfigured):
        raise ImproperlyConfigured(
            f"{name} cannot be read: it must be an address such as those of .env.example."
        ) from None


DATABASE_URL = env.str("DATABASE_URL", default="")
REDIS_URL = env.str("REDIS_URL", default="")
if bool(DATABASE_URL) != bool(REDIS_URL):
    present, absent = (
        ("DATABASE_URL", "REDIS_URL") if DATABASE_URL else ("REDIS_URL", "DATABASE_URL")
    )
    raise ImproperlyConfigured(
        f"{present} is set and {absent} is not. Set both for the production shape (PostgreSQL, "
        f"Redis, Celery), or neither for the embedded one (SQLite and the scheduler)."
    )

if env.str("DEBUG", default="").lower() not in {
    "",
    "true",
    "false",
    "1",
    "0",
    "yes",
    "no",
    "on",
    "off",
}:
    raise ImproperlyConfigured("DEBUG must be True or False; leave it empty for False.")
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = required(
    "SECRET_KEY",
    "Set it to a long random text that you keep to yourself, for instance the output of "
    "`python3 -c 'import secrets; print(secrets.token_urlsafe(64))'`; `./run` makes one by itself.",
)
SITE_URL = required(
    "SITE_URL",
    "Set it to the address that people type, without a final slash, such as "
    "https://www.example.org; links in mails are made from it.",
).rstrip("/")
if urlsplit(SITE_URL).scheme not in {"http", "https"} or not urlsplit(SITE_URL).hostname:
    raise ImproperlyConfigured(
        f"SITE_URL is {SITE_URL!r}: it must begin with http:// or https:// and name a host."
    )
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[urlsplit(SITE_URL).hostname])

# --- the two shapes -------------------------------------------------------------------------------

EMBEDDED = not DATABASE_URL

if EMBEDDED:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": VAR_DIR / "figf.sqlite3",
            "OPTIONS": {
                # IMMEDIATE: every transaction takes the one write lock as it starts, which is
                # stronger than the row locks it stands for.
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;",
            },
        }
    }
else:
    DATABASES = {"default": read("DATABASE_URL", env.db_url)}
    if "postgresql" not in str(DATABASES["default"].get("ENGINE")):
        raise ImproperlyConfigured(
            "DATABASE_URL must name a PostgreSQL database "
            "(postgresql://user:password@host:5432/name); leave it empty for the embedded SQLite."
        )
    DATABASES["default"] |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}

DEMO_LOGINS = VAR_DIR / "demo-logins.txt"  # so that a second `./run` can say them again
EMAIL_FILES = VAR_DIR / "mail"  # the embedded shape's letterbox, shown on a staff page
if EMBEDDED and not env.str("EMAIL_URL", default=""):
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = str(EMAIL_FILES)
else:
    required(
        "EMAIL_URL",
        "Set it to the server that sends the mail, such as "
        "smtp+tls://user:password@mail.example.org:587.",
    )
    vars().update(read("EMAIL_URL", env.email_url))
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = f"FIGF <figf@{urlsplit(SITE_URL).hostname}>"
SERVER_EMAIL = DEFAULT_FROM_EMAIL

CACHES = {
    # Nothing that matters is cached: what Redis or a restart forgets, nobody misses.
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# --- the clocks: one schedule, run by Celery beat or by `manage.py scheduler` ---------------------

CELERY_BROKER_URL = REDIS_URL or None
CELERY_TIMEZONE = "UTC"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_TIME_LIMIT = 240
CELERY_TASK_SOFT_TIME_LIMIT = 200
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
}
# Every task is a sweep: it takes no argument, and asks the database what is due.
CELERY_BEAT_SCHEDULE = {
    "deliver-mail": {
        "task": "figf.tasks.deliver_mail",
        "schedule": timedelta(seconds=20),
        "options": {"expires": 20},
    },
    "empty-mails": {
        "task": "figf.tasks.empty_mails",
        "schedule": timedelta(days=1),
        "options": {"expires": 86400},
    },
    "sweep-games": {
        "task": "pbem.tasks.sweep_games",
        "schedule": timedelta(seconds=60),
        "options": {"expires": 60},
    },
    "reveal-draws": {
        "task": "figf.tasks.reveal_draws",
        "schedule": timedelta(seconds=60),
        "options": {"expires": 60},
    },
}

# --- applications ---------------------------------------------------------------------------------

INSTALLED_APPS = [
    "figf",
    "tournaments",
    "rankings",
    "pbem",
    "discipline",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "crispy_forms",
    "crispy_bootstrap5",
    "drf_spectacular",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "figf.api.answers.for_programs",  # before who redirects to the final slash
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "figf.web.only_known_methods",
]

ROOT_URLCONF = "figf.urls"
WSGI_APPLICATION = "figf.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
CRISPY_ALLOWED_TEMPLATE_PACKS = CRISPY_TEMPLATE_PACK = "bootstrap5"

# --- people ---------------------------------------------------------------------------------------

AUTH_USER_MODEL = "figf.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "figf.validators.LongEnough",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
PASSWORD_RESET_TIMEOUT = int(timedelta(hours=24).total_seconds())

AXES_FAILURE_LIMIT = 6
AXES_COOLOFF_TIME = timedelta(minutes=30)  # locked_out.html says so in words
# Address and name together: by name alone, anybody could lock anybody out.
AXES_LOCKOUT_PARAMETERS = [["ip_address", "username"]]
AXES_CLIENT_IP_CALLABLE = "figf.access.client_address"
AXES_USERNAME_CALLABLE = "figf.access.attempted_name"
AXES_LOCKOUT_TEMPLATE = "locked_out.html"
AXES_HTTP_RESPONSE_CODE = 429
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False

# --- language, time, static files -----------------------------------------------------------------

LANGUAGE_CODE = "it"
LANGUAGES = [("it", _("Italian")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "figf" / "locale"]
TIME_ZONE = "Europe/Rome"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static", ("docs", BASE_DIR / "docs/images")]
WHITENOISE_USE_FINDERS = True  # served from where the files lie: nothing to collect
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_MAX_AGE = 0 if DEBUG else 600

# --- the API --------------------------------------------------------------------------------------

API_RATE = 120  # requests a minute from one address, counted by each process of the site
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_THROTTLE_RATES": {"api": f"{API_RATE}/min"},
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "FIGF",
    "DESCRIPTION": _(
        "What the site shows to everybody, for other programs: events, tables, results and "
        "standings. It is only read, and holds no personal data beyond names and clubs."
    ),
    "VERSION": "1",
    "SERVERS": [{"url": SITE_URL}],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "POSTPROCESSING_HOOKS": [],  # a code's values stand where it is used
}

# --- security -------------------------------------------------------------------------------------

HTTPS = SITE_URL.startswith("https://")  # then a proxy in front of us ends TLS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/$"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds())
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_AGE = int(timedelta(days=365).total_seconds())
CSRF_TRUSTED_ORIGINS = [SITE_URL]
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_500  # an import has a box for each of its 2,000 rows
FILE_UPLOAD_HANDLERS = [
    "figf.spreadsheets.FirstMegabytes",  # nobody fills memory or disk with what will be refused
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
        # A stranger's wrong Host is answered with 400: it is no fault of ours to be traced.
        "django.security.DisallowedHost": {"handlers": [], "propagate": False},
        "axes": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}
