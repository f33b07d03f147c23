"""Files that people upload."""

from __future__ import annotations

PAGES = (
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
)


def pdf(
    *objects: bytes, pages: tuple[bytes, ...] = PAGES, trailer: bytes = b""
) -> bytes:
    """A PDF of one empty page, with these objects beside it."""
    content, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate((*pages, *objects), start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(offsets) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n" % count
        + table
        + b"trailer\n<< /Size %d /Root 1 0 R %s>>\n" % (count, trailer)
        + b"startxref\n%d\n%%%%EOF\n" % len(content)
    )


def stream(data: bytes, entries: bytes = b"/Filter /FlateDecode") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)
