"""The addresses of the site: pages at the root, the API under /api/v1/."""

from importlib import import_module

from csp.decorators import csp_update
from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import JavaScriptCatalog
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

APPS = [
    *("stet.common", "stet.accounts", "stet.projects", "stet.traces"),
    *("annotate", "rewards", "training"),
]
URLS = [import_module(f"{app}.urls") for app in APPS]

docs = csp_update({"style-src": ["'self'", "'unsafe-inline'"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema")
)
api: list[URLPattern | URLResolver] = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", docs, name="docs"),
]
for module in URLS:
    api += module.api

handler400 = "stet.common.handlers.bad_request"
handler404 = "stet.common.handlers.not_found"
handler500 = "stet.common.handlers.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include(api)),
    path("jsi18n/", JavaScriptCatalog.as_view(), name="jsi18n"),
]
for module in URLS:
    urlpatterns += module.pages
