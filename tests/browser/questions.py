"""What an operator asks, the clicks that answer it, and the same in SQL."""

from __future__ import annotations

from typing import NamedTuple


class Question(NamedTuple):
    """``sql`` gives the rows of these columns of the page that the clicks lead to.

    ``clicks`` are the links' words, or what they are labelled with. Rows of zeros are
    left out on both sides. ``is_ranked``: by the second of the columns.
    """

    clicks: tuple[str, ...]
    columns: tuple[str, ...]
    sql: str
    is_ranked: bool = False


# The tables' names are short here.
NET = """
SELECT {key}, round(sum(moved.net), 2) FROM (
  SELECT order_referral_id, net, net_currency FROM sale WHERE paid_at >= :{days}
  UNION ALL
  SELECT s.order_referral_id, r.net, r.net_currency FROM salereversal r
  JOIN sale s ON s.id = r.sale_id WHERE s.paid_at >= :{days}
) moved JOIN orderreferral o ON o.id = moved.order_referral_id {join}
WHERE net_currency = 'EUR' GROUP BY 1
"""
ORDERS = """
SELECT {key}, count(*) FROM orderreferral o {join}
WHERE o.converted_at >= :{days} AND o.affiliate_id IS NOT NULL GROUP BY 1
"""
CLICKS = """
SELECT {key}, count(*), sum(bot_signs <> '') FROM click c {join}
WHERE c.created_at >= :days_30 AND c.affiliate_id IS NOT NULL GROUP BY 1
"""
OF_AFFILIATE = "JOIN affiliate a ON a.id = o.affiliate_id"
OF_CLICK = "JOIN click c ON c.id = o.click_id AND c.affiliate_id = o.affiliate_id"
OF_LINK = f"{OF_CLICK} JOIN affiliatelink l ON l.id = c.link_id"
LINK = "l.name || ' (' || substr(l.hash, 1, 8) || ')'"
HOST = "substr(referrer_url, 9, instr(substr(referrer_url, 9) || '/', '/') - 1) AS host"
SIGNS_OF_LIFE = """
SELECT affiliate_id FROM click
WHERE bot_signs = '' AND created_at {days} AND affiliate_id IS NOT NULL
UNION SELECT affiliate_id FROM orderreferral
WHERE converted_at {days} AND affiliate_id IS NOT NULL
"""
QUIET = """
SELECT code FROM affiliate WHERE id NOT IN ({since}) AND id IN ({before})
""".format(
    since=SIGNS_OF_LIFE.format(days=">= :days_90"),
    before=SIGNS_OF_LIFE.format(days="BETWEEN :days_180 AND :days_90"),
)
NEVER = """
SELECT code FROM affiliate WHERE status = 'active' AND id NOT IN ({ever})
""".format(ever=SIGNS_OF_LIFE.format(days="IS NOT NULL"))
REFUND_RATE = """
SELECT a.code, (100.0 * count(r.id) / count(DISTINCT s.id)) || ' %' FROM sale s
JOIN orderreferral o ON o.id = s.order_referral_id
JOIN affiliate a ON a.id = o.affiliate_id
LEFT JOIN salereversal r ON r.sale_id = s.id
WHERE s.paid_at >= :days_90 GROUP BY 1
"""
QUESTIONS = {
    "who brought most revenue": Question(
        ("Ranking", "90 days"),
        ("Affiliate", "Net revenue"),
        NET.format(key="a.code", days="days_90", join=OF_AFFILIATE),
        is_ranked=True,
    ),
    "who brought most orders": Question(
        ("Ranking", "90 days", "Orders"),
        ("Affiliate", "Orders"),
        ORDERS.format(key="a.code", days="days_90", join=OF_AFFILIATE),
        is_ranked=True,
    ),
    "who brought most clicks": Question(
        ("Ranking", "Clicks"),
        ("Affiliate", "Clicks", "Clicks of robots"),
        CLICKS.format(key="a.code", join="JOIN affiliate a ON a.id = c.affiliate_id"),
        is_ranked=True,
    ),
    "from which links": Question(
        ("Ranking", "Link", "Orders"),
        ("Link", "Orders"),
        ORDERS.format(key=LINK, days="days_30", join=OF_LINK),
        is_ranked=True,
    ),
    "from which sources": Question(
        ("Ranking", "Referring site"),
        ("Referring site", "Net revenue"),
        NET.format(key=HOST, days="days_30", join=OF_CLICK),
        is_ranked=True,
    ),
    "from which countries": Question(
        ("Ranking", "Country", "Orders"),
        ("Country", "Orders"),
        ORDERS.format(key="c.country", days="days_30", join=OF_CLICK),
        is_ranked=True,
    ),
    "by which coupons": Question(
        ("Ranking", "Coupon", "90 days"),
        ("Coupon", "Net revenue"),
        NET.format(key="o.coupon_code", days="days_90", join=""),
        is_ranked=True,
    ),
    "refund rate by affiliate": Question(
        ("Ranking", "90 days", "Refund rate"),
        ("Affiliate", "Refund rate"),
        REFUND_RATE,
        is_ranked=True,
    ),
    "what we owe today": Question(
        ("What we owe",),
        ("State", "EUR", "USD"),
        "SELECT CASE WHEN amount < 0 THEN 'Affiliates'' debts' WHEN account = 'pending' THEN"
        " 'Pending' WHEN account = 'held' THEN 'Held' WHEN account = 'payable' THEN"
        " 'Payable' ELSE 'Being paid out' END,"
        " sum(iif(currency = 'EUR', amount, 0)) / 100.0,"
        " sum(iif(currency = 'USD', amount, 0)) / 100.0 FROM accountbalance"
        " WHERE account = 'payable'"
        " OR (account IN ('pending', 'held', 'clearing') AND amount > 0)"
        " GROUP BY 1",
    ),
    "what matures this week": Question(
        ("What we owe", "In the next 7 days"),
        ("Invoice", "After refunds"),
        "SELECT i.number, (c.amount + coalesce((SELECT sum(amount) FROM commissionreversal"
        " WHERE commission_id = c.id), 0)) / 100.0 FROM commission c"
        " JOIN sale s ON s.id = c.sale_id"
        " JOIN portal_invoice i ON i.id = replace(s.invoice_ref, '-', '')"
        " WHERE c.status = 'pending' AND c.matures_at >= :tomorrow"
        " AND c.matures_at < :in_8_days",
    ),
    "what was paid last month": Question(
        ("What we owe", "Last month"),
        ("Payout", "Amount", "Reference", "File"),
        "SELECT 'Payout ' || id, amount / 100.0, remote_ref,"
        " coalesce('Batch ' || batch_id, '-') FROM payout WHERE status = 'paid'"
        " AND finished_at >= :last_month AND finished_at < :month",
    ),
    "which orders earned nothing and why": Question(
        ("Orders that earned nothing", "orders: No affiliate is known to have sent"),
        ("Invoice",),
        "SELECT i.number FROM orderreferral o"
        " JOIN portal_invoice i ON i.id = replace(o.invoice_ref, '-', '')"
        " WHERE o.reason = 'no_touch' AND o.converted_at >= :days_30",
    ),
    "a coupon's sales": Question(
        ("Ranking", "Coupon", "PARTNER10"),
        ("Invoice", "Affiliate"),
        "SELECT i.number, a.code FROM orderreferral o"
        " JOIN portal_invoice i ON i.id = replace(o.invoice_ref, '-', '')"
        " JOIN affiliate a ON a.id = o.affiliate_id"
        " WHERE coupon_code = 'PARTNER10' AND o.converted_at >= :days_30",
    ),
    "suspicious clicks by source": Question(
        ("Ranking", "Referring site", "Clicks"),
        ("Referring site", "Clicks", "Clicks of robots"),
        CLICKS.format(key=HOST, join=""),
    ),
    "suspicious clicks by country": Question(
        ("Ranking", "Country", "Clicks"),
        ("Country", "Clicks", "Clicks of robots"),
        CLICKS.format(key="country", join=""),
    ),
    "who went quiet": Question(
        ("Ranking", "90 days", "Went quiet"),
        ("Affiliate",),
        QUIET,
    ),
    "who never started": Question(
        ("Ranking", "Never started"),
        ("Affiliate",),
        NEVER,
    ),
    "who changed what": Question(
        ("System", "Log entries"),
        ("What", "Action"),
        "SELECT object_repr, CASE action WHEN 0 THEN 'create' WHEN 1 THEN 'update' ELSE"
        " 'delete' END FROM auditlog_logentry ORDER BY timestamp DESC, id DESC LIMIT 50",
    ),
    "what is broken": Question(
        ("E-mails that did not arrive",),
        ("Recipient",),
        "SELECT recipient FROM email WHERE state = 'failed'",
    ),
}
# The list of them, the words on a row's own page, and the field that they lead to.
GIVEN = {
    "an order": ("Order referrals", "Assign to an affiliate…", "To the affiliate"),
    "a client": (
        "Client referrals",
        "Give to another affiliate…",
        "To the affiliate",
    ),
}
