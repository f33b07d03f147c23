from django.urls import include, path

from saas import views

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-up", views.sign_up, name="sign_up"),
    path("subscribe", views.subscribe, name="subscribe"),
    path("", include("affiliates.api.urls")),
]
