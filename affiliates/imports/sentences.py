"""What is wrong with a file by itself, in words for whoever mends it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    # The whole file.
    "too_large": _("The file is larger than %(limit)s MB: divide it."),
    "too_many_rows": _(
        "The file has more than %(limit)s rows: divide it, with the headings in each part."
    ),
    "too_many_columns": _("There are more than %(limit)s columns."),
    "undecodable": _("The file is no text in %(encoding)s: save it as CSV in UTF-8."),
    "damaged_utf8": _(
        "The file is UTF-8, but parts of it are not: save it again as CSV in UTF-8."
    ),
    "no_headings": _("The file is empty."),
    "no_section": _("The file has no section [[%(name)s]]."),
    "unnamed_column": _(
        "Column %(position)s has no heading: give it one, or remove it."
    ),
    "duplicate_column": _("Two columns have the heading %(name)s."),
    "unknown_column": _(
        "There is no column %(name)s. The first row must be headings, of these: %(names)s."
    ),
    "missing_column": _("There is no column for %(names)s."),
    "broken_quotes": _(
        "A quotation mark is opened and never closed, or stands alone: inside a cell "
        "write it twice."
    ),
    "record_too_long": _(
        "The row has more than %(limit)s characters: is a quotation mark never closed?"
    ),
    # A row.
    "too_few_cells": _("There are %(found)s cells for %(wanted)s columns."),
    "too_many_cells": _(
        "There are %(found)s cells for %(wanted)s columns: put quotation marks around a "
        "cell that holds the separator."
    ),
    "required": _("A value is missing."),
    "one_required": _("One of these is needed: %(columns)s."),
    # A cell.
    "nul": _("A NUL character cannot be kept."),
    "unprintable": _("An invisible character cannot be kept."),
    "too_long": _("At most %(limit)s characters are kept."),
    "has_blanks": _("“%(text)s” has blanks in it."),
    "unknown_word": _("“%(text)s” is none of: %(words)s."),
    "not_an_email": _("“%(text)s” is no e-mail address."),
    "not_a_code": _(
        "“%(text)s” is no code: 3 to 32 letters, digits and hyphens, no hyphen at either "
        "end."
    ),
    "not_a_hash": _("“%(text)s” is no hash: 40 digits from 0 to f."),
    "not_a_url": _("“%(text)s” is no address: begin with https:// or http://."),
    "unknown_currency": _(
        "“%(text)s” is no currency: write its three letters, such as EUR."
    ),
    "not_a_number": _(
        "“%(text)s” is no number: write digits and the file's decimal mark, without a "
        "currency."
    ),
    "unclear_number": _(
        "“%(text)s” could be two numbers: say whether the file's decimal mark is a point "
        "or a comma."
    ),
    "too_fine": _("“%(text)s” has more decimals than %(currency)s has: round it."),
    "too_large_amount": _("“%(text)s” is more than can be booked."),
    "not_a_percentage": _(
        "“%(text)s” is no percentage: 0 to 100, with at most three decimals."
    ),
    "not_a_date": _(
        "“%(text)s” is no date: write it as 2026-12-31 or 2026-12-31 23:59:00."
    ),
    "unclear_date": _(
        "“%(text)s” could be two dates: say whether the file writes the day or the month "
        "first."
    ),
}
