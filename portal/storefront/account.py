"""Logging in to the shop and out of it, and the account's pages: all without scripts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps

from django import forms
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.exceptions import Throttled

from affiliates.cookies import JOINED_EMAIL
from affiliates.errors import InvalidInput, NotFound
from portal import gateways
from portal.billing.models import InvoiceStatus
from portal.billing.selectors import (
    INVOICES_PER_PAGE,
    get_invoice,
    list_invoices,
    with_initial_invoices,
)
from portal.clients import services, sessions
from portal.clients.api import SignedInSerializer
from portal.clients.confirmation import confirmed_at
from portal.clients.login_limits import wait_in_words
from portal.clients.models import MAX_EMAIL_LENGTH, User
from portal.clients.validators import MAX_PASSWORD_LENGTH
from portal.orders.models import OrderStatus
from portal.orders.selectors import ORDERS_PER_PAGE, list_orders
from portal.orders.serializers import MAX_PAGE
from portal.storefront.hosts import brand_of, client_of_page
from portal.storefront.views import not_found, page, require_storefront

ACCOUNT_PAGE = "/account"

View = Callable[..., HttpResponse]


class LoginForm(forms.Form):
    email = forms.CharField(max_length=MAX_EMAIL_LENGTH)
    password = forms.CharField(max_length=MAX_PASSWORD_LENGTH, strip=False)


def of_client(view: View) -> View:
    """A page of the session's client; who has none is asked to log in."""

    @wraps(view)
    @never_cache
    def answer(request: HttpRequest, **parts: str) -> HttpResponse:
        require_storefront(request)
        client = client_of_page(request)
        if client is None:
            return redirect_to_login(request.get_full_path())
        return view(request, client, **parts)

    return answer


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    require_storefront(request)
    form = LoginForm(
        request.POST if request.method == "POST" else None,
        initial={"email": request.session.get(JOINED_EMAIL, "")},
    )
    if not form.is_bound:
        return _login_page(request, form)
    if not form.is_valid():
        return _login_page(request, form, status=400)
    try:
        is_in = sessions.log_in(
            request, brand_id=brand_of(request), **form.cleaned_data
        )
    except InvalidInput:
        form.add_error(None, _("Wrong e-mail or password."))
        return _login_page(request, form, status=400)
    except Throttled as refusal:
        return too_many(refusal, form, partial(_login_page, request, form))
    request.session.pop(JOINED_EMAIL, None)
    wanted = next_page(request)
    code_page = f"{reverse('client-login-code')}?{urlencode({'next': wanted})}"
    return HttpResponseRedirect(wanted if is_in else code_page)


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    require_storefront(request)
    if client_of_page(request) is not None:
        logout(request)
    return HttpResponseRedirect("/")


@of_client
def account(request: HttpRequest, client: User) -> HttpResponse:
    """The client's orders and invoices, each by pages of their own."""
    orders_page, invoices_page = (
        _number(request, "orders"),
        _number(request, "invoices"),
    )
    orders = list_orders(client=client, page=orders_page, status=OrderStatus.CONVERTED)
    with_initial_invoices(orders)
    invoices = list_invoices(client=client, page=invoices_page)
    return page(
        request,
        "account",
        orders=orders,
        orders_page=orders_page,
        has_older_orders=len(orders) == ORDERS_PER_PAGE,
        invoices=invoices,
        invoices_page=invoices_page,
        has_older_invoices=len(invoices) == INVOICES_PER_PAGE,
    )


@of_client
def invoice(request: HttpRequest, client: User, invoice_id: str) -> HttpResponse:
    """To read, to print and to pay."""
    try:
        invoice = get_invoice(client=client, invoice_id=invoice_id)
    except NotFound:
        return not_found(request, "")
    is_unpaid = invoice.status == InvoiceStatus.UNPAID
    pay_at = gateways.payment_url(gateway=invoice.gateway, invoice_id=invoice.pk)
    return page(
        request, "invoice", invoice=invoice, is_unpaid=is_unpaid, payment_url=pay_at
    )


@never_cache
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """A token of the API for the shop's script, which knows the session's client by it."""
    require_storefront(request)
    client = client_of_page(request)
    if client is None:
        return JsonResponse({"data": None}, status=401)
    try:
        signed_in = services.issue_token(
            client,
            now=timezone.now(),
            confirmed_at=confirmed_at(request),
            session_key=request.session.session_key,
        )
    except InvalidInput:
        return JsonResponse({"data": None}, status=401)
    return JsonResponse({"data": SignedInSerializer(signed_in).data})


def too_many(
    refusal: Throttled, form: forms.Form, answer_by: Callable[..., HttpResponse]
) -> HttpResponse:
    """The form's page, which says how long to wait."""
    seconds: int = refusal.wait  # type: ignore[attr-defined] # the stubs forget it
    form.add_error(None, wait_in_words(seconds))
    answer = answer_by(status=429)
    answer["Retry-After"] = str(seconds)
    return answer


def _login_page(
    request: HttpRequest, form: LoginForm, *, status: int = 200
) -> HttpResponse:
    return page(
        request,
        "login",
        status=status,
        form=form,
        next_page=next_page(request),
        has_new_password="new-password" in request.GET,
        has_ended="ended" in request.GET,
    )


def next_page(request: HttpRequest) -> str:
    """Where the visitor wanted to be: a path of this host, or else the account."""
    wanted = request.POST.get("next", request.GET.get("next", ""))
    is_own = wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts=None
    )
    return wanted if is_own else ACCOUNT_PAGE


def _number(request: HttpRequest, name: str) -> int:
    """The page number in the query; 1 for an invalid one."""
    try:
        page = int(request.GET.get(name, "1"))
    except ValueError:
        return 1
    return min(max(page, 1), MAX_PAGE)
