from django.contrib import admin
from django.urls import include, path

from hosting import views

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", views.plans, name="plans"),
    path("sign-up", views.sign_up, name="sign_up"),
    path("order/<slug:product>", views.order, name="order"),
    path("invoices/<int:invoice_id>", views.invoice, name="invoice"),
]

urlpatterns += [path("", include("affiliates.api.urls"))]
