"""The pages of the desk, and what it adds to pages of other apps."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import brands_of
from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk import changes, client, guide, overview, unearned
from affiliates.contrib.desk.affiliate import page as affiliate
from affiliates.contrib.desk.exports import admin as exports
from affiliates.contrib.desk.figures import owed
from affiliates.contrib.desk.navigation import OWED_NEEDS, RANKING_NEEDS
from affiliates.contrib.desk.ranking import cohorts
from affiliates.contrib.desk.ranking import page as ranking
from affiliates.contrib.desk.search import finding
from affiliates.contrib.desk.system import jobs, personal_data
from affiliates.contrib.desk.system import page as system
from affiliates.contrib.recruitment.admin import ProgramPage

__all__ = ["affiliate", "changes", "exports"]


@register_page(Brand)
class BrandDesk(ProgramPage):
    """The list of brands leads to the pages of the desk."""

    actions_list = (
        "overview",
        "ranking",
        "cohorts",
        "owed",
        "search",
        "unearned",
        "guide",
        "jobs",
        "personal_data",
        "system",
    )
    # It shows orders and what became of their commissions.
    has_unearned_permission = requires(
        "affiliates.view_orderreferral", "affiliates.view_commission"
    )
    has_ranking_permission = requires(*RANKING_NEEDS)
    has_owed_permission = requires(*OWED_NEEDS)

    def has_jobs_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        may = request.user.has_perm("affiliates.view_workerjob")
        return may and brands_of(request.user) is None

    @action(description="Overview", url_path="overview", permissions=["view"])
    def overview(self, request: HttpRequest) -> HttpResponse:
        return overview.show(request, self.admin_site)

    @action(description="Ranking", url_path="ranking", permissions=["ranking"])
    def ranking(self, request: HttpRequest) -> HttpResponseBase:
        return ranking.show(request, self.admin_site)

    @action(description="Cohorts", url_path="cohorts", permissions=["ranking"])
    def cohorts(self, request: HttpRequest) -> HttpResponseBase:
        return cohorts.show(request, self.admin_site)

    @action(description="What we owe", url_path="owed", permissions=["owed"])
    def owed(self, request: HttpRequest) -> HttpResponse:
        return owed.show(request, self.admin_site)

    @action(description="Search", url_path="search", permissions=["view"])
    def search(self, request: HttpRequest) -> HttpResponse:
        return finding.show(request, self.admin_site)

    def get_urls(self) -> list[URLPattern]:
        """Adds the page of a client, which no button leads to: it needs to know whose."""
        view = self.admin_site.admin_view(self.client)
        page = path("client/", view, name="affiliates_brand_client")
        return [page, *super().get_urls()]

    def client(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm("affiliates.view_orderreferral"):
            raise PermissionDenied
        return client.show(request, self.admin_site)

    @action(
        description="Orders that earned nothing",
        url_path="unearned",
        permissions=["unearned"],
    )
    def unearned(self, request: HttpRequest) -> HttpResponse:
        return unearned.show(request, self.admin_site)

    @action(description="First steps", url_path="guide", permissions=["view"])
    def guide(self, request: HttpRequest) -> HttpResponse:
        return guide.show(request, self)

    @action(description="Background jobs", url_path="jobs", permissions=["jobs"])
    def jobs(self, request: HttpRequest) -> HttpResponse:
        return jobs.show(request, self.admin_site)

    @action(description="Personal data", url_path="personal-data", permissions=["view"])
    def personal_data(self, request: HttpRequest) -> HttpResponseBase:
        return personal_data.show(request, self.admin_site)

    @action(description="System", url_path="system", permissions=["view"])
    def system(self, request: HttpRequest) -> HttpResponse:
        return system.show(request, self.admin_site)
