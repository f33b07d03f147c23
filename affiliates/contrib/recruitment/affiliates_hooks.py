"""Registers the job, the e-mails, the recorded rows and the work of staff."""

from __future__ import annotations

from functools import partial

from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.recruitment import emails
from affiliates.contrib.recruitment.services import applications
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.emails.preview import sample
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACT, APPLICATION

__all__ = ["applications"]

for kind, label in emails.LABELS.items():
    sample.register(f"recruitment_{kind}", label, partial(emails.write_sample, kind))
RECORDED_MODELS["affiliates_recruitment.ApplicationQuestion"] = "brand"
RECORDED_MODELS["affiliates_recruitment.RecruitmentPolicy"] = "brand"
register(
    "affiliates_recruitment",
    {
        OPERATOR: Work(
            configures=("applicationquestion", "recruitmentpolicy"),
            does=("add_invitation", "change_invitation"),
        )
    },
)

OF_AFFILIATE = {Person.AFFILIATE: {"affiliate": Key.AFFILIATE}}
BY_ADDRESS = {Person.AFFILIATE: {"email": Key.EMAIL}}
declare("affiliates_recruitment.RecruitmentPolicy", other="terms translations")
declare("affiliates_recruitment.ApplicationQuestion", other="text translations")
declare("affiliates_recruitment.ProgramTermsVersion", other="text translations")
declare("affiliates_recruitment.TermsAcceptance", of=OF_AFFILIATE)
declare(
    "affiliates_recruitment.Application",
    {APPLICATION: "answers"},
    of=OF_AFFILIATE,
    deletes=OF_AFFILIATE.keys(),
)
declare(
    "affiliates_recruitment.UnverifiedApplication",
    {APPLICATION: "email firstname lastname answers"},
    of=BY_ADDRESS,
    deletes=BY_ADDRESS.keys(),
)
declare(
    "affiliates_recruitment.Invitation",
    {APPLICATION: "email", ACT: "invited_by"},
    of={Person.AFFILIATE: {"email": Key.EMAIL, "affiliate": Key.AFFILIATE}},
    deletes={Person.AFFILIATE},
)
