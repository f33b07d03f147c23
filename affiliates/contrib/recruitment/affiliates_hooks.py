"""Registers the job, the recorded rows and the work of staff."""

from __future__ import annotations

from affiliates.audit.recording import RECORDED_MODELS
from affiliates.contrib.recruitment.services import applications
from affiliates.roles import OPERATOR, Work, register

__all__ = ["applications"]

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
