from django.contrib import admin

from hosting.models import Coupon, Invoice, Order

admin.site.register([Order, Invoice, Coupon])
