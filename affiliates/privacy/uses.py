"""Why the product stores personal data, and for how long."""

# A table, of which each row is one statement.
# fmt: off

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from affiliates.privacy.types import Ground, Kept, Person, Receiver, Use

AFFILIATE, CLIENT, STAFF, VISITOR = Person.AFFILIATE, Person.CLIENT, Person.STAFF, Person.VISITOR
PROVIDER, WEBHOOK = Receiver.PROVIDER, Receiver.WEBHOOK

BOOKS = Kept(
    _("{count} years: as long as the operator's law requires for books"), "keep_books_years")
CLICKS = Kept(
    _("As many months as the brand keeps clicks, 13 unless it says otherwise; the click that a "
      "client or an order came by, as long as these"))
MEMBERSHIP = Kept(_("While the affiliate takes part, then with the books"))
WITH_ROW = Kept(_("As long as the row it belongs to"))
UNTIL_CHANGED = Kept(_("Until it is changed or deleted"))
VISIT = Use(VISITOR, _("To credit the affiliate who sent the visitor"), Ground.CONSENT, CLICKS,
    (PROVIDER,))
ADDRESS = Use(VISITOR,
    _("To recognise orders from one network as fraud, and for the integration"), Ground.INTEREST,
    Kept(_("Encrypted for 7 days at most; then as a hash keyed by the day, or not at all, as the "
           "brand says. A whole address only until it is delivered")),
    (PROVIDER,))
DEVICE = Use(VISITOR, _("To recognise robots, and for the integration"), Ground.INTEREST,
    Kept(_("{count} days"), "keep_user_agents_days"), (PROVIDER,))
REFERRAL = Use(CLIENT, _("To credit an order, and to prove who was credited and why"),
    Ground.INTEREST, BOOKS, (Receiver.AFFILIATE, PROVIDER, WEBHOOK))
ACCOUNT = Use(CLIENT,
    _("The number of the account and the decision: by them the books of one person belong together"),
    Ground.DUTY, BOOKS, (Receiver.AFFILIATE, PROVIDER, WEBHOOK), stays=True)
SALE = Use(CLIENT, _("To compute commissions of what was paid"), Ground.DUTY, BOOKS,
    (Receiver.AFFILIATE, PROVIDER, WEBHOOK), stays=True)
SOLD = Use(CLIENT, _("To say in the client's words what was sold, such as a domain's name"),
    Ground.CONTRACT, BOOKS, (Receiver.AFFILIATE, PROVIDER))
DELIVERY = Use(CLIENT, _("To tell integrations and webhooks of clicks, clients and sales"),
    Ground.INTEREST,
    Kept(_("Of clicks and events {count} days after they were sent; sales, leads and reversals "
           "prove what was sent, and stay with the books"), "keep_deliveries_days"),
    (PROVIDER, WEBHOOK))
FRAUD = Use(CLIENT, _("To prevent fraud"), Ground.INTEREST, BOOKS)
PROGRAM = Use(AFFILIATE, _("To run the affiliate program: links, codes, keys and choices"),
    Ground.CONTRACT, MEMBERSHIP)
RETIRED = Use(AFFILIATE, _("To give no other affiliate a name that is in the links of an erased one"),
    Ground.INTEREST, Kept(_("As a keyed hash, without limit")), is_secret=True, stays=True)
APPLICATION = Use(AFFILIATE, _("To decide on an application or an invitation"), Ground.CONTRACT,
    Kept(_("While the affiliate takes part; {count} days after it was declined"), "keep_declined_days"))
EARNINGS = Use(AFFILIATE, _("To compute, prove and state what an affiliate earns and is paid"),
    Ground.DUTY, BOOKS, (WEBHOOK,), stays=True)
MEMBER = Use(AFFILIATE, _("The number of the account, to which the books belong"),
    Ground.DUTY, BOOKS, stays=True)
PAYMENT = Use(AFFILIATE, _("To prove who was paid what, and where to"), Ground.DUTY, BOOKS,
    (Receiver.BANK,), stays=True)
DESTINATION = Use(AFFILIATE, _("To pay the affiliate"), Ground.CONTRACT, BOOKS, (Receiver.BANK,))
HELP = Use(AFFILIATE, _("To help affiliates and to answer their claims"), Ground.CONTRACT,
    MEMBERSHIP)
EMAIL = Use(AFFILIATE, _("To send e-mails, and to see whether they were sent"), Ground.CONTRACT,
    Kept(_("{count} days after it was sent"), "keep_emails_days"), (Receiver.MAIL,))
IMPORT = Use(AFFILIATE, _("To take over data of another system"), Ground.INTEREST, UNTIL_CHANGED)
ACCESS = Use(AFFILIATE, _("To let nobody else into the affiliate's account"), Ground.CONTRACT,
    MEMBERSHIP, is_secret=True)
ERASURE = Use(CLIENT, _("To erase what is stored of a person"), Ground.DUTY,
    Kept(_("Until it is erased")))
REPEAT = Use(CLIENT, _("To give a repeated request the same answer"), Ground.CONTRACT,
    Kept(_("A day, encrypted")), is_secret=True)
LIMIT = Use(VISITOR, _("To limit how often somebody calls"), Ground.INTEREST,
    Kept(_("As a keyed hash, until that time has passed: at most a day")), is_secret=True)
ACT = Use(STAFF, _("To show who of staff did what, and why"), Ground.INTEREST, WITH_ROW)
WORK = Use(STAFF, _("For the work of staff: their lists, views and e-mails"), Ground.INTEREST,
    UNTIL_CHANGED)
