from django.contrib import admin

from hosting.models import Invoice, Order

admin.site.register([Order, Invoice])
