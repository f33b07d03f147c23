from django.contrib import admin
from django.urls import path

urlpatterns = [
    path("admin/", admin.site.urls),
]

from django.apps import apps
from django.urls import include

urlpatterns += [path("", include(apps.get_app_config("oscar").urls[0]))]

urlpatterns += [path("", include("affiliates.api.urls"))]

urlpatterns += [path("social/", include("allauth.urls"))]
