"""Twelve months of the demonstration's program, ending today.

``people`` are its affiliates and clients; ``program`` its plans, coupons and staff.
``stories`` lets a client order through the services and takes the rows as a template,
``copying`` writes them again for other clients, days and affiliates, as
``seeding`` does; ``clicks`` are the visits that nobody ordered after.
``seed`` goes through the year week by week: ``traffic`` says how much happens,
``ordering`` who orders, ``staff`` what people decide and pay; ``today`` leaves something
in each queue.
"""
