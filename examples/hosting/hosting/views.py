from django import forms
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from affiliates.cookies import referral_cookie
from hosting import services
from hosting.models import PRODUCTS, Invoice


class SignUpForm(UserCreationForm):
    email = forms.EmailField()

    class Meta:
        model = User
        fields = ("username", "email")


def plans(request: HttpRequest) -> HttpResponse:
    return render(request, "plans.html", {"products": PRODUCTS})


def sign_up(request: HttpRequest) -> HttpResponse:
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save(commit=False)
        services.sign_up(user, cookie=referral_cookie(request), now=timezone.now())
        login(request, user)
        return redirect("plans")
    return render(request, "sign_up.html", {"form": form})


@require_POST
@login_required
def order(request: HttpRequest, product: str) -> HttpResponse:
    if product not in PRODUCTS:
        raise Http404
    cookie, code = referral_cookie(request), request.POST.get("code", "")
    placed = services.place_order(
        request.user, product, code=code, cookie=cookie, now=timezone.now()
    )
    return redirect("invoice", placed.pk)


@login_required
def invoice(request: HttpRequest, invoice_id: int) -> HttpResponse:
    found = get_object_or_404(Invoice, pk=invoice_id, order__user=request.user)
    if request.method == "POST":  # Here a payment provider would be asked.
        services.pay(found.pk, now=timezone.now())
        return redirect("invoice", found.pk)
    return render(request, "invoice.html", {"invoice": found})
