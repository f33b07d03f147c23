from __future__ import annotations

from functools import partial

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.host_events import brand_id_for_origin
from portal.api.schema import data_of, read
from portal.api.throttles import BasketThrottle, CouponThrottle
from portal.api.views import PortalView
from portal.clients.tokens import client_of
from portal.ids import require_integer_id
from portal.orders import selectors, services
from portal.orders.serializers import (
    CouponCodeSerializer,
    NewOrderItemSerializer,
    NewOrderSerializer,
    NewPaymentDetailsSerializer,
    OrderSerializer,
    OrdersQuerySerializer,
    PageQuerySerializer,
    PaymentDetailsSerializer,
    ProductSerializer,
    QuantitySerializer,
)

describe = partial(extend_schema, tags=["Basket"])


class ProductsView(PortalView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @describe(
        operation_id="list_products",
        summary="What the Origin's brand sells, 100 a page",
        parameters=[PageQuerySerializer],
        responses={200: data_of(ProductSerializer, many=True)},
        description=(
            "The catalogue: prices before tax, and the billing cycle of each product."
        ),
    )
    def get(self, request: Request) -> Response:
        query = read(PageQuerySerializer, request.query_params.dict())
        brand_id = brand_id_for_origin(request.headers.get("Origin"))
        products = selectors.list_products(brand_id=brand_id, **query)
        return Response({"data": ProductSerializer(products, many=True).data})


class OrdersView(PortalView):
    throttle_classes = (BasketThrottle,)

    @describe(
        operation_id="list_orders",
        summary="Orders and baskets of the token's client, the newest first, 50 a page",
        parameters=[OrdersQuerySerializer],
        responses={200: data_of(OrderSerializer, many=True)},
        description="A basket is an order that is not converted yet.",
    )
    def get(self, request: Request) -> Response:
        query = read(OrdersQuerySerializer, request.query_params.dict())
        orders = selectors.list_orders(client=client_of(request), **query)
        return Response({"data": OrderSerializer(orders, many=True).data})

    @describe(
        operation_id="create_order",
        summary="Begin a basket",
        request=NewOrderSerializer,
        responses={201: data_of(OrderSerializer)},
        description="The basket is empty. A client may have several.",
    )
    def post(self, request: Request) -> Response:
        read(NewOrderSerializer, request.data)
        order = services.create_order(client=client_of(request), now=timezone.now())
        return Response({"data": OrderSerializer(order).data}, status=201)


class OrderView(PortalView):
    @describe(
        operation_id="get_order",
        summary="A basket or order of the token's client",
        responses={200: data_of(OrderSerializer)},
        description="Its items with the sums before and after discount and tax.",
    )
    def get(self, request: Request, order_id: str) -> Response:
        return _whole_order(request, order_id)


class OrderItemsView(PortalView):
    throttle_classes = (BasketThrottle,)

    @describe(
        operation_id="add_order_item",
        summary="Add a product to a basket",
        request=NewOrderItemSerializer,
        responses={201: data_of(OrderSerializer)},
        description="A product that the basket has already gets the quantity added.",
    )
    def post(self, request: Request, order_id: str) -> Response:
        body = read(NewOrderItemSerializer, request.data)
        services.add_item(client=client_of(request), order_id=order_id, **body)
        return _whole_order(request, order_id, status=201)


class OrderItemView(PortalView):
    throttle_classes = (BasketThrottle,)

    @describe(
        operation_id="change_order_item",
        summary="Say how many of a product a basket holds",
        request=QuantitySerializer,
        responses={200: data_of(OrderSerializer)},
        description="The answer is the whole basket with its new sums.",
    )
    def patch(self, request: Request, order_id: str, product_id: str) -> Response:
        body = read(QuantitySerializer, request.data)
        services.change_quantity(
            client=client_of(request),
            order_id=order_id,
            product_id=require_integer_id(product_id),
            **body,
        )
        return _whole_order(request, order_id)

    @describe(
        operation_id="remove_order_item",
        summary="Take a product out of a basket",
        responses={200: data_of(OrderSerializer)},
        description="The answer is what is left of the basket.",
    )
    def delete(self, request: Request, order_id: str, product_id: str) -> Response:
        services.remove_item(
            client=client_of(request),
            order_id=order_id,
            product_id=require_integer_id(product_id),
        )
        return _whole_order(request, order_id)


class OrderCouponView(PortalView):
    throttle_classes = (CouponThrottle,)

    @describe(
        operation_id="enter_order_coupon",
        summary="Use a coupon for a basket, in place of an earlier one",
        request=CouponCodeSerializer,
        responses={200: data_of(OrderSerializer)},
        description=(
            "An affiliate's coupon also names the affiliate of the order. An affiliate's "
            "code without a usable coupon does too, as `affiliate_code`, and takes nothing "
            "off. 400 for another text."
        ),
    )
    def post(self, request: Request, order_id: str) -> Response:
        body = read(CouponCodeSerializer, request.data)
        services.enter_coupon(
            client=client_of(request), order_id=order_id, **body, now=timezone.now()
        )
        return _whole_order(request, order_id)

    @describe(
        operation_id="remove_order_coupon",
        summary="Take the coupon off a basket",
        responses={200: data_of(OrderSerializer)},
        description="The basket has its undiscounted prices again.",
    )
    def delete(self, request: Request, order_id: str) -> Response:
        services.remove_coupon(client=client_of(request), order_id=order_id)
        return _whole_order(request, order_id)


class PaymentDetailsView(PortalView):
    throttle_classes = (BasketThrottle,)

    @describe(
        operation_id="create_payment_details",
        summary="Say how the client wants to pay",
        request=NewPaymentDetailsSerializer,
        responses={201: data_of(PaymentDetailsSerializer)},
        description=(
            "The id of the answer is the `payment_details_id` of the conversion."
        ),
    )
    def post(self, request: Request) -> Response:
        body = read(NewPaymentDetailsSerializer, request.data)
        details = services.add_payment_details(
            client=client_of(request), **body, now=timezone.now()
        )
        return Response({"data": PaymentDetailsSerializer(details).data}, status=201)


def _whole_order(request: Request, order_id: str, *, status: int = 200) -> Response:
    order = selectors.get_order(client=client_of(request), order_id=order_id)
    return Response({"data": OrderSerializer(order).data}, status=status)
