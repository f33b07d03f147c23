from importlib import import_module

from django.apps import AppConfig


class ShopConfig(AppConfig):
    name = "shop"

    def ready(self) -> None:
        import_module("shop.affiliate_events")
        import_module("shop.allauth_events")
