"""Answers of banks and PayPal, as tests have them say what they like."""

from __future__ import annotations

import json
from decimal import Decimal

CAMT = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"


def decimal(minor: int) -> str:
    return f"{Decimal(minor) / 100:.2f}"


def paid(reference: str, minor: int, *, currency="EUR", number=1, status="BOOK") -> str:
    """One booking of one transfer."""
    return f"""
<Ntry><Amt Ccy="{currency}">{decimal(minor)}</Amt><CdtDbtInd>DBIT</CdtDbtInd>
<Sts><Cd>{status}</Cd></Sts><AcctSvcrRef>BANK-{number}</AcctSvcrRef>
<NtryDtls><TxDtls><Refs><EndToEndId>{reference}</EndToEndId></Refs>
<Amt Ccy="{currency}">{decimal(minor)}</Amt></TxDtls></NtryDtls></Ntry>"""


def returned(reference: str, minor: int, *, code="AC04", text="Account closed") -> str:
    return f"""
<Ntry><Amt Ccy="EUR">{decimal(minor)}</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><EndToEndId>{reference}</EndToEndId></Refs>
<AmtDtls><TxAmt><Amt Ccy="EUR">{decimal(minor)}</Amt></TxAmt></AmtDtls>
<RtrInf><Rsn><Cd>{code}</Cd></Rsn><AddtlInf>{text}</AddtlInf></RtrInf>
</TxDtls></NtryDtls></Ntry>"""


def statement(*entries: str, head: str = "") -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>{head}
<Document xmlns="{CAMT}"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt>
{"".join(entries)}</Stmt></BkToCstmrStmt></Document>""".encode()


def status_report(*lines: tuple[str, str, int, str]) -> bytes:
    """Each: reference, status, minor units, reason code."""
    told = "".join(
        f"""<TxInfAndSts><OrgnlEndToEndId>{reference}</OrgnlEndToEndId>
<TxSts>{status}</TxSts><StsRsnInf><Rsn><Cd>{code}</Cd></Rsn></StsRsnInf><OrgnlTxRef>
<Amt><InstdAmt Ccy="EUR">{decimal(minor)}</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>"""
        for reference, status, minor, code in lines
    )
    return f"""<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">
<CstmrPmtStsRpt><OrgnlPmtInfAndSts>{told}</OrgnlPmtInfAndSts></CstmrPmtStsRpt>
</Document>""".encode()


def paypal_items(*items: tuple[str, str, int]) -> bytes:
    """Each: reference, status, minor units."""
    return json.dumps(
        {
            "batch_header": {"batch_status": "SUCCESS"},
            "items": [
                {
                    "payout_item_id": f"ITEM{number}",
                    "transaction_id": f"TX{number}",
                    "transaction_status": status,
                    "payout_item": {
                        "receiver": "partner@example.org",
                        "amount": {"value": decimal(minor), "currency": "EUR"},
                        "sender_item_id": reference,
                    },
                    **(
                        {}
                        if status == "SUCCESS"
                        else {"errors": {"name": "RECEIVER_UNREGISTERED"}}
                    ),
                }
                for number, (reference, status, minor) in enumerate(items, start=1)
            ],
        }
    ).encode()
