"""Settings of the site: plain assignments, fed by the environment."""

from pathlib import Path
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from stet import env

PACKAGE = Path(__file__).resolve().parent
# An installed package has the pages with it, and its data where it is started.
INSTALLED = (PACKAGE / "pages").is_dir()
BASE_DIR = Path.cwd() if INSTALLED else PACKAGE.parents[1]
PAGES = PACKAGE / "pages" if INSTALLED else BASE_DIR
DATA_DIR = Path(env.env_str("STET_DATA_DIR") or BASE_DIR / ".stet" / "data")

SECRET_KEY = env.env_secret("SECRET_KEY")
DEBUG = env.env_bool("DEBUG")
# Where people reach the site. A proxy may hide it from the requests that come through.
SITE_URL = env.env_origin("SITE_URL")
ALLOWED_HOSTS = env.env_list("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.env_list("CSRF_TRUSTED_ORIGINS", "")
if SITE_URL:
    ALLOWED_HOSTS.append(urlsplit(SITE_URL).hostname or "")
    CSRF_TRUSTED_ORIGINS.append(SITE_URL)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "stet.common",
    "stet.accounts",
    "stet.projects",
    "stet.policies",
    "stet.traces",
    "annotate",
    "rewards",
    "training",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "stet.common.zones.TimeZoneMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "stet.common.http.StetErrorMiddleware",
]

ROOT_URLCONF = "stet.urls"
ASGI_APPLICATION = "stet.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PAGES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "stet.common.http.site",
            ],
        },
    },
]

# Requests that run at a time; each holds at most one connection.
REQUEST_THREADS = env.env_int("STET_DB_POOL", 12)
DATABASES = {
    "default": env.database(
        env.env_str("DATABASE_URL", "postgresql://stet@127.0.0.1:5432/stet"),
        pool={
            "min_size": 2,
            "max_size": REQUEST_THREADS,
            "timeout": 5,
            "max_lifetime": 600,
        },
        timeout_ms=env.env_int("STET_STATEMENT_TIMEOUT_MS", 10_000),
    ),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "projects"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

REDIS_URL = env.env_str("REDIS_URL", "redis://127.0.0.1:6379/0")
# Tokens never pass the layer: it only carries "something changed".
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL]},
    },
}
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 5, "socket_connect_timeout": 5}

VLLM_URL = env.env_str("VLLM_URL", "http://127.0.0.1:8001")
VLLM_API_KEY = env.env_str("VLLM_API_KEY")
VLLM_MODEL = env.env_str("VLLM_MODEL", "smollm2-135m")
TOKENIZER_DIR = Path(
    env.env_str("TOKENIZER_DIR") or BASE_DIR / ".stet" / "model" / "smollm2-135m-instruct"
)
VLLM_MAX_LEN = env.env_int("VLLM_MAX_LEN", 4096)
VLLM_VERSION = env.env_str("VLLM_VERSION", "0.32.0")
VLLM_DTYPE = env.env_str("VLLM_DTYPE", "bfloat16")
# A generation that nobody has watched for this long is stopped as abandoned.
UNWATCHED_SECONDS = env.env_int("STET_UNWATCHED_SECONDS", 60)
# Look-aheads that one web process reads at the same time; 0 switches them off.
LOOKAHEADS = env.env_int("STET_LOOKAHEADS", 12)
LEASE_SECONDS = env.env_int("STET_LEASE_SECONDS", 30 * 60)

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [PACKAGE / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / ".stet" / "static"
STATICFILES_DIRS = [PAGES / "static"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["stet.common.uploads.LimitedUploadHandler"]

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.env_bool("STET_HTTPS")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "stet.accounts.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["stet.common.http.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["stet.common.http.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "stet.common.http.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Stet",
    "DESCRIPTION": "Annotation and evaluation for LLM post-training.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "stet.traces.api.generations.describe_events",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "JobStatus": "stet.common.models.Job.Status",
        "MemberRole": "stet.accounts.roles.Role",
        "QuestionKind": "annotate.models.Question.Kind",
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.env_str("LOG_LEVEL", "INFO")},
    "loggers": {"django.request": {"level": "ERROR"}},
}
