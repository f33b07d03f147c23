from django.contrib import admin

from sidecar.models import Client


@admin.register(Client)
class ClientAdmin(admin.ModelAdmin):
    list_display = ("id", "email", "first_name", "brand_id")
    search_fields = ("id", "email")
    exclude = ("password",)
