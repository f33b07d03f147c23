"""What an affiliate asks, the clicks that answer it, and the same in SQL."""

# ruff: noqa: S608 - nobody but this file writes these statements

from __future__ import annotations

from typing import NamedTuple

TOM, KAI, JULIA, ELENA = "compare-hosts", "codewithkai", "pixelwerk", "foto-elena"


class Question(NamedTuple):
    """``sql`` gives one row for each sentence, or the rows of a table's columns.

    ``clicks`` are the words of links, from the overview on; ``{0}`` is a value of the
    first row. Whole numbers in sentences are euros in minor units.
    """

    clicks: tuple[str, ...]
    answer: str | tuple[str, ...]
    sql: str
    who: str = "demo"


OWN = "JOIN affiliate a ON a.id = {row}.affiliate_id AND a.code = :who"
OF_BALANCE, OF_COMMISSION = OWN.format(row="b"), OWN.format(row="c")
OF_ORDER, OF_PAYOUT = OWN.format(row="o"), OWN.format(row="p")
EUROS = f"""
SELECT {{sign}}sum(amount) FROM accountbalance b {OF_BALANCE}
WHERE currency = 'EUR' AND account IN ({{accounts}})
"""
EARNED = """c.amount + coalesce(
    (SELECT sum(r.amount) FROM commissionreversal r WHERE r.commission_id = c.id), 0)"""
# As the payout found it.
PAID = """c.amount + coalesce(
    (SELECT sum(r.amount) FROM commissionreversal r
     WHERE r.commission_id = c.id AND r.recorded_at < p.requested_at), 0)"""
INVOICE = """JOIN sale s ON s.id = c.sale_id
JOIN portal_invoice i ON i.id = replace(s.invoice_ref, '-', '')"""
PENDING = f"""
SELECT sum(iif(date(c.matures_at) = date(next.at), {EARNED}, 0)), next.at,
    max(c.matures_at)
FROM commission c {OF_COMMISSION}
JOIN (SELECT min(c.matures_at) AS at FROM commission c {OF_COMMISSION}
      WHERE c.status = 'pending' AND c.currency = 'EUR') AS next
WHERE c.status = 'pending' AND c.currency = 'EUR'
"""
LAST_PAID = f"(SELECT max(p.id) FROM payout p {OF_PAYOUT} WHERE p.status = 'paid')"
ORDERS = f"""
SELECT {{key}}, count(*) FROM orderreferral o {OF_ORDER}
{{join}} WHERE o.converted_at >= :days_30 GROUP BY 1
"""
OF_CLICK = "LEFT JOIN click k ON k.id = o.click_id AND k.affiliate_id = o.affiliate_id"
HOST = "substr(referrer_url, 9, instr(substr(referrer_url, 9) || '/', '/') - 1)"
LINK = """CASE WHEN k.link_id IS NOT NULL THEN l.name || ' (' || substr(l.hash, 1, 8) || ')'
    WHEN k.id IS NOT NULL THEN 'Your short address'
    WHEN o.coupon_code <> '' THEN 'Coupon ' || o.coupon_code
    ELSE 'Without a link' END"""
OF_LINK = f"{OF_CLICK} LEFT JOIN affiliatelink l ON l.id = k.link_id"
UNIQUE = "k.bot_signs = '' AND NOT k.is_repeat AND k.created_at >= :days_30"
TERMS = "SELECT {what} FROM brand b JOIN affiliate a ON a.brand_id = b.id WHERE a.code = :who"
RULE = """
SELECT {what} FROM affiliate a
JOIN commissionplan l ON l.id = a.plan_id
    OR a.plan_id IS NULL AND l.is_default AND l.brand_id = a.brand_id
JOIN planrule r ON r.plan_id = l.id
JOIN portal_product p ON p.brand_id = a.brand_id
WHERE a.code = :who AND p.is_active AND {where}
"""

QUESTIONS = {
    "what can I be paid now": Question(
        (), "Payable {0}", EUROS.format(sign="", accounts="'payable'")
    ),
    "what waits": Question(
        (), "Waiting {0}", EUROS.format(sign="", accounts="'pending', 'held'")
    ),
    "when can I be paid it": Question(
        (),
        "Next: {0} on {1}, all by {2}.",
        PENDING,
    ),
    "what do I owe": Question(
        (),
        "{0} will be set off against your next commissions.",
        EUROS.format(sign="-", accounts="'payable'"),
        ELENA,
    ),
    "what was paid last, and for which sales": Question(
        ("Payouts", "Statement"),
        ("Invoice", "Amount"),
        f"SELECT i.number, ({PAID}) / 100.0 FROM commission c {INVOICE}"
        f" JOIN payout p ON p.id = c.payout_id WHERE p.id = {LAST_PAID} UNION ALL"
        f" SELECT 'Refunds and corrections', (p.amount - sum({PAID})) / 100.0"
        f" FROM payout p JOIN commission c ON c.payout_id = p.id WHERE p.id = {LAST_PAID}",
    ),
    "why are dollars not paid": Question(
        (),
        "{0} cannot be paid to your destination.",
        f"SELECT currency FROM accountbalance b {OF_BALANCE}"
        " WHERE account = 'payable' AND amount > 0 AND currency = 'USD'",
    ),
    "where do payouts go": Question(
        ("Payout destination",),
        "Paid to: Bank transfer (SEPA) {0}",
        f"SELECT hint FROM payoutdestination p {OF_PAYOUT} ORDER BY p.id DESC LIMIT 1",
    ),
    "why did my payout come back": Question(
        ("Payouts", "Payout {0}"),
        "Reason {1}",
        f"SELECT p.id || '', reason FROM payout p {OF_PAYOUT} WHERE p.status = 'returned'",
        TOM,
    ),
    "which sites bring buyers": Question(
        ("Statistics", "Referring site"),
        ("Referring site", "Orders"),
        ORDERS.format(
            key=f"coalesce(nullif({HOST}, ''), 'Direct or unknown')", join=OF_CLICK
        ),
    ),
    "which countries bring buyers": Question(
        ("Statistics", "Country"),
        ("Country", "Orders"),
        ORDERS.format(key="coalesce(nullif(k.country, ''), 'Unknown')", join=OF_CLICK),
    ),
    "which links bring buyers, and does my own address": Question(
        ("Statistics", "Link"),
        ("Link", "Orders"),
        ORDERS.format(key=LINK, join=OF_LINK),
    ),
    "does my coupon bring buyers": Question(
        ("Statistics", "Coupon"),
        ("Coupon", "Orders"),
        ORDERS.format(
            key="CASE WHEN o.coupon_code <> '' THEN 'Coupon ' || o.coupon_code"
            " ELSE 'Without a coupon' END",
            join="",
        ),
    ),
    "which of my places bring buyers": Question(
        ("Statistics", "Sub-id"),
        ("Sub-id", "Orders"),
        ORDERS.format(
            key="coalesce(nullif(k.sub_id, ''), 'Without a sub-id')", join=OF_CLICK
        ),
    ),
    "how many of a hundred visitors buy": Question(
        (),
        "Conversion rate {0} %",
        f"SELECT printf('%.1f', 100.0 * (SELECT count(*) FROM orderreferral o {OF_ORDER}"
        " WHERE o.converted_at >= :days_30) / count(*))"
        f" FROM click k {OWN.format(row='k')} WHERE {UNIQUE}",
    ),
    "why was a commission taken back": Question(
        ("Commissions", "Reversed"),
        "{0} Reversed Refunds took all of it back. -{0}",
        f"SELECT c.amount FROM commission c {OF_COMMISSION}"
        " WHERE c.status = 'reversed' AND c.currency = 'EUR'",
    ),
    "what does a yearly plan earn me": Question(
        ("My terms",),
        "{0} {1} yearly {2} for each of the first 25 payments",
        RULE.format(
            what="p.name, cast(p.price * 100 AS integer), cast(p.price * r.percent AS integer)",
            where="r.kind = 'hosting' AND p.kind = 'hosting' AND p.billing_cycle = 'annually'",
        ),
        JULIA,
    ),
    "what does a .com domain earn me": Question(
        ("My terms",),
        "{0} {1} yearly {2} for the first payment only",
        RULE.format(
            what="p.name, cast(p.price * 100 AS integer),"
            " cast(json_extract(r.fixed_amounts, '$.EUR') * 100 AS integer)",
            where="r.tld = 'com' AND p.tld = 'com' AND p.operation = r.operation",
        ),
    ),
    "how far is the next tier": Question(
        ("My terms",),
        " of hosting: {0} in the calendar month so far.",
        "SELECT count(*) || iif(count(*) = 1, ' sale', ' sales')"
        f" FROM commission c {OF_COMMISSION} JOIN sale s ON s.id = c.sale_id"
        " WHERE c.earned_at >= :month AND c.status NOT IN ('rejected', 'reversed')"
        " AND c.share_of_id IS NULL AND s.net > 0",
        KAI,
    ),
    "how much of my cap is used": Question(
        ("My terms",),
        "you have earned {0}",
        f"SELECT coalesce(sum({EARNED}), 0) FROM commission c {OF_COMMISSION}"
        " WHERE c.earned_at >= :month AND c.status <> 'rejected'"
        " AND c.currency = 'EUR' AND c.share_of_id IS NULL",
        KAI,
    ),
    "may I advertise": Question(
        ("My terms",),
        "Paid advertising is {0}.",
        "SELECT CASE WHEN p.allows_paid_ads THEN 'allowed' ELSE 'forbidden' END"
        " FROM affiliate a JOIN commissionplan p ON p.id = a.plan_id WHERE a.code = :who",
        KAI,
    ),
    "how long does a click count": Question(
        ("My terms",),
        "A click counts for orders within {0} days.",
        TERMS.format(what="b.attribution_window_days || ''"),
    ),
    "what is the least that is paid": Question(
        ("My terms",),
        "At least {0}",
        "SELECT json_extract(minimums, '$.EUR') FROM payoutterms t"
        " JOIN affiliate a ON a.brand_id = t.brand_id WHERE a.code = :who",
    ),
    "which terms did I accept": Question(
        ("My terms",),
        "You accepted version {0} on {1}.",
        "SELECT v.number || '', t.accepted_at FROM recruitment_termsacceptance t"
        f" {OWN.format(row='t')} JOIN recruitment_programtermsversion v"
        " ON v.id = t.version_id",
    ),
    "whom did I recruit": Question(
        ("My terms",),
        "You have recruited {0} affiliates.",
        "SELECT count(*) || '' FROM affiliate r JOIN affiliate a ON a.id = r.recruiter_id"
        " WHERE a.code = :who",
        JULIA,
    ),
    "why was a commission rejected": Question(
        ("Commissions", "Rejected"),
        "{0} Rejected {1}",
        "SELECT c.amount, coalesce(json_extract(c.reason_details, '$.for_affiliate'),"
        " iif(c.reason = 'staff', 'Decided by staff.', c.reason))"
        f" FROM commission c {OF_COMMISSION} WHERE c.status = 'rejected'",
        TOM,
    ),
    "why is an order not mine": Question(
        ("Orders", "Not credited to you"),
        "Another affiliate's later click won over your click of {0}",
        "SELECT replace(substr(json_extract(k.value, '$.touched_at'), 1, 19), 'T', ' ')"
        " FROM orderreferral o, json_each(o.decision, '$.candidates') k"
        " JOIN affiliate a ON a.code = :who AND a.id <> o.affiliate_id"
        " AND a.id = json_extract(k.value, '$.affiliate_id')"
        " WHERE json_extract(k.value, '$.verdict') = 'later_click_won'",
        TOM,
    ),
}
