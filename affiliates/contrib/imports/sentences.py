"""Sentences about a file's faults, for the person who corrects it."""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES = {
    # The whole file.
    "too_large": "The file is larger than %(limit)s MB: divide it.",
    "too_many_rows": "The file has more than %(limit)s rows: divide it, with the headings in each part.",
    "too_many_columns": "There are more than %(limit)s columns.",
    "undecodable": "The file is no text in %(encoding)s: save it as CSV in UTF-8.",
    "damaged_utf8": "The file is UTF-8, but parts of it are not: save it again as CSV in UTF-8.",
    "is_workbook": "This is a workbook (.xlsx, .xls or .ods), or an archive, and no text: open it and "
    "save its sheet as CSV in UTF-8.",
    "is_page": "This is a web page (HTML) or XML, and no CSV: was it saved from a page that asked to "
    "log in? Save the table as CSV in UTF-8.",
    "is_pdf": "This is a PDF, and no text: export the table as CSV in UTF-8.",
    "title_above": "The headings are in row %(row)s: remove the rows above, such as a title.",
    "no_headings": "The file is empty.",
    "no_section": "The file has no section [[%(name)s]].",
    "unnamed_column": "Column %(position)s has no heading: give it one, or remove it.",
    "duplicate_column": "Two columns have the heading %(name)s.",
    "unknown_column": "There is no column %(name)s. The first row must be headings, of these: %(names)s.",
    "missing_column": "There is no column for %(names)s.",
    "broken_quotes": "A quotation mark is opened and never closed, or stands alone: inside a cell "
    "write it twice.",
    "record_too_long": "The row has more than %(limit)s characters: is a quotation mark never closed?",
    # A row.
    "too_few_cells": "There are %(found)s cells for %(wanted)s columns.",
    "too_many_cells": "There are %(found)s cells for %(wanted)s columns: put quotation marks around a "
    "cell that holds the separator.",
    "required": "A value is missing.",
    "one_required": "One of these is needed: %(columns)s.",
    # A cell.
    "nul": "A NUL character cannot be kept.",
    "unprintable": "An invisible character cannot be kept.",
    "too_long": "At most %(limit)s characters are kept.",
    "has_blanks": "“%(text)s” has blanks in it.",
    "unknown_word": "“%(text)s” is none of: %(words)s.",
    "not_an_email": "“%(text)s” is no e-mail address.",
    "not_a_code": "“%(text)s” is no code: 3 to 32 letters, digits, hyphens, dots and underscores, no "
    "hyphen or dot at either end.",
    "reserved_code": "“%(text)s” cannot be a code: broken links have it, such as ?ref=%(text)s.",
    "not_a_hash": "“%(text)s” is no hash: 40 digits from 0 to f.",
    "not_a_url": "“%(text)s” is no address: begin with https:// or http://.",
    "unknown_currency": "“%(text)s” is no currency: write its three letters, such as EUR.",
    "not_a_number": "“%(text)s” is no number: write digits and the file's decimal mark, without a "
    "currency.",
    "unclear_number": "“%(text)s” could be two numbers: say whether the file's decimal mark is a point "
    "or a comma.",
    "too_fine": "“%(text)s” has more decimals than %(currency)s has: round it.",
    "too_large_amount": "“%(text)s” is more than can be booked.",
    "below_zero": "“%(text)s” is less than zero.",
    "gross_below_net": "The amount with tax is less than the amount before tax.",
    "not_a_percentage": "“%(text)s” is no percentage: 0 to 100, with at most three decimals.",
    "not_a_date": "“%(text)s” is no date: write it as 2026-12-31 or 2026-12-31 23:59:00.",
    "unclear_date": "“%(text)s” could be two dates: say whether the file writes the day or the month "
    "first.",
    # Beside what we hold.
    "amount_too_large": "The amount is larger than the books can hold.",
    "affiliate_code_taken": "%(code)s is the code of another affiliate.",
    "affiliate_has_other_code": "This client is an affiliate already, by the code %(code)s.",
    "affiliate_is_client": "The affiliate is this client in person.",
    "affiliate_not_active": "%(name)s is not active: only active ones are credited.",
    "affiliate_known_otherwise": "%(key)s was imported as another affiliate.",
    "balance_posted_otherwise": "This balance was imported before with another amount: %(amount)s. "
    "Correct it with a bonus or a deduction on the page of the affiliate.",
    "changed_meanwhile": "Something was written meanwhile that this file names. Nothing was imported: "
    "upload it again.",
    "client_bound_to_other": "This client is bound to another affiliate, %(code)s.",
    "client_is_guest": "%(name)s is a guest: it must register first.",
    "coupon_of_other": "The coupon %(code)s belongs to another affiliate.",
    "gave_up": "It could not be imported. The log of the worker says why.",
    "in_future": "This moment is yet to come.",
    "invalid_value": "This value cannot be kept: %(value)s.",
    "key_is_gone": "The file cannot be read with the keys of this server: upload it again.",
    "link_code_taken": "%(code)s is another link, or the code of an affiliate.",
    "link_code_unusable": "No link is found by %(code)s: it has 1 to 32 letters, digits, dots, hyphens and "
    "underscores.",
    "link_of_other": "The link %(hash)s belongs to another affiliate.",
    "order_known_otherwise": "The order or its invoice is known with another client, affiliate or reference.",
    "not_settled": "The rows are imported, but payments reported before for them could not be "
    "settled. The log of the worker says why.",
    "own_balance": "Nobody imports a balance of their own.",
    "repeats_row": "This says again, or otherwise, what row %(row)s says.",
    "staff_needed": "Past orders are credited by a member of staff: say who imports them.",
    "target_refused": "%(url)s is no page that this brand's links may lead to: use an address on one "
    "of its domains.",
    "too_many_paid": "At most %(most)s orders with amounts are imported at once: divide the file.",
    "unknown_affiliate": "%(name)s is no affiliate of this brand.",
    "unknown_client": "Nobody of this brand's clients is %(name)s.",
    "unknown_group": "The brand has no group %(name)s.",
}


def sentence_of(code: str, params: Mapping[str, str | int]) -> str:
    """Without the place."""
    return SENTENCES.get(code, code) % params
