import stripe
from django import forms
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from affiliates.contracts import ClientRegistered
from affiliates.cookies import referral_cookie
from affiliates.host_events import client_registered


class SignUpForm(UserCreationForm):
    email = forms.EmailField()

    class Meta:
        model = User
        fields = ("username", "email")


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "page.html", {"action": "Subscribe", "url": "/subscribe"})


@transaction.atomic
def sign_up(request: HttpRequest) -> HttpResponse:
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        event = ClientRegistered(
            brand_id=settings.BRAND_ID,
            client_id=str(user.pk),
            registered_at=user.date_joined,
        )
        cookie = referral_cookie(request)
        client_registered(event, referral_cookie=cookie, now=user.date_joined)
        login(request, user)
        return redirect("home")
    return render(request, "page.html", {"form": form, "action": "Sign up"})


@require_POST
@login_required
def subscribe(request: HttpRequest) -> HttpResponse:
    """Leads to Stripe's page; affiliates.contrib.stripe receives what comes of it."""
    session = stripe.checkout.Session.create(
        api_key=settings.STRIPE_API_KEY,
        mode="subscription",
        line_items=[{"price": settings.STRIPE_PRICE, "quantity": 1}],
        client_reference_id=str(request.user.pk),
        # Stripe brings the cookie back with the event, to where no browser is.
        metadata={"referral_cookie": referral_cookie(request) or ""},
        success_url=request.build_absolute_uri("/"),
    )
    return redirect(session.url)
