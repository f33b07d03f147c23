"""What the demonstration's program says to affiliates, in English and in German."""

from __future__ import annotations

TERMS = """Advertise honestly and name it as advertising.
Do not bid on our name or send unsolicited e-mail.
We pay when you ask, once your balance reaches the minimum."""
TERMS_IN_GERMAN = """\
Werben Sie ehrlich und kennzeichnen Sie Werbung als Werbung.
Bieten Sie nicht auf unseren Namen und verschicken Sie keine unverlangten E-Mails.
Wir zahlen auf Ihre Anforderung, sobald Ihr Guthaben den Mindestbetrag erreicht."""
# Each question in English and in German.
QUESTIONS = (
    ("Where will you present us?", "Wo stellen Sie uns vor?"),
    ("How many people read you each month?", "Wie viele lesen Sie im Monat?"),
)
