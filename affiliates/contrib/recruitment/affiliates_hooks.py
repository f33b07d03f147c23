"""Registers the job, the e-mails, the recorded rows and the work of staff."""

from __future__ import annotations

from functools import partial

from affiliates.audit.recording import RECORDED_MODELS
from affiliates.contrib.recruitment import emails
from affiliates.contrib.recruitment.services import applications
from affiliates.emails.preview import sample
from affiliates.roles import OPERATOR, Work, register

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
