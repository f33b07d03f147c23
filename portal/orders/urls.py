from __future__ import annotations

from django.urls import path

from portal.orders import api

# Any text is an id here: one that is no UUID gets the same 404 as an absent one.
urlpatterns = [
    path("products", api.ProductsView.as_view(), name="products"),
    path("orders", api.OrdersView.as_view(), name="orders"),
    path("orders/<str:order_id>", api.OrderView.as_view(), name="order"),
    path(
        "orders/<str:order_id>/items", api.OrderItemsView.as_view(), name="order-items"
    ),
    path(
        "orders/<str:order_id>/items/<str:product_id>",
        api.OrderItemView.as_view(),
        name="order-item",
    ),
    path(
        "orders/<str:order_id>/coupon",
        api.OrderCouponView.as_view(),
        name="order-coupon",
    ),
    path("payment_details", api.PaymentDetailsView.as_view(), name="payment-details"),
]
